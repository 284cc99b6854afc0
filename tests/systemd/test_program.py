"""What is installed, from which packages, and which version runs: systemd/program.sh and starting.sh in bash."""

import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.systemd.test_install import ROOT, UNITS, calls, in_bash, printed

# What is installed, from where.


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A program that is built with nothing but itself, and the only release of what it needs, as a wheel."""
    folder = tmp_path / "checkout"
    (folder / "systemd").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["not-there"]\nbuild-backend = "builder"\nbackend-path = ["."]\n'
        '[project]\nname = "tried"\nversion = "1.0"\n'
    )
    (folder / "builder.py").write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "def build_wheel(place, *_):\n"
        "    from tests.systemd.test_program import wheel\n"
        "    return wheel(place, 'tried', '')\n"
    )
    wheel(tmp_path, "needed", "")
    return folder


def wheel(folder: Path | str, name: str, code: str) -> str:
    """Make a wheel of one module, and return its file's name."""
    path = Path(folder) / f"{name}-1.0-py3-none-any.whl"
    about = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{name}.py", code)
        file.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", "")
    return path.name


def locked(checkout: Path, hashes: str, index: str = "", wheels: str = "") -> subprocess.CompletedProcess[str]:
    """Install that program as root would, with the real pip, into a folder beside it; if that fails, it says why.

    What it needs comes from the folder beside it, unless pip is told of an index and of a folder with `wheels`.
    """
    folder = checkout.parent
    (checkout / "systemd" / "requirements.lock").write_text(f"needed==1.0 {hashes}\n")
    pip = folder / "venv" / "bin" / "pip"
    pip.parent.mkdir(parents=True)
    pip.write_text(f'#!/bin/sh\nexec {sys.executable} -m pip "$@" --target {folder / "installed"} --upgrade\n')
    pip.chmod(0o755)
    script = (
        f"export PIP_CONFIG_FILE=/dev/null {index or f'PIP_NO_INDEX=1 PIP_FIND_LINKS={folder}'}\n"
        f"install_locked {folder / 'venv'} {checkout} {wheels} || {{ cat $scratch/log; exit 1; }}"
    )
    return in_bash(folder, script)


def hash_of(path: Path) -> str:
    return f"--hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


@pytest.mark.long
def test_what_is_locked_is_installed_and_the_program_built_with_nothing_else(checkout: Path) -> None:
    done = locked(checkout, hash_of(checkout.parent / "needed-1.0-py3-none-any.whl"))
    assert done.returncode == 0, done.stdout
    assert {path.name for path in (checkout.parent / "installed").glob("*.py")} == {"needed.py", "tried.py"}


@pytest.mark.long
def test_a_package_that_was_changed_after_it_was_locked_is_refused(checkout: Path) -> None:
    hashed = hash_of(checkout.parent / "needed-1.0-py3-none-any.whl")
    wheel(checkout.parent, "needed", "changed = True")
    done = locked(checkout, hashed)
    assert done.returncode == 1
    assert "DO NOT MATCH THE HASHES" in done.stdout
    assert not (checkout.parent / "installed").exists()


@pytest.mark.long
def test_a_package_without_a_hash_is_refused(checkout: Path) -> None:
    done = locked(checkout, "")
    assert (done.returncode, "Hashes are required" in done.stdout) == (1, True), done.stdout


@pytest.mark.long
def test_a_package_that_root_would_have_to_build_is_refused_though_its_hash_is_right(checkout: Path) -> None:
    (checkout.parent / "needed-1.0-py3-none-any.whl").unlink()
    source = checkout.parent / "needed-1.0.tar.gz"
    with tarfile.open(source, "w:gz") as file:
        file.add(checkout / "pyproject.toml", "needed-1.0/pyproject.toml")
        file.add(checkout / "builder.py", "needed-1.0/builder.py")
    done = locked(checkout, hash_of(source))
    assert (done.returncode, "No matching distribution found for needed==1.0" in done.stdout) == (1, True), done.stdout


