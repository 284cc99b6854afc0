"""Compiles the referee with mypyc where that is asked for: `STRADA_COMPILE=1 pip wheel --no-deps .`; else does nothing.

As the builds of mypy and black do. All else stands in pyproject.toml; that mypy is there, builder/backend.py sees to.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import setup

#: The rules, and those values of the board that they reckon with. No more: a compiled class takes only what its types
#: say, and boards and readings are made of what files hold, which they check for themselves.
COMPILED = [
    *sorted(map(str, Path("companion/games/la_strada").glob("*.py"))),
    "companion/games/contract.py",
    "companion/board/bitboard.py",
    "companion/board/components.py",
]

modules = []
# An editable install is never compiled: a compiled module would hide its source, which changes.
if os.environ.get("STRADA_COMPILE") == "1" and "bdist_wheel" in sys.argv:
    from mypyc.build import mypycify

    modules = mypycify(["--strict", *COMPILED], opt_level="3", debug_level="0", target_dir="build/mypyc")

setup(ext_modules=modules)
