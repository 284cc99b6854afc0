"""A new version on trial: it stays after a good minute, otherwise all is as before (trial.sh, healthy.py)."""

import http.server
import json
import os
import subprocess
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.systemd.test_install import FOLDER, calls, in_bash, printed
from tests.systemd.test_program import environments, version_of
from tests.systemd.units import loaded

healthy = loaded(FOLDER / "healthy.py")

WELL = {"ok": True, "mode": "live", "loop": "runs", "camera": "ok", "logbook": "ok", "version": "2"}
BLIND = WELL | {"ok": False, "camera": "lost"}
UNWRITTEN = WELL | {"ok": False, "logbook": "full"}

# What it must answer.


@pytest.mark.parametrize(
    ("now", "before", "said"),
    [
        (WELL, WELL, ""),
        (WELL, None, ""),
        (None, WELL, "it does not answer"),
        (BLIND, WELL, "it is not well (camera lost)"),
        (BLIND, BLIND, ""),
        (UNWRITTEN, WELL, "it is not well (logbook full)"),
        (UNWRITTEN, BLIND, "it is not well (logbook full)"),
        (WELL | {"ok": False, "loop": "starts"}, WELL, "it is not well (loop starts)"),
        (WELL | {"mode": "safe", "camera": None}, WELL, "it leaves out camera and pins"),
        (WELL | {"mode": "safe", "camera": None}, WELL | {"mode": "safe", "camera": None}, ""),
        ({"ok": False, "mode": "asks", "loop": "starts"}, {"ok": False, "mode": "asks", "loop": "starts"}, ""),
        ({"ok": False, "mode": "asks", "loop": "starts"}, WELL, "it does not know its table any more"),
        ({}, WELL, "it is not well (it does not say why)"),
    ],
)
def test_it_must_be_well_or_no_worse_than_the_version_before(now: Any, before: Any, said: str) -> None:
    assert healthy.wrong(now, before) == said


class Watched:
    """A service second by second: what it answers, and which process it is. It knows how long it was watched."""

    def __init__(self, answers: Iterable[Any], processes: Iterable[str] = ()) -> None:
        self.answers, self.processes, self.now_s = iter(answers), iter(processes), 0.0

    def said(self) -> str:
        return str(healthy.watch(WELL, self._ask, lambda: next(self.processes, "7"), lambda: self.now_s, self._sleep))

    def _ask(self) -> Any:
        return next(self.answers, WELL)

    def _sleep(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.mark.parametrize(
    ("answers", "said", "after_s"),
    [
        ([], "", healthy.WELL_S),
        ([None] * 40, "", 80 + healthy.WELL_S),
        ([*[WELL] * 20, BLIND], "", 42 + healthy.WELL_S),
        ([UNWRITTEN] * 1000, "it is not well (logbook full)", healthy.PATIENCE_S),
    ],
    ids=["well at once", "well after a while", "a break begins the minute anew", "never well"],
)
def test_it_stays_after_a_good_minute_and_is_given_only_so_long_for_it(
    answers: list[Any], said: str, after_s: float
) -> None:
    watched = Watched(answers)
    assert watched.said() == said
    assert watched.now_s == after_s


def test_what_is_well_now_and_then_is_not_watched_for_ever() -> None:
    watched = Watched([*[WELL] * 25, None] * 100)
    assert watched.said() == "it does not answer"
    assert watched.now_s < healthy.PATIENCE_S + healthy.WELL_S


def test_a_process_that_ends_gets_no_second_chance() -> None:
    watched = Watched([], ["0", "7", "7", "8"])
    assert watched.said() == "it ended by itself"
    assert watched.now_s == 6


@pytest.mark.parametrize(
    ("settings", "host", "port"),
    [
        ('[web]\nhost = "0.0.0.0"\nport = 80\n', "127.0.0.1", 80),
        ('[web]\nhost = "::"\nport = 8080\n', "::1", 8080),
        ('[web]\nhost = "[::1]"\n', "::1", 80),
        ('[web]\nhost = "192.168.1.7"\n', "192.168.1.7", 80),
        ("damaged", "127.0.0.1", 80),
    ],
)
def test_it_is_asked_where_the_settings_say(tmp_path: Path, settings: str, host: str, port: int) -> None:
    (tmp_path / "strada.toml").write_text(settings)
    assert healthy.address(tmp_path / "strada.toml") == (host, port)


@pytest.fixture
def service() -> Iterator[tuple[int, list[bytes]]]:
    """A server that answers what is put into the list, as an unwell one does; its port, and the list."""
    says = [b""]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(503)
            self.end_headers()
            self.wfile.write(says[0])

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], says
        server.shutdown()


