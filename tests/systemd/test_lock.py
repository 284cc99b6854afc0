"""What root's pip installs is locked: each dependency, for each suite and processor, by its hashes; and its list."""

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "systemd"
LOCK = FOLDER / "requirements.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
BILL = json.loads((FOLDER / "sbom.cdx.json").read_text())

#: Suite -> its Python.
SUITES = {"bookworm": "3.11.2", "trixie": "3.13.5"}
#: This comes from apt in each suite, and is never locked.
BY_APT = "numpy"

on_each_machine = pytest.mark.parametrize(
    "machine",
    [
        {"python_version": python[:4], "python_full_version": python, "platform_machine": processor,
         "sys_platform": "linux", "platform_system": "Linux", "implementation_name": "cpython", "extra": ""}
        for python in SUITES.values()
        for processor in ("x86_64", "aarch64")
    ],
    ids=lambda machine: f"{machine['python_version']}-{machine['platform_machine']}",
)  # fmt: skip


@dataclass(frozen=True)
class Pin:
    """A line of the lock."""

    requirement: Requirement
    hashes: frozenset[str]

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        (clause,) = self.requirement.specifier
        assert clause.operator == "=="
        assert "*" not in clause.version
        return clause.version


def pins_of(text: str) -> list[Pin]:
    lines = re.sub(r"^ *#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    split = [line.split(" --hash=") for line in lines if line.strip()]
    return [Pin(Requirement(what), frozenset(each.strip() for each in hashes)) for what, *hashes in split]


PINS = pins_of(LOCK.read_text())


def asked() -> list[Requirement]:
    """Return what running and building need, by pyproject.toml and requirements.in."""
    lines = (FOLDER / "requirements.in").read_text().splitlines()
    more = [line for line in lines if line and not line.startswith("#")]
    return [Requirement(each) for each in (*needed(), *PROJECT["build-system"]["requires"], *more)]


def needed() -> list[str]:
    return list(PROJECT["project"]["dependencies"])


def applies(requirement: Requirement, machine: dict[str, str]) -> bool:
    return requirement.marker is None or requirement.marker.evaluate(machine)


@on_each_machine
def test_each_dependency_is_locked_once_and_within_its_range(machine: dict[str, str]) -> None:
    pins = [pin for pin in PINS if applies(pin.requirement, machine)]
    locked = {pin.name: pin.version for pin in pins}
    assert len(locked) == len(pins), "something is locked twice"
    for requirement in asked():
        name = canonicalize_name(requirement.name)
        if applies(requirement, machine) and name != BY_APT:
            assert requirement.specifier.contains(locked[name]), f"{requirement}: {locked[name]}; run make lock"


def test_every_line_is_one_version_with_hashes() -> None:
    assert len(PINS) > len(needed())
    for pin in PINS:
        assert pin.version
        assert not pin.requirement.url
        assert pin.hashes, f"{pin.name} has no hash"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in pin.hashes), pin.name


@on_each_machine
def test_the_systems_numpy_is_not_locked_and_there_is_one_for_each_suite(machine: dict[str, str]) -> None:
    assert BY_APT not in {pin.name for pin in PINS}
    assert "python3-numpy" in (FOLDER / "install.sh").read_text()
    ours = [each for each in asked() if each.name == BY_APT and applies(each, machine)]
    (exact,) = (str(each.specifier)[2:] for each in ours if str(each.specifier).startswith("=="))
    assert all(each.specifier.contains(exact) for each in ours)


def test_a_line_without_a_hash_or_out_of_range_is_noticed() -> None:
    (pin,) = pins_of("flask==2.0 ; python_version < '3.12'\n    # via strada\n")
    assert (pin.name, pin.version, pin.hashes) == ("flask", "2.0", frozenset())
    (flask,) = (each for each in asked() if each.name == "flask")
    assert not flask.specifier.contains(pin.version)


def test_the_bill_of_materials_lists_what_is_locked_and_nothing_else() -> None:
    assert BILL["bomFormat"] == "CycloneDX"
    listed = {
        (canonicalize_name(part["name"]), part["version"], frozenset(hashes_of(part)))
        for part in BILL["components"]
    }  # fmt: skip
    assert listed == {(pin.name, pin.version, pin.hashes) for pin in PINS}, "run make lock"
    assert {part["purl"] for part in BILL["components"]} == {f"pkg:pypi/{pin.name}@{pin.version}" for pin in PINS}


def hashes_of(part: dict[str, list[dict[str, list[dict[str, str]]]]]) -> list[str]:
    return [
        f"{each['alg'].lower().replace('-', '')}:{each['content']}"
        for reference in part["externalReferences"]
        for each in reference["hashes"]
    ]


def test_the_bill_of_materials_is_of_this_version() -> None:
    main = BILL["metadata"]["component"]
    assert (main["name"], main["version"]) == (PROJECT["project"]["name"], PROJECT["project"]["version"])


@pytest.mark.long
@pytest.mark.parametrize("lock", [LOCK, FOLDER / "requirements-hub.lock"], ids=lambda lock: lock.stem)
@pytest.mark.parametrize("python", [python[:4] for python in SUITES.values()])
def test_pip_finds_a_wheel_of_everything_for_a_64_bit_pi(python: str, lock: Path, tmp_path: Path) -> None:
    # Only from PyPI: piwheels, which Raspberry Pi OS also asks, has only wheels for 32 bits.
    words = ["--dry-run", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--python-version", python]
    # Bookworm's C library is 2.36; a wheel for an older one will do.
    platforms = [f"--platform=manylinux_2_{library}_aarch64" for library in range(36, 16, -1)]
    words += [*platforms, "--target", str(tmp_path / "none"), "--requirement", str(lock)]
    without = {**os.environ, "PIP_EXTRA_INDEX_URL": "", "PIP_RETRIES": "1", "PIP_TIMEOUT": "20"}
    command = [sys.executable, "-m", "pip", "install", "--quiet", *words]
    done = subprocess.run(command, env=without, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode and re.search(r"[Cc]onnection|resolve|timed out|unreachable", done.stderr):
        pytest.skip(f"no network: {done.stderr.strip().splitlines()[-1]:.100}")
    assert done.returncode == 0, done.stderr