# Which version runs.

#: In place of systemd: notes what it is told, and whether the earlier program was still there.
SYSTEMCTL = """
is_booted() { true; }
systemctl() {
    echo "$* $([[ -e $PROGRAM/venv-old ]] && echo before the old program went)" >>"$scratch/calls"
    [[ $* != *is-active* ]] || "$is_active"
}
"""


def environments(folder: Path) -> dict[str, str]:
    """Return the environments that there are, and which of them `runs` and which is `former`."""
    opt = folder / "opt"
    links = {"runs": opt / ".venv", "former": opt / ".venv.former"}
    named = {what: link.readlink().name for what, link in links.items() if link.is_symlink()}
    return named | {"there": " ".join(sorted(path.name for path in opt.glob("venv-*")))}


def brought_up(folder: Path, changes: int, is_ready: bool = False) -> list[str]:
    """Return what an installer that changed that many things tells systemd; an old program is beside the new one."""
    units = folder / "units"
    units.mkdir(exist_ok=True)
    for unit in UNITS:
        (units / unit.name).write_text(unit.read_text().replace("/opt/strada", str(folder / "opt")))
    (units / "multi-user.target.wants").mkdir(exist_ok=True)
    for name in ("new", "old"):
        (folder / "opt" / f"venv-{name}").mkdir(parents=True, exist_ok=True)
    (folder / "opt" / ".venv").unlink(missing_ok=True)
    (folder / "opt" / ".venv").symlink_to(folder / "opt" / "venv-new")
    if is_ready:
        (folder / "opt" / "venv-new" / "ready").touch()
    (folder / "calls").unlink(missing_ok=True)
    printed(folder, f"{SYSTEMCTL}\nchanges={changes}\nbring_up", is_active="true")
    assert environments(folder) == {"runs": "venv-new", "there": "venv-new"}
    return calls(folder)


def test_what_runs_goes_on_with_the_new_program_before_the_old_one_is_removed(tmp_path: Path) -> None:
    told = brought_up(tmp_path, changes=3)
    before = "before the old program went"
    assert told[0] == f"daemon-reload {before}"
    assert f"restart strada.service {before}" in told
    # These are waited for: none of them may still run the program that is removed then.
    assert f"try-restart --quiet strada-network.service {before}" in told
    assert f"try-restart --quiet strada-backup.service {before}" in told
    # A copy off the machine may take hours: it begins again, and nobody waits for its end.
    assert f"try-restart --no-block strada-outside.service {before}" in told
    # The screen waits for the page, so nobody waits for the screen.
    assert f"try-restart --no-block strada-kiosk.service {before}" in told


def test_an_update_that_was_cut_off_is_brought_to_its_end(tmp_path: Path) -> None:
    told = brought_up(tmp_path, changes=0)
    assert any(line.startswith("restart strada.service") for line in told)
    again = brought_up(tmp_path, changes=0, is_ready=True)
    assert [line.split(" before")[0].strip() for line in again] == ["daemon-reload", "--quiet is-active strada.service"]


#: In place of pip: an environment whose program starts unless it is called broken; its version is the checkout's name.
MAKING = """
is_booted() { false; }
fingerprint() { basename "$1"; }
make_environment() {
    mkdir -p "$2/bin"
    printf '#!/bin/sh\ntrue\n' >"$2/bin/strada"
    chmod +x "$2/bin/strada"
}
install_names() { :; }
start() { [[ $(readlink "$PROGRAM/.venv") != */venv-broken ]] || fail "it does not start"; }
"""
UPDATE = "install_program {checkout}; install_units {checkout}; bring_up"


def version_of(folder: Path, version: str, *units: str) -> Path:
    """Make a checkout of that version, whose files say so."""
    checkout = folder / version
    (checkout / "docs").mkdir(parents=True, exist_ok=True)
    (checkout / "systemd").mkdir(exist_ok=True)
    for name in ("LICENSE", "docs/guide.md", *(f"systemd/{unit}" for unit in units)):
        (checkout / name).write_text(f"of {version}\n")
    return checkout