def test_an_answer_is_believed_only_as_far_as_it_goes(service: tuple[int, list[bytes]]) -> None:
    port, says = service
    for said, heard in ((json.dumps(BLIND).encode(), BLIND), (b"[" * 50_000, None), (b"7", None), (b"", None)):
        says[0] = said
        assert healthy.answered("127.0.0.1", port) == heard
    assert healthy.answered("127.0.0.1", 1) is None


# What happens then.

#: In place of pip, systemd and the minute: `trouble` is what is found wrong. A version has an environment of its own
#: name; "migrates" stands for a version that changes the form of the logbook.
MAKING = """
is_booted() { true; }
fingerprint() { basename "$1"; }
make_environment() {
    mkdir -p "$2/bin"
    printf '#!/bin/sh\\necho "strada, version %s"\\necho "$0 $*" >>%s/ran\\n' "${1##*/}" "$scratch" >"$2/bin/strada"
    chmod +x "$2/bin/strada"
}
runuser() { shift 3; "$@"; }
systemctl() {
    echo "$*" >>"$scratch/calls"
    [[ $* != "restart strada.service" ]] || { readlink "$PROGRAM/.venv" >>"$scratch/started"; }
    if [[ $* == "restart strada.service" && $(readlink "$PROGRAM/.venv") == */venv-migrates* ]]; then
        echo "$RANDOM$RANDOM" >"$DATA/logbook.former.new"
        mv "$DATA/logbook.former.new" "$DATA/logbook.former.sqlite"
    fi
    [[ $* != "restart strada.service" || $(readlink "$PROGRAM/.venv") != *-dead ]]
}
python3() {
    case $* in
        *healthy.py\\ now*) echo '{"ok": true}' ;;
        *healthy.py\\ watch*) echo "$trouble"; [[ -z $trouble ]] ;;
        *) command python3 "$@" ;;
    esac
}
install_names() { :; }
"""
UPDATE = 'mkdir -p $DATA; install_program {checkout}; install_units {checkout}; bring_up; echo "took:$taken_back"'


def updated(folder: Path, version: str, trouble: str = "", then: str = "") -> subprocess.CompletedProcess[str]:
    """Install a version, which is then watched; `then` may cut it off."""
    checkout = version_of(folder, version, "strada.service", f"strada-{version}.path")
    return in_bash(folder, MAKING + then + UPDATE.format(checkout=checkout), trouble=trouble)


def outcome(folder: Path) -> dict[str, str]:
    return dict(json.loads((folder / "opt" / "update.json").read_text()))


def test_a_first_version_is_not_on_trial(tmp_path: Path) -> None:
    done = updated(tmp_path, "1", trouble="anything")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "took:"), done.stderr
    assert environments(tmp_path) == {"runs": "venv-1", "there": "venv-1"}
    assert not (tmp_path / "opt" / "update.json").exists()


def test_a_version_that_was_well_stays_and_the_one_before_is_kept(tmp_path: Path) -> None:
    updated(tmp_path, "1")
    done = updated(tmp_path, "2")
    assert done.stdout.splitlines()[-1] == "took:", done.stderr
    assert environments(tmp_path) == {"runs": "venv-2", "former": "venv-1", "there": "venv-1 venv-2"}
    assert (outcome(tmp_path)["outcome"], outcome(tmp_path)["version"]) == ("stays", "2")
    assert not (tmp_path / "opt" / "trial").exists()


@pytest.mark.long
@pytest.mark.parametrize(("version", "trouble", "why"), [
    ("3", "it does not answer", "it does not answer"),
    ("4-dead", "", "it does not start"),
])  # fmt: skip
def test_a_version_that_was_not_well_leaves_everything_as_it_was(
    tmp_path: Path, version: str, trouble: str, why: str
) -> None:
    updated(tmp_path, "1")
    updated(tmp_path, "2")
    before = environments(tmp_path)
    (tmp_path / "games" / "starts.failed").write_text("3")
    done = updated(tmp_path, version, trouble)
    assert done.stdout.splitlines()[-1] == f"took:{why}", done.stderr
    assert environments(tmp_path) == before, "the version before, and the one before that"
    assert (tmp_path / "units" / "strada.service").read_text() == "of 2\n"
    assert not (tmp_path / "units" / f"strada-{version}.path").exists()
    assert outcome(tmp_path) | {"at": ""} == {
        "outcome": "taken-back", "version": version, "database": "kept", "why": why, "at": "",
    }  # fmt: skip
    assert (tmp_path / "started").read_text().splitlines()[-1].endswith("venv-2")
    assert not (tmp_path / "games" / "starts.failed").exists(), "the version before would leave out camera and pins"
    assert not (tmp_path / "opt" / "trial").exists()
    # Another try is really tried: nothing of the first one is in the way.
    assert updated(tmp_path, "5").stdout.splitlines()[-1] == "took:"
    assert environments(tmp_path)["runs"] == "venv-5"


