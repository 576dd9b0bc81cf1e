#!/usr/bin/env python3
# tables.py - the tables of docs/performance.md from what rstd-bench and peers.py have written with --json
#
# SPDX-License-Identifier: Apache-2.0
"""Renders the tables of a document from results.

A table stands in the document between the lines "<!-- tables.py: NAME -->" and "<!-- end -->". Those whose results are
given are written anew; the others stay. Needs nothing but Python.
"""

import argparse
import json
import re
import sys

DTYPES = ("f32", "f16", "bf16")
LARGE = 64 << 10  # bytes from which on a cell of a sweep is not about calls
WORST = {"plain": 12, "peer": 5}  # cells that are shown

# What was to be held: text, goals, and what was reached of it: a function of the results and its arguments.
GOALS = (
    ("all axes, large, f32 / f16 / bf16", ".95 / .94 / .94", "limit", "all"),
    ("the same, 16-bit input, f32 output: f16 / bf16", ".65", "limit", "all, f32 out", "f16 bf16"),
    ("all axes, 8 MiB, f32", ".65", "limit", "all L3", "f32"),
    ("all axes, 512 KiB, f32 / f16 / bf16", ".57 / .42 / .42", "limit", "all L2"),
    ("rows of 4096, f32 / f16 / bf16", ".92 / .80 / .80", "limit", "rows 4096"),
    ("rows of 768 / 64 / 16 / 8 / 3, f32", ".90 / .88 / .82 / .70 / .50", "limit",
     "rows 768|rows 64|rows 16|rows 8|rows 3", "f32"),
    ("rows of 64 / 16 / 8, f16, 10^9 elements a second", "8 / 6 / 7", "elements", "rows 64|rows 16|rows 8", "f16"),
    ("the same, bf16", "8 / 6 / 7", "elements", "rows 64|rows 16|rows 8", "bf16"),
    ("columns, 4096 wide, f32 / f16 / bf16", ".70 / .62 / .62", "limit", "cols 4096"),
    ("columns, 64 and 3 wide, 8 MiB, f32", ".58 / .48", "limit", "cols 64 L3|cols 3 L3", "f32"),
    ("batch norm NCHW 32x64x112x112, f32 / f16 / bf16", ".92 / .70 / .70", "limit", "bn nchw 32x64x112x112"),
    ("batch norm NHWC, the same", ".85 / .60 / .60", "limit", "bn nhwc 32x64x112x112"),
    ("batch norm 8x256x14x14, NCHW and NHWC, f32", ".43 / .44", "limit", "bn nchw 8x256x14x14|bn nhwc 8x256x14x14",
     "f32"),
    ("given mean, full, f32 / f16 / bf16", ".94 / .96 / .96", "limit", "given full"),
    ("given mean, broadcast, scalar: f32 / f16 / bf16", ".94", "limit", "given scalar"),
    ("given mean, broadcast, rows of 4096: f32 / f16 / bf16", ".94", "limit", "given rows 4096"),
    ("given mean, broadcast, columns, 4096 wide: f32 / f16 / bf16", ".94", "limit", "given cols 4096"),
    ("transposed rows, over contiguous ones, which are the same memory: f32 / f16 / bf16", ".90", "beside",
     "rows 4096 transposed", "rows 4096"),
    ("transposed columns, likewise", ".90", "beside", "cols 4096 transposed", "cols 4096"),
    ("padded rows, over contiguous ones", ".90", "beside", "rows 4096 padded", "rows 4096"),
    ("padded columns, likewise", ".90", "beside", "cols 4096 padded", "cols 4096"),
    ("two threads, of the limit of two: all / rows of 4096 / columns, 4096 wide, f32", ".92 / .89 / .67", "two",
     "all|rows 4096|cols 4096"),
    ("2x4 call: one-shot / run of a plan", "100 / 40 ns", "call"),
    ("moments from pieces, f32 / f16 / bf16", "10 GB/s, f32", "gbs", "moments all"),
    ("moments of columns, 4096 wide, f32 / f16 / bf16", "10 GB/s, f32", "gbs", "moments cols 4096"),
)


def fail(text):
    sys.exit("tables.py: " + text)


def median(row, key):
    return row[key]["median"]


def fraction(value):
    """Two digits after the point, and no zero before it."""
    return re.sub(r"^0", "", "%.2f" % value)


def table(heads, rows):
    lines = ["| " + " | ".join(row) + " |" for row in (heads, *rows)]
    return lines[:1] + ["|" + "---|" * len(heads)] + lines[1:]


