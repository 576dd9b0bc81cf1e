#!/usr/bin/env python3
# peers.py - rstd beside numpy and PyTorch: the same arrays, in turns, in one process
#
# SPDX-License-Identifier: Apache-2.0
"""Measures rstd (through its shared library) against numpy and PyTorch.

Each job is run by every contender in turns, each turn starting with another one. Printed are GB/s of input and, for
each function of a peer, the ratio of its time to that of rstd in the same turn: median [min..max].
"""

import argparse
import ctypes
import fnmatch
import itertools
import json
import math
import os
import pathlib
import platform
import statistics
import sys
import time
import warnings

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

ROOT = pathlib.Path(__file__).resolve().parent.parent
EPSILON = 1e-5
MAX_RANK = 8
DTYPES = {"f32": 1, "f16": 2, "bf16": 3}  # the numbers of rstd_dtype
SIZES = {"f32": 4, "f16": 2, "bf16": 2}
ROUNDS_MIN, ROUNDS_MAX = 3, 50
SWEEP_ELEMENTS = 10_000_000
LARGE_BYTES = 1 << 16  # of a cell of a sweep: where less is read, the calls count
WORST = 12
SAMPLE_SECONDS = 2e-3


class Tensor(ctypes.Structure):
    """rstd_tensor"""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_size_t),
        ("shape", ctypes.c_int64 * MAX_RANK),
        ("strides", ctypes.c_int64 * MAX_RANK),
    ]

    @classmethod
    def make(cls, dtype, shape, strides=None, data=None):
        return cls(data, DTYPES[dtype], len(shape), (ctypes.c_int64 * MAX_RANK)(*shape),
                   (ctypes.c_int64 * MAX_RANK)(*(contiguous(shape) if strides is None else strides)))


class Attrs(ctypes.Structure):
    """rstd_reduce_attrs"""

    _fields_ = [
        ("dim", ctypes.POINTER(ctypes.c_int64)),
        ("dim_count", ctypes.c_size_t),
        ("unbiased", ctypes.c_bool),
        ("keepdim", ctypes.c_bool),
        ("invert", ctypes.c_bool),
        ("epsilon", ctypes.c_float),
        ("correction", ctypes.c_int64),
    ]


def contiguous(shape):
    strides, stride = [], 1
    for length in reversed(shape):
        strides.insert(0, stride)
        stride *= length
    return strides


