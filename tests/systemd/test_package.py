"""The Debian package: what is in it, what dpkg runs, and that pip finds all that is locked."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.updates.release import ARCHITECTURES, named, verified
from tests.systemd.test_install import INSTALLER, ROOT, in_bash
from tests.systemd.test_program import checkout, hash_of, locked, wheel
from tests.systemd.units import loaded

__all__ = ["checkout"]

FOLDER = ROOT / "systemd/deb"
LOCK = (ROOT / "systemd" / "requirements.lock").read_text()

build = loaded(FOLDER / "build.py")

needs_dpkg = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not there: this is not Debian")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("python", build.PYTHONS)
def test_each_python_gets_each_locked_package_once_with_its_hashes(python: str, architecture: str) -> None:
    wanted = list(build.requirements(LOCK, python, build.MACHINES[architecture]))
    names = [each.split("==")[0] for each in wanted]
    locked = set(re.findall(r"^([\w.-]+)==", LOCK, re.MULTILINE))
    assert (len(names), set(names)) == (len(locked), locked), "every package of the lock is for Linux and CPython"
    assert all("--hash=sha256:" in each for each in wanted)
    (opencv,) = (each for each in wanted if each.startswith("opencv"))
    assert opencv.startswith("opencv-python-headless==4.11.") == (python == "3.11")


@needs_dpkg
def test_a_package_has_what_the_installer_takes_and_is_signed_as_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_download", lambda root, to, *_: (to.mkdir(exist_ok=True), wheel(to, "needed", "")))
    key = Ed25519PrivateKey.generate()
    package = build.built(tmp_path / "out", "arm64")
    release = verified(build.sign(package, key).read_bytes(), named(key.public_key()))
    assert (release.name, release.size) == (package.name, package.stat().st_size)
    subprocess.run(["dpkg-deb", "--raw-extract", package, tmp_path / "tree"], check=True)
    inside = tmp_path / "tree" / build.PLACE
    assert in_bash(tmp_path, f"check_sources {inside}").returncode == 0
    assert [path.name for path in (inside / "wheels").iterdir()] == ["needed-1.0-py3-none-any.whl"]
    assert (inside / "docs" / "threats.md").is_file()
    assert not (inside / "tests").exists()
    assert (inside / "systemd" / "install.sh").stat().st_mode & 0o777 == 0o755
    for script in build.SCRIPTS:
        assert (tmp_path / "tree" / "DEBIAN" / script).stat().st_mode & 0o111


@pytest.mark.long
def test_what_a_package_brings_is_installed_without_asking_anybody(checkout: Path) -> None:
    """The index does not answer, so asking it fails."""
    wheels = checkout / "wheels"
    wheels.mkdir()
    needed = (checkout.parent / "needed-1.0-py3-none-any.whl").rename(wheels / "needed-1.0-py3-none-any.whl")
    done = locked(checkout, hash_of(needed), "PIP_INDEX_URL=http://127.0.0.1:1/ PIP_RETRIES=0", str(wheels))
    assert done.returncode == 0, done.stdout
    assert {path.name for path in (checkout.parent / "installed").glob("*.py")} == {"needed.py", "tried.py"}


# What dpkg runs.


def told(folder: Path, script: str, argument: str, ends: int = 0) -> tuple[int, str]:
    """Run one of the package's scripts with an installer that ends so; return its status and what the installer got."""
    installer = folder / "install.sh"
    installer.write_text(f'#!/bin/sh\necho "told $*" >>{folder}/told\nexit {ends}\n')
    installer.chmod(0o755)
    text = (FOLDER / script).read_text().replace("/usr/lib/strada/systemd/install.sh", str(installer))
    (folder / "script").write_text(text)
    done = subprocess.run(["sh", folder / "script", argument], capture_output=True, text=True, timeout=60, check=False)
    heard = folder / "told"
    return done.returncode, heard.read_text() if heard.exists() else ""


@pytest.mark.parametrize(("ends", "status"), [(0, 0), (3, 0), (1, 1), (2, 2)])
def test_a_version_that_was_taken_back_breaks_no_package_and_all_else_is_told(
    tmp_path: Path, ends: int, status: int
) -> None:
    assert told(tmp_path, "postinst", "configure", ends) == (status, "told \n")
    assert 'fail "the new version was taken back: $taken_back" 3' in INSTALLER.read_text()


def test_an_update_removes_nothing_and_a_removal_leaves_the_games(tmp_path: Path) -> None:
    assert told(tmp_path, "prerm", "upgrade") == (0, "")
    assert told(tmp_path, "prerm", "remove") == (0, "told --remove\n")
    assert "rm " not in (FOLDER / "postrm").read_text()


def test_under_dpkg_nobody_asks_apt(tmp_path: Path) -> None:
    script = "is_installed() { false; }; apt-get() { echo asked; }; DPKG_MAINTSCRIPT_PACKAGE=strada; install_packages"
    assert in_bash(tmp_path, script).stdout == "packages:  are those that Strada's own package names\n"
    packages = re.findall(r"^PACKAGES=\((.*)\)$", INSTALLER.read_text(), re.MULTILINE)[0].split()
    assert set(packages) <= {each.split(" ")[0] for each in build.DEPENDS.split(", ")}
