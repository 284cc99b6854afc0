"""Setuptools' build backend, which also asks for mypy where STRADA_COMPILE=1 compiles with mypyc (setup.py).

The way that setuptools documents for what a build needs only sometimes: "Dynamic build dependencies and other
build_meta tweaks", https://setuptools.pypa.io/en/latest/build_meta.html.
"""

from __future__ import annotations

import os
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403  the other hooks are setuptools' own

#: As in the extra `dev` of pyproject.toml.
_MYPY = "mypy>=2.0,<3"


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what a wheel's build needs beyond pyproject.toml."""
    needed: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    return [*needed, _MYPY] if os.environ.get("STRADA_COMPILE") == "1" else needed
