"""`make deb`: Strada as a package of Debian's, with all that pip needs in it, so that installing it needs no network.

python systemd/deb/build.py --out build --architecture arm64 --key releases.pem

The package has the program's sources and the locked wheels, for both suites (bookworm has Python 3.11, trixie 3.13).
postinst hands them to systemd/install.sh, which makes the environment as from a checkout. With --key, an Ed25519
key of openssl's (`openssl genpkey -algorithm ed25519 -out releases.pem`), the package is signed for `strada update`.
The key's public half is printed then, for the settings ([updates] key).
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from packaging.markers import Marker

from companion.updates.release import ARCHITECTURES, Release, named, signed

ROOT = Path(__file__).resolve().parents[2]

#: The Pythons of bookworm and trixie, and what wheels call Debian's processors. bookworm's C library is 2.36.
PYTHONS, MACHINES, GLIBC = ("3.11", "3.13"), {"amd64": "x86_64", "arm64": "aarch64"}, range(5, 37)

#: Where the sources are in the package, and the scripts of dpkg's.
PLACE, SCRIPTS = "usr/lib/strada", ("postinst", "prerm", "postrm")

DEPENDS = "avahi-daemon, ca-certificates, python3 (>= 3.11), python3-numpy, python3-venv"
RECOMMENDS = "dnsmasq-base, iw, libcamera-ipa, python3-lgpio, python3-picamera2"

_LOCKED = re.compile(r"^([^\s;#]+)(?: ; ([^\\\n]+?))?((?: \\\n\s+--hash=\S+)+)$", re.MULTILINE)


def built(out: Path, architecture: str, root: Path = ROOT) -> Path:
    """Build the package of the checkout as it is in git and on the disk; return its file."""
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="strada-deb-") as place:
        tree = Path(place)
        _copy_sources(root, tree / PLACE)
        for python in PYTHONS:
            _download(root, tree / PLACE / "wheels", python, architecture)
        (tree / "DEBIAN").mkdir()
        for script in SCRIPTS:
            (tree / "DEBIAN" / script).write_bytes((root / "systemd/deb" / script).read_bytes())
            (tree / "DEBIAN" / script).chmod(0o755)
        (tree / "DEBIAN" / "control").write_text(_control(version, architecture, tree), "utf-8")
        deb = out / f"strada_{version}_{architecture}.deb"
        # Wheels are packed already: little is won by packing them harder.
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", str(tree), str(deb)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return deb


def sign(deb: Path, key: Ed25519PrivateKey) -> Path:
    """Sign the package; return the signature's file, beside it."""
    content = deb.read_bytes()
    _, version, architecture = deb.stem.split("_")
    signature = deb.with_name(f"{deb.name}.sig")
    signature.write_bytes(
        signed(Release(version, architecture, len(content), hashlib.sha256(content).hexdigest()), key)
    )
    return signature


def requirements(lock: str, python: str, machine: str) -> Iterator[str]:
    """Yield what of the lock that Python needs on that processor, each with its hashes."""
    environment = {
        **{"python_version": python, "python_full_version": f"{python}.0", "platform_machine": machine},
        **{"platform_python_implementation": "CPython", "implementation_name": "cpython"},
        **{"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux"},
    }
    for each in _LOCKED.finditer(lock):
        if each[2] is None or Marker(each[2]).evaluate(environment):
            yield f"{each[1]}{each[3]}"


def _copy_sources(root: Path, to: Path) -> None:
    """Copy what the installer takes, and what git knows of it."""
    (sources,) = re.findall(r"^SOURCES=\((.*)\)$", (root / "systemd/install.sh").read_text("utf-8"), re.MULTILINE)
    listed = ["git", "-C", str(root), "ls-files", "-z", "--", *sources.split(), ":(glob)docs/*.md"]
    names = subprocess.run(listed, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((root / name).read_bytes())
        target.chmod(0o755 if name.endswith(".sh") else 0o644)


def _download(root: Path, to: Path, python: str, architecture: str) -> None:
    """Download the locked wheels for that Python and processor; pip checks their hashes."""
    machine = MACHINES[architecture]
    to.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        lock = (root / "systemd/requirements.lock").read_text("utf-8")
        file.write("\n".join(requirements(lock, python, machine)) + "\n")
        file.flush()
        platforms = [f"--platform=manylinux_2_{minor}_{machine}" for minor in GLIBC]
        platforms += [f"--platform={name}_{machine}" for name in ("manylinux2014", "linux")]
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        pip += ["--require-hashes", "--only-binary=:all:", f"--python-version={python}", *platforms]
        subprocess.run([*pip, f"--dest={to}", f"--requirement={file.name}"], check=True)


def _control(version: str, architecture: str, tree: Path) -> str:
    size_kb = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file()) // 1024
    return (
        f"Package: strada\nVersion: {version}\nArchitecture: {architecture}\nSection: games\nPriority: optional\n"
        f"Maintainer: the founders of Strada <strada@localhost>\nInstalled-Size: {size_kb}\n"
        f"Depends: {DEPENDS}\nRecommends: {RECOMMENDS}\n"
        "Description: companion at the table for the board game La Strada\n"
        " A camera hangs over the board. Strada sees the roads that you lay, referees each\n"
        " turn, and shows the score on phones.\n"
    )


def _secret(path: Path) -> Ed25519PrivateKey:
    key = load_pem_private_key(path.read_bytes(), None)
    if not isinstance(key, Ed25519PrivateKey):
        sys.exit(f"strada: {path} is not an Ed25519 key; openssl genpkey -algorithm ed25519 makes one")
    return key


def main() -> None:
    """Build and sign; print the files, and the public key."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build")
    parser.add_argument("--architecture", choices=ARCHITECTURES)
    parser.add_argument("--key", type=Path, help="the secret key that signs, in PEM")
    arguments = parser.parse_args()
    own = ["dpkg", "--print-architecture"]
    architecture = (
        arguments.architecture or subprocess.run(own, capture_output=True, text=True, check=True).stdout.strip()
    )
    key = None if arguments.key is None else _secret(arguments.key)
    deb = built(arguments.out, architecture)
    print(f"{deb}: {deb.stat().st_size / 1024**2:.0f} MB")
    if key is not None:
        print(f"{sign(deb, key)}: signed; [updates] key = {named(key.public_key())!r}".replace("'", '"'))


if __name__ == "__main__":
    main()
