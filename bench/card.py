"""The card for a Raspberry Pi (`make image`) booted in qemu until its scoreboard answers, unplugged, booted again.

    python -m bench.card [--image build/strada-arm64.img]

qemu has no Raspberry Pi that starts Debian's kernel and has a network, so the same root file system starts on its board
*virt*, with the card's own kernel. What a Pi's firmware does before that is not tested. The image itself is not
changed: whatever is written goes into a layer on top of it. The card is larger than the image, as a real one is.
Seconds are those of an emulated processor and mean little. The last line is JSON.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.bars import Bar, told

QEMU = "qemu-system-aarch64"
#: What is emulated: a Pi 4's processor and its smallest memory, and a card of this size.
_MACHINE, _PROCESSOR, _CORES, _MEMORY_MB, _CARD = "virt", "cortex-a72", 2, 1024, "8G"
#: How long it may take to boot under emulation; how often the scoreboard is asked for.
_PATIENCE_S, _EACH_S = 1800.0, 3.0
#: How long it runs before the plug is pulled.
_RUNS_S = 20.0
#: What the system is asked: a unit, handed over on the kernel's command line, writes the answers to the console.
_UNIT = """[Unit]
DefaultDependencies=no
After=strada.service strada-card-first-start.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'sleep 5; head -n 3 /proc/meminfo; grep root-ro /proc/mounts; df -m / /data; \\
journalctl --list-boots --no-pager; \\
systemctl --failed --plain --no-legend; cat /etc/machine-id'
StandardOutput=tty
TTYPath=/dev/console
"""


@dataclass
class Boot:
    """One boot: the time until the scoreboard answered, and what the system said about itself."""

    seconds: float
    console: str
    is_answered: bool

    def number(self, pattern: str) -> int | None:
        """Return the number that the pattern finds on the console, if any."""
        found = re.search(pattern, self.console, re.MULTILINE)
        return int(found[1]) if found else None

    @property
    def machine(self) -> str:
        """The system's machine ID; "" if it gives none."""
        found = re.search(r"^([0-9a-f]{32})\s*$", self.console, re.MULTILINE)
        return found[1] if found else ""


@dataclass
class Found:
    """What is not as it should be, a sentence each."""

    wrong: list[str] = field(default_factory=list)

    def expect(self, holds: bool, sentence: str) -> None:
        """Note the sentence if it does not hold."""
        if not holds:
            self.wrong.append(sentence)
            print(f"NOT AS IT SHOULD BE: {sentence}", flush=True)


@contextmanager
def booted(layer: Path, image: Path) -> Iterator[Boot]:
    """Boot the card with its layer, and wait until its scoreboard answers; its plug is pulled at the end."""
    port = _free_port()
    console = layer.with_suffix(".console")
    unit = base64.b64encode(_UNIT.encode()).decode()
    words = "root=LABEL=strada-system rw console=ttyAMA0 systemd.wants=card-tells.service"
    words += f" systemd.set_credential_binary=systemd.extra-unit.card-tells.service:{unit}"
    command = [QEMU, "-M", _MACHINE, "-cpu", _PROCESSOR, "-smp", str(_CORES), "-m", str(_MEMORY_MB), "-nographic"]
    command += ["-kernel", str(image.with_suffix(".vmlinuz")), "-initrd", str(image.with_suffix(".initrd"))]
    command += ["-drive", f"file={layer},if=virtio,format=qcow2", "-append", words]
    command += ["-netdev", f"user,id=net,hostfwd=tcp:127.0.0.1:{port}-:80", "-device", "virtio-net-pci,netdev=net"]
    began_s = time.monotonic()
    with console.open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            is_answered = _answers(port, process)
            seconds = time.monotonic() - began_s
            if is_answered:
                time.sleep(_RUNS_S)
            yield Boot(round(seconds, 1), console.read_text(encoding="utf-8", errors="replace"), is_answered)
        finally:
            process.kill()
            process.wait()


def _answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    until_s = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until_s and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20) as page:
                if page.status == 200 and b"Strada" in page.read():
                    return True
        except (OSError, urllib.error.URLError):
            pass
        time.sleep(_EACH_S)
    return False


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
    return port


def main() -> None:
    """Print each boot, the bars, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed: nothing is read")
    parser.add_argument("--image", type=Path, default=Path("build/strada-arm64.img"))
    parser.add_argument("--console", type=Path, help="keep what the system said there")
    options = parser.parse_args()
    if not options.image.is_file():
        print(f"strada: there is no {options.image}: make image", file=sys.stderr)
        sys.exit(2)
    if shutil.which(QEMU) is None:
        print(f"strada: {QEMU} is not installed: sudo apt install qemu-system-arm qemu-utils", file=sys.stderr)
        sys.exit(2)
    found, boots = Found(), list[Boot]()
    with tempfile.TemporaryDirectory(prefix="strada-card-") as folder:
        layer = Path(folder) / "card.qcow2"
        made = ["qemu-img", "create", "-q", "-f", "qcow2", "-b", str(options.image.resolve()), "-F", "raw"]
        subprocess.run([*made, str(layer), _CARD], check=True, timeout=60)
        for name in ("first start", "after its plug was pulled"):
            with booted(layer, options.image) as boot:
                boots.append(boot)
                print(f"{name}: {boot.seconds:g} s until the scoreboard answered", flush=True)
                found.expect(boot.is_answered, f"{name}: the scoreboard did not answer within {_PATIENCE_S:g} s")
            if options.console is not None:
                options.console.parent.mkdir(parents=True, exist_ok=True)
                with options.console.open("a", encoding="utf-8") as log:
                    log.write(f"--- {name}\n{boot.console}\n")
    figures = _judged(boots, found)
    print(json.dumps({**figures, "wrong": found.wrong, "bars": told([Bar("wrong", len(found.wrong), 0, "things")])}))


def _used_mb(boot: Boot) -> int | None:
    """Return how many MB of the kernel's memory are no longer available."""
    total, available = (boot.number(rf"{name}: +(\d+) kB") for name in ("MemTotal", "MemAvailable"))
    return None if total is None or available is None else (total - available) // 1024


def _judged(boots: list[Boot], found: Found) -> dict[str, object]:
    """Note what is wrong with what the systems said, and return the figures."""
    first, second = boots
    for boot in boots:
        found.expect(re.search(r"^overlayroot ", boot.console, re.MULTILINE) is not None, "its root has no overlay")
    grown = first.number(r"^\S+ +(\d+) +\d+ +\d+ +\d+% /data\s*$")
    found.expect(grown is not None and grown > 4000, f"the data have {grown} MB of a card of {_CARD}")
    found.expect(
        bool(first.machine) and first.machine == second.machine, "it is another machine after its second start"
    )
    kept = len(re.findall(r"^ *-?\d+ [0-9a-f]{32} ", second.console, re.MULTILINE))
    found.expect(kept == 2, f"its journal knows {kept} starts, and not 2")
    failed = [
        line for boot in boots for line in re.findall(r"^\W*(\S+\.(?:service|mount)) .*failed", boot.console, re.M)
    ]
    found.expect(not failed, f"failed: {', '.join(failed)}")
    return {
        "first_start_s": first.seconds,
        "second_start_s": second.seconds,
        "memory_used_mb": _used_mb(second),
        "memory_mb": _MEMORY_MB,
        "data_mb": grown,
    }


if __name__ == "__main__":
    main()
