"""Our own code on a kernel's pins, and on the real picamera2: in a Debian guest, as there is no such machine here.

The guest's system is a folder: Debian trixie, gpio-sim from Debian's own kernel source, and libcamera, also from
Debian's source, whose `virtual` cameras are made to look like Raspberry Pi's modules (bench/inside/module.patch). QEMU
boots it without help from the hardware, so it boots anywhere. `--folder` keeps the system: making it takes most of the
time.

sudo python -m bench.guest --what pins camera
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.bars import Bar, told
from bench.inside.checks import MARK
from bench.roots import Root, missing_here

SUITE, MIRROR = "trixie", "http://deb.debian.org/debian"

#: How long making the system and one boot may take, in seconds: both are slow while the machine does other work.
MAKING_S, BOOT_S = 3600.0, 900.0

INSIDE = Path(__file__).parent / "inside"
CHECKOUT = INSIDE.parents[1]

QEMU = "qemu-system-x86_64"

#: The module to run in the guest, by what is asked for.
MODULES = {"pins": "bench.inside.pins", "camera": "bench.inside.camera"}


def made(folder: Path, mirror: str) -> Root:
    """Return the guest's system, making only what the folder lacks. Raises RuntimeError if that fails."""
    root = Root(folder) if (folder / "etc" / "debian_version").exists() else Root.made(SUITE, folder, mirror)
    inside = folder / "guest"
    inside.mkdir(exist_ok=True)
    for name in ("make.sh", "init.sh", "module.patch"):
        shutil.copy(INSIDE / name, inside / name)
    (inside / "init.sh").chmod(0o755)
    done = root.run("env", f"MIRROR={mirror}", "sh", "/guest/make.sh", timeout_s=MAKING_S)
    if done.returncode:
        raise RuntimeError(f"the guest's system could not be made: {(done.stdout + done.stderr)[-2000:]}")
    return root


def booted(root: Root, module: str, limit_s: float = BOOT_S) -> dict[str, Any]:
    """Boot the system to run that module; return what it found. Raises RuntimeError if it says nothing."""
    boot = root.folder / "boot"
    said = []
    with subprocess.Popen(
        ["timeout", "--kill-after=5", str(limit_s), *_qemu(root.folder, boot, module)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    ) as guest:  # fmt: skip
        assert guest.stdout is not None
        for line in guest.stdout:
            said.append(line)
            if not line.startswith(MARK):
                print(f"    {line.rstrip()}", flush=True)
    return found_in(said)


def found_in(said: list[str]) -> dict[str, Any]:
    """Return what a module in the guest found, from the console's lines; raises RuntimeError if it reported nothing."""
    for line in reversed(said):
        if line.startswith(MARK):
            return dict(json.loads(line.removeprefix(MARK)))
    raise RuntimeError(f"the guest ended without a word of what it found: {said[-5:]}")


def _qemu(folder: Path, boot: Path, module: str) -> list[str]:
    # On a busy machine the timer ticks too late for the kernel's check of it.
    root = "root=root rootfstype=9p rootflags=trans=virtio,version=9p2000.L,msize=262144,cache=loose rw"
    share = "security_model=passthrough"
    return [
        QEMU, "-accel", "tcg,thread=multi", "-cpu", "max", "-m", "2048", "-smp", "2", "-no-reboot", "-net", "none",
        "-display", "none", "-serial", "stdio", "-monitor", "none",
        "-kernel", str(max(boot.glob("vmlinuz-*"))), "-initrd", str(max(boot.glob("initrd.img-*"))),
        "-append", f"{root} console=ttyS0 quiet panic=-1 no_timer_check init=/guest/init.sh strada={module}",
        "-virtfs", f"local,path={folder},mount_tag=root,{share}",
        "-virtfs", f"local,path={CHECKOUT},mount_tag=strada,{share},readonly=on",
    ]  # fmt: skip


def _missing() -> str:
    """Say in a sentence what this machine lacks; "" if nothing is missing."""
    if shutil.which(QEMU) is None:
        return f"{QEMU} is not installed: sudo apt install qemu-system-x86"
    return missing_here()


def main() -> None:
    """Print each check, the bars, and the figures as one line of JSON; status 1 if a check does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--what", nargs="+", choices=sorted(MODULES), default=sorted(MODULES))
    parser.add_argument("--folder", type=Path, help="keep the guest's system there, and use one that is there already")
    parser.add_argument("--mirror", default=MIRROR)
    arguments = parser.parse_args()
    if missing := _missing():
        print(f"strada: {missing}", file=sys.stderr)
        sys.exit(2)
    found: dict[str, Any] = {"seconds": {}}
    with tempfile.TemporaryDirectory(prefix="strada-guest-") as place:
        began_s = time.monotonic()
        root = made(arguments.folder or Path(place) / SUITE, arguments.mirror)
        found["seconds"]["the system is made"] = round(time.monotonic() - began_s)
        for what in arguments.what:
            began_s = time.monotonic()
            found[what] = booted(root, MODULES[what])
            found["seconds"][what] = round(time.monotonic() - began_s)
    bars = [Bar(f"{what}: checks that do not hold", len(found[what]["wrong"]), 0, "checks") for what in arguments.what]
    print(json.dumps(found | {"bars": told(bars)}))
    sys.exit(0 if all(bar.holds for bar in bars) else 1)


if __name__ == "__main__":
    main()
