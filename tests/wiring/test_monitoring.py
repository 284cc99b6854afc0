"""How the companion is: words for monitors, and figures that Prometheus' own parser reads."""

import http.client
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from companion import events
from companion.board import BARE, BadInputError, CellReading, Color, HexBoard, Reading
from companion.doctor import Machine
from companion.logbook.away import Plan, copy_away
from companion.settings import UpdatesSettings, settings_from
from companion.system.news import ask, own_version
from companion.updates.desk import FOLDER, Desk
from companion.updates.outcome import Outcome, write
from companion.wiring import Companion
from companion.wiring.monitoring import HUNG_S, Monitor, desk_of, upkeep_of
from tests.doctor.machines import Fake
from tests.faults.companions import running, settings_of, until
from tests.logbook.playing import played
from tests.updates.releases import KEY, released

BOARD = HexBoard(2)
READING = Reading(BOARD, dict.fromkeys(BOARD.cells, CellReading(BARE)), unclear=frozenset(list(BOARD.cells)[:2]))


def book(trouble: str = "") -> Any:
    """Return a logbook that keeps nothing and may have some trouble."""
    has = SimpleNamespace(code=trouble) if trouble else None
    return SimpleNamespace(note=None, trouble=has, record=lambda *said: None)


@dataclass
class Watched:
    """A monitor, and what it looks at."""

    folder: Path | None
    machine: Machine = field(default_factory=Machine)
    mode: str = "live"
    now_s: float = 1000.0

    def __post_init__(self) -> None:
        self.monitor = Monitor(lambda: self.mode, self.folder, self.machine, lambda: self.now_s)

    def figures(self, watching: int = 0) -> dict[tuple[str, str], float]:
        """Return each figure by its name and its label's value; the parser refuses what is malformed."""
        families = list(text_string_to_metric_families(self.monitor.figures(watching).decode()))
        assert all(family.documentation and family.type != "unknown" for family in families)
        assert len({family.name for family in families}) == len(families)
        return {(each.name, _label(each)): each.value for family in families for each in family.samples}


def _label(sample: Sample) -> str:
    return " ".join(sample.labels.values())


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path / "machine")


@pytest.fixture
def watched(tmp_path: Path, fake: Fake) -> Watched:
    return Watched(tmp_path, fake.machine)


def test_a_companion_is_well_as_soon_as_its_loop_runs(watched: Watched) -> None:
    watched.monitor.starts(book())
    assert (watched.monitor.health().loop, watched.monitor.health().is_well) == ("starts", False)
    watched.monitor.beat()
    watched.monitor.read(READING, 0.2)
    health = watched.monitor.health()
    assert (health.loop, health.camera, health.logbook, health.is_well) == ("runs", "ok", "ok", True)


@pytest.mark.parametrize(("after_s", "loop"), [(HUNG_S, "runs"), (HUNG_S + 0.1, "hangs")])
def test_a_loop_that_has_not_gone_round_for_long_hangs(watched: Watched, after_s: float, loop: str) -> None:
    watched.monitor.beat()
    watched.now_s += after_s
    assert watched.monitor.health().loop == loop
    assert watched.figures()["strada_loop_up", ""] == (loop == "runs")


def test_a_camera_that_is_gone_is_told_until_it_is_back(watched: Watched) -> None:
    watched.monitor.sees("missing")
    assert watched.monitor.health().camera == "missing"
    assert watched.figures()["strada_camera_up", ""] == 0
    watched.monitor.sees("out-of-sight")
    assert watched.figures()["strada_camera_up", ""] == 1, "pictures come, and somebody stands before the board"
    watched.monitor.read(READING, 0.2)
    assert watched.monitor.health().camera == "ok"


def test_a_logbook_that_cannot_be_written_is_told(watched: Watched) -> None:
    watched.monitor.starts(book("disk-full"))
    watched.monitor.beat()
    assert (watched.monitor.health().logbook, watched.monitor.health().is_well) == ("disk-full", False)
    assert watched.figures()["strada_logbook_up", ""] == 0