class Library:
    """The few functions of librstd that are needed here."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        tensor, plan = ctypes.POINTER(Tensor), ctypes.POINTER(ctypes.c_void_p)
        dims = ctypes.POINTER(ctypes.c_int64)
        self.c.rstd_last_error.restype = ctypes.c_char_p
        self.c.rstd_version.restype = ctypes.c_char_p
        self.c.rstd_get_isa.restype = ctypes.c_char_p
        self.c.rstd_plan_workspace_size.restype = size
        self.c.rstd_plan_workspace_size.argtypes = [pointer]
        self.c.rstd_plan_destroy.restype = None
        self.c.rstd_plan_destroy.argtypes = [pointer]
        self.c.rstd_plan_run.argtypes = [pointer] * 6
        self.c.rstd_plan_std_mean.argtypes = [plan, tensor, dims, size, ctypes.c_int64, ctypes.c_bool, tensor, tensor]
        self.c.rstd_plan_batch_norm_stats.argtypes = [plan, tensor, ctypes.c_double, tensor, tensor]
        self.c.rstd_plan_reduce_std_with_mean.argtypes = [plan, tensor, tensor, ctypes.POINTER(Attrs), tensor]

    def check(self, status):
        if status:
            raise RuntimeError(self.c.rstd_last_error().decode())

    def set_threads(self, threads):
        self.check(self.c.rstd_set_num_threads(threads))


class Job:
    """A shape, in memory order or with two axes swapped, and what is computed over it."""

    def __init__(self, name, op, shape, dim, swap=False):
        self.name, self.op, self.shape, self.dim, self.swap = name, op, tuple(shape), tuple(dim), swap

    @property
    def elements(self):
        return math.prod(self.shape)

    def kept(self):
        reduced = self.dim or range(len(self.shape))
        return [length for axis, length in enumerate(self.shape) if axis not in reduced]

    def strides(self):
        """Of a NCHW shape whose memory is NHWC when swap is set, else row-major."""
        if not self.swap:
            return contiguous(self.shape)
        n, h, w, c = contiguous([self.shape[i] for i in (0, 2, 3, 1)])
        return [n, c, h, w]


def jobs(dtype, large):
    """large: bytes of the three jobs that goals are set for; the others are a quarter of that."""
    elements, fewer = large // SIZES[dtype], large // SIZES[dtype] // 4
    yield Job("all", "std", [elements], [])
    yield Job("rows 4096", "std", [elements // 4096, 4096], [1])
    yield Job("cols 4096", "std", [elements // 4096, 4096], [0])
    for width in (768, 64, 16, 8, 3):
        yield Job("rows %d" % width, "std", [fewer // width, width], [1])
    for width in (64, 3):
        yield Job("cols %d" % width, "std", [fewer // width, width], [0])
    yield Job("all L3", "std", [(8 << 20) // SIZES[dtype]], [])
    yield Job("all L2", "std", [(512 << 10) // SIZES[dtype]], [])
    yield Job("given full", "given", [fewer], [])
    for shape in ([32, 64, 112, 112], [8, 256, 14, 14]):
        for swap in (False, True):
            name = "bn %s %s" % ("nhwc" if swap else "nchw", "x".join(map(str, shape)))
            yield Job(name, "bn", shape, [0, 2, 3], swap)


def sweep(few):
    """std over the middle axis, of the shapes of `rstd-bench --sweep`, as (outer, reduced, inner)."""
    lengths = [1, 2, 3, 5, 8, 17, 64, 255, 1024, 4097, 32768, 262143, 2097152, SWEEP_ELEMENTS]
    if few:
        lengths = [1, 3, 8, 64, 1025, 32768, 2097151]
    for shape in itertools.product(lengths, repeat=3):
        if math.prod(shape) <= SWEEP_ELEMENTS:
            yield Job("x".join(map(str, shape)), "std", list(shape), [1])


class Memory:
    """Random normal values of one dtype that every contender reads in place."""

    def __init__(self, dtype, elements):
        self.dtype, self.numpy, self.torch = dtype, None, None
        if torch:
            kind = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
            torch.manual_seed(1)
            self.torch = torch.empty(elements, dtype=kind)
            for start in range(0, elements, 1 << 22):
                part = self.torch[start : start + (1 << 22)]
                part.copy_(torch.randn(part.shape))
            self.pointer = self.torch.data_ptr()
            if numpy and dtype != "bf16":
                self.numpy = self.torch.numpy()
        else:
            random = numpy.random.default_rng(1)
            kind = {"f32": numpy.float32, "f16": numpy.float16}[dtype]
            self.numpy = numpy.empty(elements, kind)
            for start in range(0, elements, 1 << 22):
                part = self.numpy[start : start + (1 << 22)]
                part[:] = random.standard_normal(part.shape, numpy.float32)
            self.pointer = self.numpy.ctypes.data

    def view_numpy(self, job, skip=0):
        flat = self.numpy[skip : skip + job.elements]
        strides = [stride * flat.itemsize for stride in job.strides()]
        return numpy.lib.stride_tricks.as_strided(flat, job.shape, strides)

    def view_torch(self, job, skip=0):
        return self.torch[skip : skip + job.elements].as_strided(job.shape, job.strides())


class Rstd:
    """A job as a plan of the library, run() is one run."""

    def __init__(self, library, memory, job):
        self.library, self.job = library, job
        dtype, kept = memory.dtype, job.kept()
        out = "f32" if job.op == "bn" else dtype
        outputs = math.prod(kept)
        x, y = Tensor.make(dtype, job.shape, job.strides()), Tensor.make(out, kept)
        dim = (ctypes.c_int64 * MAX_RANK)(*job.dim)
        self.plan = ctypes.c_void_p()
        self.y = ctypes.create_string_buffer(outputs * SIZES[out])
        self.mean = ctypes.create_string_buffer(outputs * 4) if job.op == "bn" else None
        self.out = out
        given = None
        if job.op == "std":
            status = library.c.rstd_plan_std_mean(self.plan, x, dim, len(job.dim), 1, False, y, None)
        elif job.op == "bn":
            status = library.c.rstd_plan_batch_norm_stats(self.plan, x, EPSILON, y, y)
        else:
            given = memory.pointer + job.elements * SIZES[dtype]
            attrs = Attrs(dim, len(job.dim), True, False, False, 0.001, 1)
            status = library.c.rstd_plan_reduce_std_with_mean(self.plan, x, x, attrs, y)
        library.check(status)
        self.workspace = ctypes.create_string_buffer(library.c.rstd_plan_workspace_size(self.plan) + 1)
        self.arguments = [self.plan, memory.pointer, given] + [
            None if buffer is None else ctypes.addressof(buffer) for buffer in (self.y, self.mean, self.workspace)
        ]

    def run(self):
        self.library.check(self.library.c.rstd_plan_run(*self.arguments))

    def result(self):
        """The outputs as a list of floats."""
        raw = bytes(self.y)
        if self.out == "f32":
            return list(memoryview(raw).cast("f"))
        if self.out == "f16":
            return list(memoryview(raw).cast("e")) if sys.version_info >= (3, 12) else half_list(raw)
        return list(memoryview(b"".join(b"\0\0" + raw[i : i + 2] for i in range(0, len(raw), 2))).cast("f"))

    def close(self):
        self.library.c.rstd_plan_destroy(self.plan)


def half_list(raw):
    import struct

    return list(struct.unpack("<%de" % (len(raw) // 2), raw))


def numpy_functions(memory, job):
    if memory.numpy is None:
        return {}
    x, axis = memory.view_numpy(job), job.dim or None
    if job.op == "std":
        return {"numpy.std": lambda: x.std(axis=axis, ddof=1)}
    if job.op == "bn":
        return {"numpy.var": lambda: 1 / numpy.sqrt(x.var(axis=axis) + EPSILON)}
    mean = memory.view_numpy(job, job.elements)
    return {"numpy (x-m)^2": lambda: numpy.sqrt(((x - mean) ** 2).sum() / (job.elements - 1))}


def torch_functions(memory, job):
    if memory.torch is None:
        return {}
    x, dim = memory.view_torch(job), list(job.dim) or None
    if job.op == "std":
        return {
            "torch.std": lambda: torch.std(x, dim, correction=1),
            "torch.std_mean": lambda: torch.std_mean(x, dim, correction=1)[0],
            "torch.var_mean": lambda: torch.var_mean(x, dim, correction=1)[0].sqrt(),
        }
    if job.op == "bn":
        return {
            "torch.native_batch_norm": lambda: torch.native_batch_norm(x, None, None, None, None, True, 0.1, EPSILON)[2],
            "torch.var_mean": lambda: (torch.var_mean(x, dim, correction=0)[0] + EPSILON).rsqrt(),
        }
    mean = memory.view_torch(job, job.elements)
    return {"torch (x-m)^2": lambda: ((x - mean).square().sum() / (job.elements - 1)).sqrt()}


def flat_list(values):
    """The results of a peer as a flat list of floats."""
    if torch and isinstance(values, torch.Tensor):
        return values.float().reshape(-1).tolist()
    return numpy.asarray(values, numpy.float32).reshape(-1).tolist()


def largest_difference(ours, theirs):
    """Relative; NaN and Inf on their side count as infinitely far."""
    worst = 0.0
    for a, b in zip(ours, theirs):
        apart = abs(a - b) / max(abs(a), 1e-30)
        worst = max(worst, apart if math.isfinite(apart) else math.inf)
    return worst


def now(threads):
    """One thread: its CPU time, which other programs disturb less; else wall time."""
    return time.thread_time() if threads == 1 else time.perf_counter()


def sample(function, repeat, threads):
    start = now(threads)
    for _ in range(repeat):
        function()
    return (now(threads) - start) / repeat


def measure(functions, threads, seconds, rounds_min):
    """Seconds of each function in each round; the first run of each only warms up."""
    repeats, round_seconds = [], 0
    for function in functions:
        function()
        once = max(sample(function, 1, threads), 1e-7)
        repeats.append(max(1, math.ceil(SAMPLE_SECONDS / once)))
        round_seconds += once * repeats[-1]
    rounds = min(ROUNDS_MAX, max(rounds_min, int(seconds / round_seconds)))
    times = [[0.0] * rounds for _ in functions]
    for turn in range(rounds):
        for step in range(len(functions)):
            index = (turn + step) % len(functions)
            times[index][turn] = sample(functions[index], repeats[index], threads)
    return times


def summary(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def spread(values):
    return "%.2f [%.2f..%.2f]" % (values["median"], values["min"], values["max"])


def contest(library, memory, job, threads, seconds, rounds_min=ROUNDS_MIN, only=None):
    """One row for each function of a peer, or for those in only."""
    peers = {**numpy_functions(memory, job), **torch_functions(memory, job)}
    peers = {name: function for name, function in peers.items() if only is None or name in only}
    if not peers:
        return
    rstd = Rstd(library, memory, job)
    times = measure([rstd.run] + list(peers.values()), threads, seconds, rounds_min)
    size = job.elements * SIZES[memory.dtype] * (2 if job.op == "given" else 1)
    for index, (name, function) in enumerate(peers.items(), 1):
        yield {
            "job": job.name,
            "dtype": memory.dtype,
            "shape": job.shape,
            "threads": threads,
            "bytes": size,
            "peer": name,
            "rstd_gbs": summary([1e-9 * size / t for t in times[0]]),
            "peer_gbs": summary([1e-9 * size / t for t in times[index]]),
            "rstd_over_peer": summary([theirs / ours for ours, theirs in zip(times[0], times[index])]),
            "difference": None if only else largest_difference(rstd.result(), flat_list(function())),
        }
    rstd.close()


LINE = "%-26s %-5s %3s %8s %8s  %-24s %8s  %-24s %8s"


def heading():
    print()
    print(LINE % ("job", "dtype", "thr", "MiB", "rstd", "peer", "peer", "rstd / peer", "differs"))
    print(LINE % ("", "", "", "", "GB/s", "", "GB/s", "median [min..max]", "by"))


def show(row):
    print(
        LINE
        % (
            row["job"],
            row["dtype"],
            row["threads"],
            "%.1f" % (row["bytes"] / 2**20),
            "%.2f" % row["rstd_gbs"]["median"],
            row["peer"],
            "%.2f" % row["peer_gbs"]["median"],
            spread(row["rstd_over_peer"]),
            "-" if row["difference"] is None else "%.1e" % row["difference"],
        ),
        flush=True,
    )


def show_goals(rows):
    """The least ratio over the three large f32 jobs, for the function that everybody calls."""
    main = [row for row in rows if row["dtype"] == "f32" and row["job"] in ("all", "rows 4096", "cols 4096")]
    print()
    for peer, goal in (("numpy.std", 4), ("torch.std", 10)):
        for threads in sorted({row["threads"] for row in main}):
            these = [row for row in main if row["peer"] == peer and row["threads"] == threads]
            if not these:
                continue
            least = min(these, key=lambda row: row["rstd_over_peer"]["median"])
            print(
                "%s, f32, all / rows 4096 / cols 4096, %d thread%s: rstd is at least %.1f times as fast (%s); goal %d"
                % (peer, threads, "s" if threads > 1 else "", least["rstd_over_peer"]["median"], least["job"], goal)
            )


def cpu():
    """What Linux calls the processor."""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(": ")[2]
    return platform.machine()


def find_library():
    """The newest librstd.so of the build folders of this tree."""
    found = list(ROOT.glob("build/**/librstd.so"))
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", metavar="PATH", help="librstd.so (default: the newest one under build/)")
    parser.add_argument("--job", metavar="PATTERN", help='only jobs whose "name dtype" has PATTERN in it or matches it')
    parser.add_argument("--threads", type=int, metavar="N", help="threads of rstd and torch (default: first 1, then all)")
    parser.add_argument("--mib", type=int, default=256, metavar="N", help="size of the large jobs (default 256)")
    parser.add_argument("--seconds", type=float, default=2, metavar="S", help="time for each job (default 2)")
    parser.add_argument("--sweep", action="store_true", help="in place of the jobs: std over the middle axis of "
                        "thousands of shapes, one thread, against the better of numpy and torch; prints the worst")
    parser.add_argument("--quick", action="store_true", help="an eighth of the memory, a fifth of the time, a ninth of "
                        "a sweep")
    parser.add_argument("--json", metavar="FILE", help="also write the results there")
    options = parser.parse_args()
    if options.mib < 8 or options.seconds <= 0 or (options.threads is not None and not 1 <= options.threads <= 1024):
        parser.error("--mib takes 8 and more, --seconds more than 0, --threads 1 to 1024")
    if options.quick:
        options.mib, options.seconds = max(8, options.mib // 8), options.seconds / 5
    return options


def say_missing():
    for module, name in ((numpy, "numpy"), (torch, "torch")):
        if module is None:
            print("%s is not installed: python3 -m pip install %s" % (name, name), file=sys.stderr)
    if numpy is None and torch is None:
        sys.exit("peers.py: there is nothing to compare with")


def open_library(path):
    path = path or find_library()
    if path is None:
        sys.exit("peers.py: no librstd.so under %s; ./run build makes one, or give --library" % (ROOT / "build"))
    try:
        return Library(path)
    except OSError as error:
        sys.exit("peers.py: %s" % error)


def wanted(job, dtype, pattern):
    name = "%s %s" % (job.name, dtype)
    if not pattern:
        return True
    return fnmatch.fnmatchcase(name, pattern) if any(c in pattern for c in "*?[") else pattern in name


def progress(text):
    if sys.stderr.isatty():
        print("\r\033[K" + text, end="", file=sys.stderr, flush=True)


def run_all(library, options):
    rows = []
    counts = [options.threads] if options.threads else sorted({1, len(os.sched_getaffinity(0))})
    for dtype in DTYPES:
        todo = [job for job in jobs(dtype, options.mib << 20) if wanted(job, dtype, options.job)]
        if not todo or (dtype == "bf16" and torch is None):
            continue
        progress("making data of " + dtype)
        memory = Memory(dtype, max(job.elements * (2 if job.op == "given" else 1) for job in todo))
        for threads in counts:
            library.set_threads(threads)
            if torch:
                torch.set_num_threads(threads)
            for job in todo:
                progress("%s %s, threads: %d" % (job.name, dtype, threads))
                found = list(contest(library, memory, job, threads, options.seconds))
                progress("")
                for row in found:
                    show(row)
                rows += found
    return rows


def sweep_cell(library, memory, job):
    """The row of the better peer; measured again, longer, when it does not look good for rstd."""
    for seconds, rounds_min in ((0.01, 1), (0.2, 3)):
        rows = contest(library, memory, job, 1, seconds, rounds_min, ("numpy.std", "torch.std"))
        row = min(rows, key=lambda row: row["rstd_over_peer"]["median"])
        if row["rstd_over_peer"]["median"] > 1.5:
            break
    return row


def show_worst(rows, title):
    rows = sorted(rows, key=lambda row: row["rstd_over_peer"]["median"])
    if not rows:
        return
    ratios = [row["rstd_over_peer"]["median"] for row in rows]
    print("\nrstd / the better of numpy and torch, %s, %d cells: least %.2f, a tenth of them below %.2f, half of them "
          "below %.2f. The worst:" % (title, len(rows), ratios[0], ratios[len(rows) // 10], ratios[len(rows) // 2]))
    heading()
    for row in rows[:WORST]:
        show(row)


def run_sweep(library, options):
    rows = []
    library.set_threads(1)
    if torch:
        torch.set_num_threads(1)
    for dtype in DTYPES:
        todo = [job for job in sweep(options.quick) if wanted(job, dtype, options.job)]
        if not todo or (dtype == "bf16" and torch is None):
            continue
        progress("making data of " + dtype)
        memory = Memory(dtype, SWEEP_ELEMENTS)
        for index, job in enumerate(todo, 1):
            progress("[%d/%d] %s %s" % (index, len(todo), job.name, dtype))
            rows.append(sweep_cell(library, memory, job))
    progress("")
    show_worst([row for row in rows if row["bytes"] >= LARGE_BYTES], "from 64 KiB up")
    show_worst([row for row in rows if row["bytes"] < LARGE_BYTES], "below 64 KiB")
    return rows


def main():
    options = parse()
    say_missing()
    library = open_library(options.library)
    if numpy:
        numpy.seterr(all="ignore")
    warnings.simplefilter("ignore")  # about slices of one element, whose std is NaN
    versions = {
        "rstd": library.c.rstd_version().decode(),
        "isa": library.c.rstd_get_isa().decode(),
        "numpy": numpy and numpy.__version__,
        "torch": torch and str(torch.__version__),
        "load": os.getloadavg()[0],
        "cpu": cpu(),
        "date": time.strftime("%Y-%m-%d"),
    }
    print("rstd %(rstd)s (%(isa)s), numpy %(numpy)s, torch %(torch)s; load average at the start %(load).2f" % versions)
    if options.sweep:
        rows = run_sweep(library, options)
    else:
        print("numpy uses one thread whatever 'thr' says")
        heading()
        rows = run_all(library, options)
        show_goals(rows)
    if not rows:
        sys.exit("peers.py: no job has that name")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"versions": versions, "rows": rows}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