def updated(folder: Path, *versions: str, units: Sequence[str] = ("strada.service",)) -> dict[str, str]:
    """Install these versions with these units, one after another."""
    for version in versions:
        checkout = version_of(folder, version, *units)
        in_bash(folder, MAKING + UPDATE.format(checkout=checkout))
    return environments(folder)


def gone_back(folder: Path) -> subprocess.CompletedProcess[str]:
    if os.geteuid() != 0:
        pytest.skip("only root goes back")
    return in_bash(folder, f"{MAKING}\ngo_back")


def test_exactly_one_former_version_is_kept(tmp_path: Path) -> None:
    assert updated(tmp_path, "1") == {"runs": "venv-1", "there": "venv-1"}
    assert updated(tmp_path, "2") == {"runs": "venv-2", "former": "venv-1", "there": "venv-1 venv-2"}
    assert updated(tmp_path, "3") == {"runs": "venv-3", "former": "venv-2", "there": "venv-2 venv-3"}
    assert updated(tmp_path, "3") == {"runs": "venv-3", "former": "venv-2", "there": "venv-2 venv-3"}


def test_a_version_that_never_started_is_not_the_one_that_is_kept(tmp_path: Path) -> None:
    assert updated(tmp_path, "1", "broken")["former"] == "venv-1"
    assert updated(tmp_path, "2") == {"runs": "venv-2", "former": "venv-1", "there": "venv-1 venv-2"}


def test_one_command_goes_back_and_forth_again_with_units_and_documents(tmp_path: Path) -> None:
    updated(tmp_path, "1")
    updated(tmp_path, "2", units=["strada.service", "strada-new.service"])
    unit, new = tmp_path / "units" / "strada.service", tmp_path / "units" / "strada-new.service"
    for version, former, is_new_there in (("1", "2", False), ("2", "1", True)):
        done = gone_back(tmp_path)
        assert done.returncode == 0, done.stderr
        assert environments(tmp_path) == {
            "runs": f"venv-{version}", "former": f"venv-{former}", "there": "venv-1 venv-2",
        }  # fmt: skip
        assert unit.read_text() == f"of {version}\n"
        assert new.exists() == is_new_there
        assert (tmp_path / "opt" / "docs" / "guide.md").read_text() == f"of {version}\n"


def test_from_a_broken_version_the_one_before_is_a_command_away(tmp_path: Path) -> None:
    updated(tmp_path, "1", "broken")
    assert gone_back(tmp_path).returncode == 0
    assert environments(tmp_path)["runs"] == "venv-1"


def test_the_version_that_was_gone_back_from_is_installed_again_without_a_network(tmp_path: Path) -> None:
    updated(tmp_path, "1", "2")
    gone_back(tmp_path)
    (tmp_path / "opt" / "venv-2" / "kept").touch()
    assert updated(tmp_path, "2") == {"runs": "venv-2", "former": "venv-1", "there": "venv-1 venv-2"}
    assert (tmp_path / "opt" / "venv-2" / "kept").exists(), "it was built again"


@pytest.mark.parametrize(
    ("versions", "spoil", "said"),
    [
        (["1"], "", "there is no former version in"),
        (["1", "2"], "venv-1/bin/strada", "the former version does not start on this system"),
    ],
    ids=["the first version", "a Python that is gone"],
)
def test_where_there_is_nothing_to_go_back_to_nothing_changes(
    versions: list[str], spoil: str, said: str, tmp_path: Path
) -> None:
    before = updated(tmp_path, *versions)
    if spoil:
        (tmp_path / "opt" / spoil).write_text("#!/nowhere/python\n")
    done = gone_back(tmp_path)
    assert (done.returncode, said in done.stderr) == (1, True), done.stderr
    assert environments(tmp_path) == before