@pytest.mark.parametrize("mode", ["by-hand", "safe"])
def test_without_a_camera_no_camera_is_reported_and_nothing_is_read(watched: Watched, mode: str) -> None:
    watched.mode = mode
    watched.monitor.sees("closed")
    watched.monitor.read(READING, 0.2)
    figures = watched.figures()
    assert watched.monitor.health().camera is None
    assert ("strada_camera_up", "") not in figures
    assert figures["strada_read_seconds_count", ""] == 0
    assert [label for (name, label), value in figures.items() if name == "strada_mode" and value] == [mode]


def test_read_times_and_cells_that_were_not_understood_are_counted(watched: Watched) -> None:
    for seconds in (0.04, 0.2, 0.21, 99.0):
        watched.monitor.read(READING, seconds)
    figures = watched.figures()
    buckets = {label: value for (name, label), value in figures.items() if name == "strada_read_seconds_bucket"}
    assert (buckets["0.05"], buckets["0.2"], buckets["0.3"], buckets["10.0"], buckets["+Inf"]) == (1, 2, 3, 3, 4)
    assert figures["strada_read_seconds_sum", ""] == pytest.approx(99.45)
    assert figures["strada_cells_read_total", ""] == 4 * len(BOARD.cells)
    assert figures["strada_cells_unclear_total", ""] == 4 * 2


def test_verdicts_are_counted_by_what_they_say(watched: Watched) -> None:
    unclear = events.MoveUnclear(Color.BLACK, (BOARD.cell("A1"),))
    watched.monitor.hear([unclear, events.CameraBack(), unclear])
    told = {label: value for (name, label), value in watched.figures().items() if name == "strada_verdicts_total"}
    assert told == {"legal": 0, "illegal": 0, "unclear": 2, "accepted": 0}


def test_the_machine_tells_how_warm_it_is_and_how_much_room_it_has(watched: Watched, fake: Fake) -> None:
    assert ("strada_temperature_celsius", "") not in watched.figures(), "no sensor tells"
    fake.write("/sys/class/thermal/thermal_zone0/temp", "61250")
    fake.write("/sys/class/thermal/thermal_zone0/type", "cpu-thermal")
    figures = watched.figures(watching=7)
    assert figures["strada_temperature_celsius", ""] == 61.25
    assert figures["strada_clients", ""] == 7
    assert 0 < figures["strada_disk_free_bytes", ""] < figures["strada_disk_size_bytes", ""]
    assert figures["process_resident_memory_bytes", ""] > 1e6


def test_where_nothing_is_kept_no_disk_is_reported() -> None:
    assert ("strada_disk_free_bytes", "") not in Watched(None).figures()


