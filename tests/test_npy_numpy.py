#!/usr/bin/python3
# test_npy_numpy.py COMMAND - numpy reads what the command writes, and the command reads what numpy writes
#
# SPDX-License-Identifier: Apache-2.0
#
# The mean over an axis of length 1 is the array itself, so std-mean gives back what it has read.
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

COMMAND = sys.argv[1]
SHAPES = [(1,), (7, 1), (2, 3, 1), (0, 4, 1), (2, 1, 3, 2, 1), (1, 2, 1, 2, 1, 2, 1, 1)]
TYPES = [("<f4", "f4"), (">f4", "f4"), ("<f2", "f2"), (">f2", "f2"),
         ("<u2", "bf16"), (">u2", "bf16"), ("<i2", "bf16"), ("V2", "bf16")]


def values(shape, kind):
    """Small integers, exact in every type, as the bits of the type."""
    numbers = np.arange(1, 1 + int(np.prod(shape)), dtype="<f4").reshape(shape)
    if kind == "bf16":
        return (numbers.view("<u4") >> 16).astype("<u2")
    return numbers.astype("<" + kind)


def stored(bits, descr):
    """The same bits in an array of this descr."""
    return bits.view("V2") if descr == "V2" else bits.view("<" + descr[1:]).astype(descr)


def passed_through(kind):
    options = ["--dtype", "bf16"] if kind == "bf16" else []
    subprocess.run([COMMAND, "std-mean", "in.npy", "--dim", "-1", "-o", "std.npy", "--mean-out", "mean.npy", *options],
                   check=True)
    return np.load("mean.npy")


def check_types_orders_versions():
    for shape, (descr, kind), order, version in itertools.product(
            SHAPES, TYPES, "CF", [(1, 0), (2, 0), (3, 0)]):
        bits = values(shape, kind)
        array = np.array(stored(bits, descr), order=order)
        with open("in.npy", "wb") as file:
            np.lib.format.write_array(file, array, version=version)
        got = passed_through(kind)
        assert got.shape == shape[:-1], (shape, got.shape)
        assert got.dtype == np.dtype("V2" if kind == "bf16" else "<" + kind), (kind, got.dtype)
        assert got.tobytes() == bits.tobytes(), (shape, descr, order, version)


def check_same_bytes():
    """Our files are the very ones that numpy writes."""
    for shape, kind in itertools.product([(1,), (7, 1), (2, 3, 1), (0, 4, 1)], ["f4", "f2"]):
        np.save("in.npy", values(shape, kind))
        np.save("numpy.npy", values(shape, kind).reshape(shape[:-1]))
        passed_through(kind)
        with open("mean.npy", "rb") as ours, open("numpy.npy", "rb") as theirs:
            assert ours.read() == theirs.read(), (shape, kind)


def check_refused():
    for array in [np.zeros(3), np.zeros(3, "i4"), np.zeros(3, "c8"), np.zeros(3, "?"), np.zeros(3, "S2"),
                  np.zeros(3, "V2"), np.zeros(3, [("a", "f4")]), np.array([None]), np.zeros((1,) * 9, "f4")]:
        np.save("in.npy", array)
        run = subprocess.run([COMMAND, "std", "in.npy"], capture_output=True, text=True)
        assert run.returncode == 1 and run.stdout == "", array.dtype
        assert run.stderr.startswith("rstd: in.npy: descr ") or array.ndim == 9, run.stderr


def check_printed():
    """What a person sees is what numpy prints."""
    np.set_printoptions(floatmode="unique")
    random = np.random.default_rng(1)
    for i in range(60):
        shape = tuple(random.integers(1, 14, size=1 + i % 4))
        array = (random.normal(size=shape) * 10.0 ** random.uniform(-3, 3 * (i % 3), size=shape)).astype("<f4")
        np.save("in.npy", array[..., None])
        run = subprocess.run([COMMAND, "std-mean", "in.npy", "--dim", "-1"], capture_output=True, text=True, check=True)
        assert run.stdout.partition("mean:\n")[2] == str(array) + "\n", str(array)


with tempfile.TemporaryDirectory() as directory:
    COMMAND = os.path.abspath(COMMAND)
    os.chdir(directory)
    check_types_orders_versions()
    check_same_bytes()
    check_refused()
    check_printed()
    os.chdir("/")
