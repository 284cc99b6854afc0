"""The threads of the pages share their heaps, as glibc counts them (malloc_info(3)), and what is free is given back."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from companion.wiring.memory import ARENAS

THREADS = """
import ctypes, sys, threading
from companion.wiring.memory import few_arenas

if sys.argv[2] == "few":
    few_arenas()
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

#: A heap of 60 MB of which nothing is used any more but its last block, which holds up all beneath it.
HOLES = """
import ctypes, os
from pathlib import Path
from companion.wiring.memory import give_back

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
def megabytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 10**6
blocks = [libc.malloc(60_000) for _ in range(1000)]
for block in blocks:
    ctypes.memset(block, 1, 60_000)
for block in blocks[:-1]:
    libc.free(block)
before = megabytes()
give_back()
print(before - megabytes())
"""

needs_glibc = pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="this is no glibc")


def heaps(tmp_path: Path, how: str) -> int:
    out = tmp_path / how
    subprocess.run([sys.executable, "-c", THREADS, str(out), how], check=True, timeout=60)
    return out.read_text().count("<heap nr=")


@needs_glibc
def test_threads_share_two_heaps_where_each_would_have_its_own(tmp_path: Path) -> None:
    assert heaps(tmp_path, "few") <= ARENAS < heaps(tmp_path, "many")


@needs_glibc
def test_what_a_heap_full_of_holes_keeps_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", HOLES], check=True, timeout=60, capture_output=True, text=True)
    assert int(done.stdout) > 40