def _asked(companion: Companion, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", companion.ports[0], timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    said = answer.status, answer.read()
    connection.close()
    return said


def test_a_table_kept_by_hand_is_well_and_tells_it_to_monitors_without_a_name(tmp_path: Path) -> None:
    with running(Companion(settings_of(tmp_path, "none"))) as companion:
        until(lambda: _asked(companion, "/health")[0] == 200)
        said = json.loads(_asked(companion, "/health")[1])
        assert (said["mode"], said["loop"], said["camera"], said["logbook"]) == ("by-hand", "runs", None, "ok")
        status, figures = _asked(companion, "/metrics")
    assert status == 200
    assert b'strada_mode{strada_mode="by-hand"} 1.0' in figures
    assert not any(name in figures for name in (b"Ada", b"Bo", b"Cy"))


@pytest.mark.long
def test_a_table_whose_camera_is_not_there_is_not_well_and_says_why(tmp_path: Path) -> None:
    with running(Companion(settings_of(tmp_path))) as companion:
        until(lambda: json.loads(_asked(companion, "/health")[1])["camera"] == "missing")
        assert _asked(companion, "/health")[0] == 503


def told(folder: Path, to: str) -> list[str]:
    settings = settings_from({"logbook": {"folder": str(folder)}, "backup": {"to": to}})
    return [found.code for found in upkeep_of(settings, folder)]


def test_an_absent_stick_is_told_until_a_copy_was_made(tmp_path: Path) -> None:
    played(tmp_path / "book", 3)
    away = str(tmp_path / "away")
    assert told(tmp_path / "book", "") == []
    assert told(tmp_path / "book", away) == ["away-none"]
    with pytest.raises(BadInputError):
        copy_away(tmp_path / "book", Plan(away))
    assert told(tmp_path / "book", away) == ["away-absent"]
    Path(away).mkdir()
    copy_away(tmp_path / "book", Plan(away))
    assert told(tmp_path / "book", away) == ["away"]


def test_a_drawn_table_has_nothing_to_be_told() -> None:
    assert upkeep_of(settings_from({"backup": {"to": "/srv"}}), None) == []


UPDATES = UpdatesSettings("/srv", KEY)


def test_updates_are_offered_where_the_service_is_installed_and_its_settings_name_place_and_key(tmp_path: Path) -> None:
    unit = tmp_path / "strada-update.path"
    unit.touch()
    assert desk_of(UPDATES, FOLDER.parent, unit) is not None
    assert desk_of(UpdatesSettings("/srv", ""), FOLDER.parent, unit) is None
    assert desk_of(UpdatesSettings("", KEY), FOLDER.parent, unit) is None
    assert desk_of(UPDATES, tmp_path, unit) is None, "no service's data"
    assert desk_of(UPDATES, None, unit) is None
    assert desk_of(UPDATES, FOLDER.parent, tmp_path / "nowhere") is None


def test_keepers_are_told_how_the_last_update_ended_unless_it_stayed(tmp_path: Path) -> None:
    note, settings = tmp_path / "update.json", settings_from({})
    assert upkeep_of(settings, tmp_path, None, note) == []
    write(Outcome("stays", "2.0.0", at="2027-03-01T20:00:00+00:00"), note)
    assert upkeep_of(settings, tmp_path, None, note) == []
    for outcome, database, code, is_to_do in (
        ("taken-back", "kept", "update-taken-back", False),
        ("taken-back", "restored", "update-restored", False),
        ("taken-back", "failed", "update-logbook", True),
        ("refused", "kept", "update-refused", False),
        ("failed", "kept", "update-failed", False),
        ("begun", "kept", "update-begun", False),
    ):
        write(Outcome(outcome, "2.0.0", database, "it ended by itself", "2027-03-01T20:00:00+00:00"), note)
        (found,) = upkeep_of(settings, tmp_path, None, note)
        assert (found.check, found.code, found.is_to_do) == ("update", code, is_to_do)


def test_an_offer_takes_the_place_of_the_news_and_a_look_that_failed_is_told(tmp_path: Path) -> None:
    settings = settings_from({"updates": {"feed": str(tmp_path / "stick"), "key": KEY}})
    nowhere, now = tmp_path / "update.json", datetime(2027, 3, 1, tzinfo=UTC)
    desk = Desk(tmp_path / "update", settings.updates.feed, KEY, own_version(), "arm64")
    desk.look(now)
    assert [found.code for found in upkeep_of(settings, tmp_path, desk, nowhere)] == ["update-unsought"]
    released(tmp_path / "stick", "9.0.0")
    (tmp_path / "stick" / "strada-9.0.0.tar.gz").touch()
    ask(tmp_path, settings.updates.feed, now)
    assert [found.code for found in upkeep_of(settings, tmp_path, desk, nowhere)] == ["news-out", "update-unsought"]
    desk.look(now)
    assert upkeep_of(settings, tmp_path, desk, nowhere) == []
