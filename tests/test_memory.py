"""The threads of the pages share their heaps, as glibc itself counts them (malloc_info(3))."""

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

needs_glibc = pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="this is no glibc")


def heaps(tmp_path: Path, how: str) -> int:
    out = tmp_path / how
    subprocess.run([sys.executable, "-c", THREADS, str(out), how], check=True, timeout=60)
    return out.read_text().count("<heap nr=")


@needs_glibc
def test_threads_share_two_heaps_where_each_would_have_its_own(tmp_path: Path) -> None:
    assert heaps(tmp_path, "few") <= ARENAS < heaps(tmp_path, "many")
