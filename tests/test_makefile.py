"""What the two commands install: running needs no linter, no browser driver and no tests."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def planned(target: str, venv: Path) -> str:
    """Return what `make` would do on a machine on which nothing is installed yet."""
    words = ["make", "--no-print-directory", "--dry-run", target, f"VENV={venv}"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout


@pytest.mark.parametrize("target", ["run", "test", "test-long", "check"])
def test_running_installs_no_more_than_it_needs_and_testing_the_rest(target: str, tmp_path: Path) -> None:
    said = planned(target, tmp_path / "venv")
    assert "-e .\n" in said
    assert ("'.[dev,hub]'" in said) is (target != "run")


def test_a_hub_takes_its_own_packages_and_no_tests(tmp_path: Path) -> None:
    said = planned("hub", tmp_path / "venv")
    assert "'.[hub]'" in said
    assert "dev" not in said.replace("/dev/null", "").replace(str(tmp_path), "")
    assert said.strip().endswith("strada hub --drawn 3")


def test_what_is_installed_is_not_installed_again(tmp_path: Path) -> None:
    for stamp in (".installed", ".dev-installed"):
        (tmp_path / stamp).touch()
    assert "pip install" not in planned("test", tmp_path)
    (tmp_path / ".dev-installed").unlink()
    assert "pip install" not in planned("run", tmp_path)
    assert "'.[dev,hub]'" in planned("test", tmp_path)
