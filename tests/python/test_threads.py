"""Threads, signals, forks, and what an import costs."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import quartic as qt
from conftest import same_state, state_of


def run(program, **keywords):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, **keywords)


@pytest.mark.parametrize("bodies", [1, 64])  # of one body, a step keeps the GIL
def test_two_threads_take_turns(model, bodies):
    """The same sum of steps in any order: the batch is as after all steps by one thread."""
    batch, alone = (qt.Batch(model, bodies=bodies, dtype="float64", threads=2) for _ in range(2))
    for b in (batch, alone):
        b.force[:] = 0.01

    def step():
        for _ in range(100):
            batch.step(0.01)

    threads = [threading.Thread(target=step) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(300):
        alone.step(0.01)
    assert same_state(state_of(batch), state_of(alone))


def test_long_calls_release_the_gil(model):
    batch, counted = qt.Batch(model, bodies=2000, dtype="float64", threads=1), [0]
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    while time.perf_counter() - start < 10:
        before = counted[0]
        batch.step(0.1, 200)
        if counted[0] > before + 2:
            break
    stop.set()
    thread.join()
    assert counted[0] > before + 2  # the other thread ran within one call


CTRL_C = """
import os, signal, threading, quartic as qt
mesh, fixed = qt.make_beam(60)
seen = []
def press(stage, fraction):
    seen.append(stage)
    os.kill(os.getpid(), signal.SIGINT)
try:
    qt.reduce(mesh, fixed, {progress})
except KeyboardInterrupt:
    print("interrupted", len(seen))
"""


def test_ctrl_c_stops_a_reduction():
    done = run(CTRL_C.format(progress="progress=press"))
    assert done.stdout == "interrupted 1\n", done.stdout + done.stderr


def test_ctrl_c_stops_a_reduction_without_a_callback():
    program = "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start(); "
    program += "[qt.reduce(mesh, fixed) for _ in range(1000)]"
    done = run(CTRL_C.replace("qt.reduce(mesh, fixed, {progress})", program))
    assert done.stdout == "interrupted 0\n", done.stdout + done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")
def test_a_forked_process_goes_on_with_its_batch(model):
    batch = qt.Batch(model, bodies=256, threads=2)
    batch.force[:] = 0.01
    batch.step(0.01)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        batch.step(0.01, 5)
        os.write(writer, np.array(batch.q).tobytes())
        os._exit(0)
    os.close(writer)
    batch.step(0.01, 5)
    with os.fdopen(reader, "rb") as pipe:
        theirs = pipe.read()
    assert os.waitpid(child, 0)[1] == 0 and theirs == np.array(batch.q).tobytes()


def test_an_import_brings_no_array_library():
    done = run("import sys, quartic; print([m for m in ('numpy', 'torch', 'jax') if m in sys.modules]); "
               "mesh, _ = quartic.VolumeMesh, quartic.Material(1, 0, 1); print('numpy' in sys.modules)")
    assert done.stdout == "[]\nFalse\n", done.stderr


def test_an_import_takes_no_longer_than_numpy_s():
    program = "import time; a = time.process_time(); import {}; print(time.process_time() - a)"
    best = {name: min(float(run(program.format(name)).stdout) for _ in range(3)) for name in ("quartic", "numpy")}
    assert best["quartic"] < best["numpy"]


def test_nothing_of_cuda_is_loaded():
    program = "import quartic as qt; qt.Batch(qt.reduce(*qt.make_beam(4), modes=2, rank=2)).step(0.01); " \
        "print([line for line in open('/proc/self/maps') if 'cuda' in line])"
    done = run(program)
    assert done.stdout == "[]\n", done.stdout + done.stderr
