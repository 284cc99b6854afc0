"""A fresh Debian system in a folder: made by debootstrap, commands run in it, booted with its own systemd.

It needs root, debootstrap and systemd-nspawn; for a processor other than this machine's also qemu's programs, which the
kernel calls (binfmt_misc). Debian's packages come from its archive, Python's from where this machine's pip gets them.
Once booted, a system has no network but its own loopback.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: What Raspberry Pi OS has in any case, and the smallest Debian does not: systemd itself.
INCLUDED = ("systemd-sysv", "dbus")

#: How long making a system may take, booting, going down, and a command in it, in seconds; and how many times as long
#: all of that may take if the processor is emulated.
MAKING_S, BOOTING_S, GOING_DOWN_S, COMMAND_S, EMULATED = 1200.0, 180.0, 30.0, 900.0, 6.0
#: What Debian calls the processor of a 64-bit Raspberry Pi, and where the kernel is told what runs its programs.
ARM64 = "arm64"
_EMULATOR = Path("/proc/sys/fs/binfmt_misc/qemu-aarch64")

#: A service's settings where the processor is emulated; and those with which it sees the same files as everybody.
_SLOWLY = ("TimeoutStartSec=900", "WatchdogSec=180", "TimeoutStopSec=90")
_SEEING_ALL = (
    *("InaccessiblePaths=", "PrivateMounts=no", "PrivateTmp=no", "ProtectControlGroups=no", "ProtectHome=no"),
    *("ProtectKernelLogs=no", "ProtectKernelModules=no", "ProtectKernelTunables=no", "ProtectProc=default"),
    "ProtectSystem=no",
)

#: The same as in systemd/80-strada.conf.
_PORTS = "net.ipv4.ip_unprivileged_port_start=80"

#: A program that sends a request inside the system, which has a network of its own.
_ASK = (
    "import sys, urllib.request as u; "
    "r = u.Request(sys.argv[1], sys.argv[2].encode() or None, dict(p.split('=', 1) for p in sys.argv[3:])); "
    "sys.stdout.buffer.write(u.urlopen(r, timeout=10).read())"
)

#: The parts of this machine's environment that pip and apt need to reach their archives.
_PASSED = ("http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL", "PIP_TRUSTED_HOST", "PIP_DEFAULT_TIMEOUT")

#: Where a system that has no certificates of its own yet sees this machine's.
_CERTIFICATES = "/etc/ssl/bench.crt"


def is_emulated(architecture: str) -> bool:
    """Whether a system of that architecture (Debian's word; "": this machine's) runs by emulation here."""
    return architecture == ARM64 and os.uname().machine != "aarch64"


def missing_here(architecture: str = "") -> str:
    """Say in a sentence what this machine lacks to make systems of that architecture; "" if nothing is missing."""
    tools = {"debootstrap": "debootstrap", "systemd-nspawn": "systemd-container", "nsenter": "util-linux"}
    lacking = [package for tool, package in tools.items() if shutil.which(tool) is None]
    if lacking:
        return f"{' and '.join(lacking)} is not installed: sudo apt install {' '.join(lacking)}"
    if is_emulated(architecture) and not _EMULATOR.exists():
        return "this kernel runs no arm64 programs: sudo apt install qemu-user-static binfmt-support"
    return "" if os.geteuid() == 0 else "systems are made by root alone: run it with sudo"


@dataclass
class Found:
    """The result of one suite: seconds by step, figures, and a sentence for each thing that is not as it should be."""

    suite: str
    seconds: dict[str, float] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure the work inside `with`, and print it."""
        began_s = time.monotonic()
        yield
        self.took(name, time.monotonic() - began_s)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Note what breaks off the work inside `with`, so that the figures of this suite and of others are not lost."""
        try:
            yield
        except (subprocess.SubprocessError, OSError, RuntimeError, ValueError) as error:
            self.expect(False, f"it broke off: {error}")

    def took(self, name: str, seconds: float) -> None:
        """Note how long a step took, and print it."""
        self.seconds[name] = round(seconds, 1)
        print(f"{self.suite}: {name}: {seconds:.1f} s", flush=True)

    def expect(self, holds: bool, sentence: str) -> None:
        """Note the sentence if it does not hold."""
        if not holds:
            self.wrong.append(sentence)
            print(f"{self.suite}: NOT AS IT SHOULD BE: {sentence}", flush=True)

    def show(self, text: str) -> None:
        """Print the output of a command of the system, indented."""
        for line in text.splitlines():
            print(f"    {line}", flush=True)


@dataclass(frozen=True)
class Root:
    """A Debian system in a folder; `patience` says how many times as long as usual everything may take in it."""

    folder: Path
    patience: float = 1.0

    @classmethod
    def made(cls, suite: str, folder: Path, mirror: str, architecture: str = "") -> Root:
        """Make the smallest system of that suite with systemd; raises CalledProcessError if that fails.

        `architecture` is Debian's word for its processor; "": this machine's.
        """
        patience = EMULATED if is_emulated(architecture) else 1.0
        words = [f"--arch={architecture}"] if architecture else []
        words += ["--variant=minbase", f"--include={','.join(INCLUDED)}", suite, str(folder), mirror]
        _debootstrap(words, folder, patience * MAKING_S)
        return cls(folder, patience)

    def run(self, *command: str, timeout_s: float = COMMAND_S) -> subprocess.CompletedProcess[str]:
        """Run a command in the system, which is not booted, with this machine's network."""
        shown = [f"--bind-ro={path}:{_CERTIFICATES}" for path in _certificates()]
        if Path("/etc/pip.conf").is_file():
            shown.append("--bind-ro=/etc/pip.conf")
        passed = [f"--setenv={name}={value}" for name, value in _environment().items()]
        nspawn = [*_nspawn(self.folder), "--pipe", "--resolv-conf=replace-host", *shown, *passed, "--", *command]
        patience_s = self.patience * timeout_s
        return subprocess.run(nspawn, capture_output=True, text=True, timeout=patience_s, check=False)

    @contextmanager
    def booted(self) -> Iterator[Booted]:
        """Boot the system, and wait until everything in it has started; it goes down at the end."""
        if self.patience > 1:
            self._without_credentials()
        with tempfile.TemporaryDirectory(prefix="strada-boot-") as place:
            path, console = Path(place) / "notify", Path(place) / "console"
            began_s = time.monotonic()
            with _hearing(path) as heard, console.open("wb") as log:
                command = [*_nspawn(self.folder), "--boot", "--private-network", "--notify-ready=yes", *_old_cgroups()]
                environment = {**os.environ, "NOTIFY_SOCKET": str(path)}
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
                leader = ""
                try:
                    leader = _leader(heard, console, self.patience * BOOTING_S)
                    heard.close()  # a system whose news nobody reads any more would wait for ever
                    system = Booted(leader, time.monotonic() - began_s, self.patience)
                    if system.is_emulated:
                        _set_for(leader)
                    yield system
                finally:
                    _bring_down(process, leader)

    def _without_credentials(self) -> None:
        """Keep systemd from handing credentials to services: qemu's emulation of programs knows no such call."""
        place = self.folder / "etc/systemd/system/service.d"
        place.mkdir(parents=True, exist_ok=True)
        (place / "emulated.conf").write_text("[Service]\nImportCredential=\nLoadCredential=\n", encoding="utf-8")