@pytest.mark.long
def test_a_logbook_that_was_migrated_is_taken_back_by_the_version_before(tmp_path: Path) -> None:
    updated(tmp_path, "1")
    done = updated(tmp_path, "migrates", "it does not answer")
    copy = tmp_path / "games" / "logbook.former.sqlite"
    ran = [line for line in (tmp_path / "ran").read_text().splitlines() if "restore" in line]
    assert ran == [f"{tmp_path}/opt/venv-1/bin/strada restore {copy} --data {tmp_path}/games"], done.stderr
    assert outcome(tmp_path)["database"] == "restored"
    asked = calls(tmp_path)
    assert asked.index("stop strada.service") < len(asked) - 1 - asked[::-1].index("restart strada.service")


@pytest.mark.long
def test_a_copy_of_an_earlier_update_is_not_brought_back(tmp_path: Path) -> None:
    updated(tmp_path, "migrates")
    (tmp_path / "games" / "logbook.former.sqlite").write_text("of long ago")
    updated(tmp_path, "2", "it does not answer")
    assert outcome(tmp_path)["database"] == "kept"
    assert "restore" not in (tmp_path / "ran").read_text()


# The power fails.

CUT = 'try_out() { kill -9 "$BASHPID"; }\n'
FINISH = 'finish_trial; echo "took:$taken_back"'


@pytest.mark.long
@pytest.mark.parametrize(("trouble", "runs"), [("", "venv-2"), ("it does not answer", "venv-1")])
def test_a_trial_that_was_cut_off_comes_to_its_end(tmp_path: Path, trouble: str, runs: str) -> None:
    updated(tmp_path, "1")
    updated(tmp_path, "2", then=CUT)
    assert (environments(tmp_path)["runs"], outcome(tmp_path)["outcome"]) == ("venv-2", "begun")
    started = (tmp_path / "started").read_text()
    done = in_bash(tmp_path, MAKING + FINISH, trouble=trouble)
    assert done.stdout.splitlines()[-1] == f"took:{trouble}", done.stderr
    assert environments(tmp_path)["runs"] == runs
    again = (tmp_path / "started").read_text().removeprefix(started)
    assert ("venv-2" in again, "venv-1" in again) == (False, bool(trouble)), "the machine had started it itself"
    assert outcome(tmp_path)["outcome"] == ("taken-back" if trouble else "stays")
    assert not (tmp_path / "opt" / "trial").exists()
    assert in_bash(tmp_path, MAKING + FINISH, trouble="anything").stdout == "took:\n", "once is enough"


@pytest.mark.long
def test_a_version_that_was_cut_off_is_not_what_the_next_one_goes_back_to(tmp_path: Path) -> None:
    updated(tmp_path, "1")
    updated(tmp_path, "2", then=CUT)
    updated(tmp_path, "3", "it does not answer")
    assert environments(tmp_path) == {"runs": "venv-1", "there": "venv-1"}


@pytest.mark.long
def test_what_was_cut_off_before_the_switch_is_as_if_nothing_had_been(tmp_path: Path) -> None:
    updated(tmp_path, "1")
    updated(tmp_path, "2", then='run_from() { kill -9 "$BASHPID"; }\n')
    assert environments(tmp_path)["runs"] == "venv-1"
    printed(tmp_path, MAKING + FINISH)
    assert (environments(tmp_path)["runs"], outcome(tmp_path)["outcome"]) == ("venv-1", "taken-back")
    assert not (tmp_path / "opt" / "trial").exists()


@pytest.mark.long
def test_whoever_goes_back_by_hand_ends_the_trial(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root goes back")
    updated(tmp_path, "1")
    updated(tmp_path, "2")
    updated(tmp_path, "3", then=CUT)
    printed(tmp_path, MAKING + "go_back")
    assert not (tmp_path / "opt" / "trial").exists()
