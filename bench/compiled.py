"""The compiled wheel (setup.py), built and unpacked under build/: for the bench, and for tests by .ci/run.

python -m bench.compiled    (builds it anew, says how that went; PYTHONPATH=build/compiled puts it first then)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: A cold build takes a minute or two on two cores.
TIME_LIMIT_S = 900


def compiled_folder(root: Path = ROOT) -> tuple[Path | None, str]:
    """Return the folder of the unpacked wheel, to be put first in the path, and how that went; None: there is none."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        return None, f"no C compiler ({compiler}) is here, so nothing was compiled"
    began_s = time.perf_counter()
    wheels, unpacked = root / "build" / "wheel", root / "build" / "compiled"
    # What setuptools keeps of an earlier build could hold modules that are no more.
    for folder in (wheels, unpacked, *(root / "build").glob("lib*")):
        shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "-w",
            wheels,
            ".",
        ],
        cwd=root,
        env={**os.environ, "STRADA_COMPILE": "1"},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    if done.returncode:
        return None, f"the compiled wheel could not be built: {done.stderr.strip() or done.stdout.strip()}"
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    took_s = time.perf_counter() - began_s
    return unpacked, f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, was built in {took_s:.0f} s"


if __name__ == "__main__":
    made, told = compiled_folder()
    print(told)
    sys.exit(made is None)