class Jobs:
    """Results of `rstd-bench --json`."""

    def __init__(self, results, path):
        self.rows = results["jobs"]
        self.call = results.get("call_2x4_ns")
        self.path = path
        self.by_name = {(row["job"], row["dtype"]): row for row in self.rows}

    def row(self, job, dtype):
        if (job, dtype) not in self.by_name:
            fail("%s: has no job '%s %s'" % (self.path, job, dtype))
        return self.by_name[job, dtype]

    def each(self, names, dtypes, show):
        """show() of every job in a list "a|b" and every dtype in a list "f32 f16"."""
        return " / ".join(show(self.row(name, dtype)) for name in names.split("|") for dtype in dtypes.split())

    def limit(self, names, dtypes=" ".join(DTYPES)):
        return self.each(names, dtypes, lambda row: fraction(median(row, "rstd_over_limit")))

    def elements(self, names, dtypes):
        return self.each(names, dtypes,
                         lambda row: "%.1f" % (median(row, "rstd_gbs") * row["elements"] / row["bytes"]))

    def gbs(self, names, dtypes=" ".join(DTYPES)):
        return self.each(names, dtypes, lambda row: "%.1f" % median(row, "rstd_gbs")) + " GB/s"

    def beside(self, name, other):
        return self.each(name, " ".join(DTYPES), lambda row: fraction(
            median(row, "rstd_over_limit") / median(self.row(other, row["dtype"]), "rstd_over_limit")))


def goals(files):
    one, two = files["jobs"], files["two"]
    if not one.call:
        fail("%s: has no calls" % one.path)
    reach = {
        "limit": one.limit, "elements": one.elements, "gbs": one.gbs, "beside": one.beside,
        "two": lambda names: two.limit(names, "f32"),
        "call": lambda: "%.0f / %.0f ns" % (median(one.call, "one_shot"), median(one.call, "run")),
    }
    return table(("job", "goal", "reached"), [(text, goal, reach[kind](*names)) for text, goal, kind, *names in GOALS])


def loads(files):
    rows = []
    for job in ("all L1", "all L2", "all L3", "all"):
        one, two = files["jobs"].row(job, "f32"), files["two"].row(job, "f32")
        kib = one["bytes"] >> 10
        rows.append(("%d KiB" % kib if kib < 1024 else "%d MiB" % (kib >> 10), "%.0f" % median(one, "limit_gbs"),
                     "%.0f" % median(two, "limit_gbs"), one["best_load"]))
    return table(("array", "1 thread, GB/s", "2 threads", "best loop of one"), rows)


def onednn(files):
    return table(("job", "dtype", "/ training", "/ statistics"), [
        (row["job"], row["dtype"], "%.1f" % median(row, "rstd_over_onednn_training"),
         "%.1f" % median(row, "rstd_over_onednn_statistics"))
        for row in files["jobs"].rows if "rstd_over_onednn_training" in row])


def threads(files):
    return table(("job", "dtype", "limit, GB/s", "rstd", "rstd / limit", "rstd / plain C", "over one thread"), [
        (row["job"], row["dtype"], "%.1f" % median(row, "limit_gbs"), "%.1f" % median(row, "rstd_gbs"),
         fraction(median(row, "rstd_over_limit")),
         "%.1f" % median(row, "rstd_over_plain") if "rstd_over_plain" in row else "-",
         "%.2f" % (median(row, "rstd_gbs") / median(files["jobs"].row(row["job"], row["dtype"]), "rstd_gbs")))
        for row in files["two"].rows if row["dtype"] == "f32"])


def memory(files):
    rows = []
    for name, what in (("jobs", "jobs, one thread"), ("two", "jobs, two threads"), ("sweep", "sweep, one thread")):
        space = max(files[name].rows, key=lambda row: row["workspace_bytes"])
        growth = max(files[name].rows, key=lambda row: row["peak_growth_bytes"])
        which = " (%s %s, outputs: %d)" % (space["job"], space["dtype"], space["outputs"])
        rows.append((what, "%d bytes%s" % (space["workspace_bytes"], which if space["workspace_bytes"] else ""),
                     "%d KiB (%s %s, %.1f MiB of input)" % (growth["peak_growth_bytes"] >> 10, growth["job"],
                                                            growth["dtype"], growth["bytes"] / (1 << 20))))
    return table(("run", "largest workspace of a plan", "most that a first run added to the peak"), rows)


def peers(files):
    """The best function of each peer, one thread."""
    best = {}
    for row in files["peers"].rows:
        key = row["job"], "numpy" if row["peer"].startswith("numpy") else "PyTorch", row["dtype"]
        if row["threads"] == 1:
            best[key] = min(median(row, "rstd_over_peer"), best.get(key, float("inf")))
    heads = [(dtype, peer) for dtype in DTYPES for peer in ("numpy", "PyTorch") if (dtype, peer) != ("bf16", "numpy")]
    names = list(dict.fromkeys(row["job"] for row in files["peers"].rows))
    rows = [[name] + ["%.1f" % best[name, peer, dtype] if (name, peer, dtype) in best else "-" for dtype, peer in heads]
            for name in names]
    return table(["job"] + ["%s: %s" % head for head in heads], rows)


