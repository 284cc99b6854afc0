"""Threads share their heaps, as glibc counts them (malloc_info(3)); memory for pictures goes back to the system."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from companion.wiring.machine import ARENAS

THREADS = """
import ctypes, sys, threading
from companion.wiring.machine import keep_little

if sys.argv[2] == "little":
    keep_little()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
held, gate = [], threading.Barrier(9)
def hold():
    held.append(libc.malloc(1000))
    gate.wait(30)
    gate.wait(30)
threads = [threading.Thread(target=hold) for _ in range(8)]
for thread in threads:
    thread.start()
gate.wait(30)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
gate.wait(30)
"""

#: Pictures come and go, and each leaves something small behind that keeps the heap below it from being given back.
PICTURES = """
import ctypes, os, sys
from pathlib import Path
from companion.wiring.machine import keep_little

if sys.argv[1] == "little":
    keep_little()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
def megabytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 10**6
libc.free(libc.malloc(30_000_000))
before = megabytes()
blocks = [libc.malloc(size) for _ in range(30) for size in (2_000_000, 100_000)]
for block in blocks[::2]:
    ctypes.memset(block, 1, 2_000_000)
for block in blocks[::2]:
    libc.free(block)
print(megabytes() - before)
"""

needs_glibc = pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="this is no glibc")


def heaps(tmp_path: Path, how: str) -> int:
    out = tmp_path / how
    subprocess.run([sys.executable, "-c", THREADS, str(out), how], check=True, timeout=60)
    return out.read_text().count("<heap nr=")


@pytest.mark.long
@needs_glibc
def test_threads_share_two_heaps_where_each_would_have_its_own(tmp_path: Path) -> None:
    assert heaps(tmp_path, "little") <= ARENAS < heaps(tmp_path, "many")


@pytest.mark.long
@needs_glibc
def test_what_pictures_took_goes_back_to_the_system_where_the_heap_would_keep_it() -> None:
    assert kept_mb("little") < 10
    assert kept_mb("as it comes") > 40


def kept_mb(how: str) -> int:
    done = subprocess.run([sys.executable, "-c", PICTURES, how], check=True, timeout=60, capture_output=True, text=True)
    return int(done.stdout)