@dataclass(frozen=True)
class Booted:
    """A running system; `leader` is its first process, `booted_s` how long booting took, `patience` as for the root."""

    leader: str
    booted_s: float
    patience: float = 1.0

    @property
    def is_emulated(self) -> bool:
        """Whether its processor is emulated."""
        return self.patience > 1

    def run(self, *command: str, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
        """Run a command in it, as root."""
        inside = ["nsenter", "--target", self.leader, "--all", "--", "env", "-i", "HOME=/root"]
        inside.append("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        patience_s = self.patience * timeout_s
        return subprocess.run([*inside, *command], capture_output=True, text=True, timeout=patience_s, check=False)

    def starts_services(self, *properties: str) -> bool:
        """Whether its systemd starts a service that has these properties, such as `PrivateMounts=yes`.

        Under qemu 7.2 trixie's starts none. Under 10.0, if the kernel calls it with the flag O, it starts those that
        see the same files as everybody.
        """
        settings = [f"--property={each}" for each in properties]
        return self.run("systemd-run", "--quiet", "--wait", *settings, "true").returncode == 0

    def shown(self, unit: str, name: str) -> str:
        """Return a property of a unit, as `systemctl show` gives it."""
        return self.run("systemctl", "show", "--value", f"--property={name}", unit).stdout.strip()

    def runs_as(self, unit: str) -> tuple[str, int]:
        """Return the ID of a unit's process, and how often systemd has started it again by itself."""
        again = self.shown(unit, "NRestarts")
        return self.shown(unit, "MainPID"), int(again) if again.isdecimal() else 0

    def ask(self, address: str, body: str = "", **headers: str) -> str | None:
        """Return what that address answers in the system's own network, by POST if there is a body; or None."""
        pairs = [f"{name.replace('_', '-')}={value}" for name, value in headers.items()]
        done = self.run("python3", "-I", "-c", _ASK, address, body, *pairs)
        return done.stdout if done.returncode == 0 else None


def bear_with(system: Booted) -> bool:
    """Give the service of an emulated system the time that it needs to start, to live and to stop; restart it.

    Return whether services there see only the files that they are given; if not, this one runs without that.
    """
    sees_apart = system.starts_services("PrivateMounts=yes")
    settings = (*_SLOWLY, *(() if sees_apart else _SEEING_ALL))
    place, lines = "/run/systemd/system/strada.service.d", "\n".join(("[Service]", *settings))
    system.run("mkdir", "-p", place)
    system.run("sh", "-c", f"printf '{lines}\n' >{place}/emulated.conf")
    system.run("systemctl", "daemon-reload")
    system.run("systemctl", "reset-failed")
    system.run("systemctl", "restart", "strada")
    return sees_apart


def why_again(before: tuple[str, int], after: tuple[str, int]) -> str:
    """Say why another process runs than before, from two results of `runs_as`; "" if it is the same one.

    systemd counts only its own restarts: after the process ended, or after a hang, which a busy machine may cause too.

    >>> why_again(("7", 2), ("7", 2)), why_again(("7", 2), ("9", 3)), why_again(("7", 2), ("9", 2))
    ('', 'it ended or hung by itself', 'somebody started it again')
    """
    if before[0] == after[0]:
        return ""
    return "it ended or hung by itself" if after[1] > before[1] else "somebody started it again"


def _debootstrap(words: list[str], folder: Path, patience_s: float) -> None:
    """Run debootstrap; if it is broken off, end whatever it started, and leave nothing mounted in the folder.

    Otherwise these programs would go on in a folder that is being deleted, with the kernel's own files in it.
    """
    command = ["debootstrap", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, process_group=0) as process:
        try:
            status = process.wait(patience_s)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()]
            for place in sorted((each for each in mounts if each.startswith(f"{folder}/")), reverse=True):
                subprocess.run(["umount", "--lazy", place], check=False, timeout=60)
            raise
    if status:
        raise subprocess.CalledProcessError(status, command)


def _hearing(path: Path) -> socket.socket:
    """Return the socket on which nspawn reports how the system is doing."""
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(str(path))
    return heard


def _nspawn(folder: Path) -> list[str]:
    return ["systemd-nspawn", "--quiet", f"--directory={folder}", "--register=no", "--keep-unit"]


def _environment() -> dict[str, str]:
    """Return the environment for systems: where the archives are, and by which certificates they are known."""
    names = {name for each in _PASSED for name in (each, each.upper())}
    passed = {name: os.environ[name] for name in sorted(names) if os.environ.get(name)}
    return {**passed, **({"PIP_CERT": _CERTIFICATES} if _certificates() else {})}


def _certificates() -> list[Path]:
    """Return the certificates that this machine's pip is told to trust, one file or none."""
    named = (os.environ.get(name, "") for name in ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"))
    return [Path(path) for path in named if path and Path(path).is_file()][:1]


def _old_cgroups() -> list[str]:
    """Return what lets a new systemd run under an old kernel's or host's control groups; nothing if they are new."""
    if Path("/sys/fs/cgroup/cgroup.controllers").exists():
        return []
    return ["systemd.unified_cgroup_hierarchy=0", "SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"]


def _set_for(leader: str) -> None:
    """Set from outside the kernel's network settings that Strada's file in /etc/sysctl.d has.

    systemd hands credentials to its own services by a call that qemu's emulation of programs does not know (EINVAL), so
    systemd-sysctl does not start there.
    """
    command = ["nsenter", "--target", leader, "--net", "sysctl", "--quiet", "--write", _PORTS]
    subprocess.run(command, check=True, timeout=60)


def _bring_down(process: subprocess.Popen[bytes], leader: str) -> None:
    """Shut the system down; if it does not go down, kill it, with all that runs in it."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(GOING_DOWN_S)
    if leader:
        with suppress(ProcessLookupError):
            os.kill(int(leader), signal.SIGKILL)
    process.kill()
    process.wait()


def _leader(heard: socket.socket, console: Path, patience_s: float) -> str:
    """Return the ID of the system's first process once everything has started; raises RuntimeError if it does not."""
    leader, until_s = "", time.monotonic() + patience_s
    heard.settimeout(patience_s)
    while time.monotonic() < until_s:
        try:
            said = dict(line.partition("=")[::2] for line in heard.recv(4096).decode().splitlines())
        except TimeoutError:
            break
        leader = said.get("X_NSPAWN_LEADER_PID", leader)
        if said.get("READY") == "1":
            return leader
    last = console.read_text(encoding="utf-8", errors="replace").splitlines()[-1:]
    raise RuntimeError(f"the system did not boot within {patience_s:g} s; it said last {last}")
