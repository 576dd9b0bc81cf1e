#!/usr/bin/env python3
# test_tables.py PROGRAM - bench/tables.py puts the numbers of results where they belong, and refuses what it cannot use
#
# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
DTYPES = ("f32", "f16", "bf16")


def middle(value):
    return {"median": value, "min": value / 2, "max": value * 2}


def row(job, dtype, ratio, gbs, **more):
    """A result, of which the numbers that tables show are told apart."""
    return {"job": job, "dtype": dtype, "shape": [4, 2, 8], "bytes": 64 << 20, "elements": 16 << 20, "outputs": 32,
            "best_load": "paced", "workspace_bytes": 0, "peak_growth_bytes": 4096, "limit_gbs": middle(2 * gbs),
            "rstd_gbs": middle(gbs), "rstd_over_limit": middle(ratio), "plain_gbs": middle(gbs / 4),
            "rstd_over_plain": middle(4), **more}


NAMES = ["all", "all L3", "all L2", "all L1", "all, f32 out"] + ["rows %d" % n for n in (4096, 768, 64, 16, 8, 3)] + [
    "cols 4096", "cols 64 L3", "cols 3 L3", "bn nchw 32x64x112x112", "bn nhwc 32x64x112x112", "bn nchw 8x256x14x14",
    "bn nhwc 8x256x14x14", "given full", "given scalar", "given rows 4096", "given cols 4096", "moments all",
    "moments cols 4096"] + ["%s 4096 %s" % (a, b) for a in ("rows", "cols") for b in ("transposed", "padded")]


def results():
    """By option: the results that it takes."""
    jobs = [row(name, dtype, (1 + index) / 100 + d / 1000, 10 + index) for index, name in enumerate(NAMES)
            for d, dtype in enumerate(DTYPES)]
    jobs[0]["rstd_over_onednn_training"] = middle(7.25)
    jobs[0]["rstd_over_onednn_statistics"] = middle(2)
    jobs[3]["workspace_bytes"] = 77
    peers = [row("all", "f32", 1, 8, threads=1, peer=peer, rstd_over_peer=middle(ratio), peer_gbs=middle(2))
             for peer, ratio in (("numpy.std", 5), ("numpy.var", 4), ("torch.std", 6))]
    sweep = [row("4x%dx8" % i, "f32", i, i, rstd_over_plain=middle(i / 2)) for i in range(1, 21)]
    sweep.append(row("1x1x1", "f32", .001, 1, bytes=4))
    return {"jobs": {"jobs": jobs, "call_2x4_ns": {"one_shot": middle(119.3), "run": middle(54.2)}},
            "two": {"jobs": [row("all", "f32", .875, 20)] + jobs[3:]},
            "sweep": {"jobs": sweep}, "peers": {"rows": peers}, "peers-sweep": {"rows": peers}}


def run(document, files):
    """The exit status, what was printed, and the document after it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "document.md")
        command = [sys.executable, PROGRAM, path]
        with open(path, "w", encoding="utf-8") as file:
            file.write(document)
        for option, value in files.items():
            name = os.path.join(folder, option)
            with open(name, "w", encoding="utf-8") as file:
                file.write(value if isinstance(value, str) else json.dumps(value))
            command += ["--" + option, name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        with open(path, encoding="utf-8") as file:
            return done.returncode, done.stdout + done.stderr, file.read()


def region(name, old="old"):
    return "text\n<!-- tables.py: %s -->\n%s\n<!-- end -->\nmore\n" % (name, old)


def expect(name, *lines):
    status, said, document = run(region(name), results())
    assert status == 0, said
    assert document.startswith("text\n<!-- tables.py: %s -->\n| " % name) and document.endswith("<!-- end -->\nmore\n")
    assert "old" not in document
    for line in lines:
        assert line in document.split("\n"), "%s: no line %s in\n%s" % (name, line, document)
    again = run(document, results())[2]
    assert again == document, name


def refuse(document, files, *words):
    status, said, after = run(document, files)
    assert status == 1 and after == document, said
    for word in words:
        assert word in said, said


def main():
    everything = results()
    expect("loads", "| 64 MiB | 20 | 40 | paced |")
    expect("goals", "| all axes, large, f32 / f16 / bf16 | .95 / .94 / .94 | .01 / .01 / .01 |",
           "| rows of 768 / 64 / 16 / 8 / 3, f32 | .90 / .88 / .82 / .70 / .50 | .07 / .08 / .09 / .10 / .11 |",
           "| rows of 64 / 16 / 8, f16, 10^9 elements a second | 8 / 6 / 7 | 4.2 / 4.5 / 4.8 |",
           "| padded rows, over contiguous ones | .90 | 4.33 / 4.28 / 4.23 |",
           "| 2x4 call: one-shot / run of a plan | 100 / 40 ns | 119 / 54 ns |",
           "| moments from pieces, f32 / f16 / bf16 | 10 GB/s, f32 | 32.0 / 32.0 / 32.0 GB/s |")
    expect("onednn", "| all | f32 | 7.2 | 2.0 |")
    expect("threads", "| all | f32 | 40.0 | 20.0 | .88 | 4.0 | 2.00 |")
    expect("memory", "| jobs, one thread | 77 bytes (all L3 f32, outputs: 32) | 4 KiB (all f32, 64.0 MiB of input) |")
    expect("peers", "| all | 4.0 | 6.0 | - | - | - |")
    expect("sweep", "| f32, rstd / limit, from 64 KiB up | 20 | 1 | 3 | 11 |",
           "| f32, rstd / plain C, below 64 KiB | 1 | 4 | 4 | 4 |")
    expect("worst plain C", "| 4x1x8 | f32 | 1.00 | plain C | 0.25 | 0.50 | 2097152.0 |")
    expect("worst peers", "| all | f32 | 8.00 | numpy.var | 2.00 | 4.00 | 262144.0 |")

    untouched = run(region("goals"), {"jobs": everything["jobs"]})
    assert untouched[0] == 0 and untouched[2] == region("goals"), "needs two threads, too"
    refuse(region("gaols"), everything, "no table 'gaols'")
    refuse(region("goals").replace("<!-- end -->\n", ""), everything, "no end")
    refuse(region("goals", "<!-- tables.py: loads -->"), everything, "inside another")
    refuse(region("goals"), {**everything, "jobs": {"jobs": []}}, "has no calls")
    few = {**everything["jobs"], "jobs": everything["jobs"]["jobs"][:9]}
    refuse(region("goals"), {**everything, "jobs": few}, "has no job 'all, f32 out f16'")
    refuse(region("goals"), {**everything, "jobs": "not JSON"}, "not readable")


if __name__ == "__main__":
    main()