RIVALS = {"limit": "rstd / limit", "plain": "rstd / plain C", "peer": "rstd / the better of numpy and PyTorch"}


def cells(rows, dtype, rival, large):
    """The rows of one dtype, worst first."""
    key = "rstd_over_" + rival
    found = [row for row in rows if key in row and dtype in (None, row["dtype"]) and (row["bytes"] >= LARGE) == large]
    return sorted(found, key=lambda row: median(row, key))


def sweep(files):
    rows = []
    for dtype in DTYPES:
        for name, rival, large in (("sweep", "limit", True), ("sweep", "plain", True), ("sweep", "plain", False),
                                   ("peers_sweep", "peer", True)):
            ratios = [median(row, "rstd_over_" + rival) for row in cells(files[name].rows, dtype, rival, large)]
            if not ratios:
                continue
            rows.append(("%s, %s, %s 64 KiB%s" % (dtype, RIVALS[rival], "from" if large else "below", " up" * large),
                         "%d" % len(ratios), *("%.3g" % ratios[len(ratios) * part // 10] for part in (0, 1, 5))))
    return table(("cells", "number", "least", "a tenth below", "half below"), rows)


def worst(rival):
    def render(files):
        rows = []
        for row in cells(files["sweep" if rival == "plain" else "peers_sweep"].rows, None, rival, True)[:WORST[rival]]:
            other = "plain C" if rival == "plain" else row["peer"]
            outputs = row["shape"][0] * row["shape"][2]
            rows.append((row["job"], row["dtype"], "%.2f" % median(row, "rstd_gbs"), other,
                         "%.2f" % median(row, rival + "_gbs"), "%.2f" % median(row, "rstd_over_" + rival),
                         "%.1f" % (row["bytes"] / median(row, "rstd_gbs") / outputs)))
        return table(("outer x reduced x inner", "dtype", "rstd, GB/s", "beside", "GB/s", "rstd / that",
                      "ns an output"), rows)
    return render


# Which results a table needs, and what renders it.
TABLES = {
    "loads": (("jobs", "two"), loads),
    "goals": (("jobs", "two"), goals),
    "onednn": (("jobs",), onednn),
    "threads": (("jobs", "two"), threads),
    "memory": (("jobs", "two", "sweep"), memory),
    "peers": (("peers",), peers),
    "sweep": (("sweep", "peers_sweep"), sweep),
    "worst plain C": (("sweep",), worst("plain")),
    "worst peers": (("peers_sweep",), worst("peer")),
}


def fill(document, files):
    """The document with new tables, and the names of these."""
    lines, skipping, written = [], False, []
    for line in document.split("\n"):
        name = re.fullmatch(r"<!-- tables\.py: (.*) -->", line)
        if name and name[1] not in TABLES:
            fail("there is no table '%s'; there are %s" % (name[1], ", ".join(TABLES)))
        if name and skipping:
            fail("a table begins inside another: %s" % line)
        if line == "<!-- end -->":
            skipping = False
        if not skipping:
            lines.append(line)
        if name and all(files[need] for need in TABLES[name[1]][0]):
            lines += TABLES[name[1]][1](files)
            skipping = True
            written.append(name[1])
    if skipping:
        fail("the last table has no end")
    return "\n".join(lines), written


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
        return Jobs({"jobs": results["rows"]} if "rows" in results else results, path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail("%s: not readable as results of rstd-bench or peers.py: %s" % (path, error))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", help="the Markdown file, docs/performance.md")
    parser.add_argument("--jobs", metavar="JSON", help="of `rstd-bench`, one thread")
    parser.add_argument("--two", metavar="JSON", help="of `rstd-bench --threads 2`")
    parser.add_argument("--sweep", metavar="JSON", help="of `rstd-bench --sweep`")
    parser.add_argument("--peers", metavar="JSON", help="of `peers.py`")
    parser.add_argument("--peers-sweep", metavar="JSON", help="of `peers.py --sweep`")
    options = vars(parser.parse_args())
    path = options.pop("document")
    files = {name: file and read(file) for name, file in options.items()}
    try:
        with open(path, encoding="utf-8") as file:
            document = file.read()
        document, written = fill(document, files)
        with open(path, "w", encoding="utf-8") as file:
            file.write(document)
    except OSError as error:
        fail(str(error))
    except KeyError as error:
        fail("results without %s, which a table needs" % error)
    print("%s: %s" % (path, ", ".join(written) or "nothing to write"))


if __name__ == "__main__":
    main()
