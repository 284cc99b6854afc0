"""Where nothing says what to do, a keeper chooses, and another companion takes the place of this one."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.board import BadInputError
from companion.cli import run
from companion.settings import CameraSettings, GameSettings, LogbookSettings, Settings, TableSettings
from companion.wiring import Companion
from companion.wiring.choices import FILE, Beginning, ChosenSettings, Way, game_of, kept_in, seated
from companion.wiring.machine import Starts
from tests.faults.companions import PATIENCE_S, until


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = Settings(logbook=LogbookSettings(folder=str(tmp_path)))
    return replace(settings, web=replace(settings.web, port=0, streams=4))


def chosen(beginning: Beginning, what: str, game: str = "") -> Settings:
    assert beginning.choose(what, game)
    assert beginning.go_on(8000, None)
    return beginning.settings


def test_what_is_done_follows_from_what_was_chosen(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    beginning = Beginning(settings, asks=True)
    assert (beginning.now, beginning.is_open, beginning.game) == (None, True, "la-strada")
    assert chosen(beginning, "hand").camera.kind == "none"
    assert chosen(beginning, "table").camera.kind == "usb"
    assert chosen(beginning, "drawn").camera.kind == "virtual"
    assert beginning.now is Way.DRAWN
    assert kept_in(beginning.settings) is None, "of a drawn table nothing is kept, wherever the data are"


@pytest.mark.long
def test_a_drawn_table_that_was_chosen_shows_the_tables_own_certificate(settings: Settings) -> None:
    secure = replace(settings, web=replace(settings.web, https="own", https_port=0))
    beginning = Beginning(replace(secure, camera=CameraSettings(kind="usb")))
    marks = []
    for what in ("hand", "drawn"):
        beginning.choose(what)
        beginning.go_on(0, 0)
        made = Companion(beginning.settings, beginning=beginning)
        assert made.trust is not None
        marks.append(made.trust.fingerprint)
        made.close()
    assert marks[0] == marks[1], "phones need not trust anew"


def test_a_pis_own_camera_is_taken_where_there_is_one(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    assert chosen(Beginning(settings, asks=True), "table").camera.kind == "picamera2"


def test_a_camera_that_was_named_stays(settings: Settings) -> None:
    beginning = Beginning(replace(settings, camera=CameraSettings(kind="folder", folder="photos")))
    assert beginning.now is Way.TABLE
    chosen(beginning, "hand")
    assert chosen(beginning, "table").camera == CameraSettings(kind="folder", folder="photos")


@pytest.mark.parametrize("kind", ["virtual", "none"])
def test_who_named_another_way_is_not_asked(settings: Settings, kind: str) -> None:
    assert not Beginning(replace(settings, camera=CameraSettings(kind=kind))).is_open


def test_who_named_a_table_is_not_asked(settings: Settings) -> None:
    named = replace(settings, camera=CameraSettings(kind="usb"), table=TableSettings(folder="club"))
    assert not Beginning(named).is_open


def test_the_other_game_is_played_by_the_rules_of_its_box(settings: Settings) -> None:
    beginning = Beginning(settings, asks=True)
    game = game_of(chosen(beginning, "hand", "silk-road"))
    assert (game.rules, beginning.game) == ("competitive", "silk-road")
    assert game_of(chosen(beginning, "drawn", "la-strada")).rules == "standard"


@pytest.mark.parametrize("what", ["hand", "drawn"])
def test_whoever_plays_the_other_game_has_colours_of_its_box(settings: Settings, what: str) -> None:
    begun = replace(settings, game=seated(settings.game))  # as `strada run` begins
    players = game_of(chosen(Beginning(begun, asks=True), what, "silk-road")).players
    assert [player.color for player in players] == ["green", "brown", "blue"]
    assert [player.is_named for player in players] == [what == "drawn"] * 3


def test_rules_that_were_named_stay_for_their_game(settings: Settings) -> None:
    two = (("Ada", "black"), ("Bo", "red"))
    named = replace(settings, camera=CameraSettings(kind="usb"), game=GameSettings("danger", players=two))  # type: ignore[arg-type]
    assert chosen(Beginning(named), "hand", "la-strada").game.rules == "danger"


def test_what_is_done_already_changes_nothing(settings: Settings) -> None:
    beginning = Beginning(settings, asks=True)
    chosen(beginning, "hand", "la-strada")
    assert not beginning.choose("hand", "la-strada")
    assert not beginning.go_on(8000, None)
    assert beginning.choose("hand", "silk-road")


@pytest.mark.parametrize(("what", "game"), [("fly", ""), ("", ""), ("hand", "chess")])
def test_what_nobody_can_choose_is_refused(settings: Settings, what: str, game: str) -> None:
    with pytest.raises(BadInputError):
        Beginning(settings, asks=True).choose(what, game)


def test_the_next_start_goes_on_with_what_was_chosen_but_for_the_drawn_table(settings: Settings) -> None:
    chosen(Beginning(settings, asks=True), "drawn")
    assert Beginning(settings, asks=True).now is None
    chosen(Beginning(settings, asks=True), "hand")
    again = Beginning(settings, asks=True)
    assert (again.now, again.settings.camera.kind) == (Way.HAND, "none")


def test_where_a_table_was_set_up_it_is_played_on(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "tables" / "club").mkdir(parents=True)
    assert Beginning(settings, asks=True).now is None
    (tmp_path / "tables" / "club" / "table.json").write_text("{}")
    assert Beginning(settings, asks=True).now is Way.TABLE


@pytest.mark.parametrize("left", [b"\xff\xfe", b"fly", b""])
def test_a_damaged_note_of_what_was_chosen_counts_for_nothing(settings: Settings, tmp_path: Path, left: bytes) -> None:
    (tmp_path / FILE).write_bytes(left)
    assert Beginning(settings, asks=True).now is None


# While it runs.


@pytest.fixture
def address(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A companion that asks, as `strada run` starts it."""
    made: list[Companion] = []
    monkeypatch.setattr(run, "Companion", lambda *given, **more: made.append(Companion(*given, **more)) or made[-1])
    monkeypatch.setattr(run.signal, "signal", lambda number, heard: None)
    thread = threading.Thread(target=run.serve, args=(ChosenSettings(settings, asks=True),))
    thread.start()
    until(lambda: bool(made))
    yield made[0].addresses[0].rstrip("/")
    made[-1].stop()
    thread.join(timeout=20)
    assert not thread.is_alive()


def got(address: str) -> str:
    with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
        return str(answer.read().decode())


def posted(address: str, body: object) -> Any:
    origin = "/".join(address.split("/")[:3])
    headers = {"Origin": origin, "X-Strada": "1", "Content-Type": "application/json"}
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return json.loads(answer.read())


def says(address: str, name: str, value: str | None) -> Callable[[], bool]:
    def is_so() -> bool:
        try:
            return bool(json.loads(got(address))[name] == value)
        except OSError:  # for a moment nobody answers
            return False

    return is_so


def test_a_companion_that_asks_is_another_one_after_a_tap_at_the_same_address(address: str) -> None:
    assert says(f"{address}/begin/now", "now", None)()
    until(says(f"{address}/health", "mode", "asks"))
    assert 'data-way="hand"' in got(address)
    said = posted(f"{address}/begin", {"what": "hand"})
    assert (said["go"], said["waits"]) == ("/keeper#start", True)
    until(says(f"{address}/begin/now", "now", "hand"))
    until(says(f"{address}/health", "mode", "by-hand"))
    assert 'id="board"' in got(f"{address}/keeper")
    assert posted(f"{address}/begin", {"what": "hand"})["waits"] is False
    assert 'href="/begin"' in got(address), "there is a way back"


def test_a_companion_that_is_told_to_end_ends(settings: Settings) -> None:
    with Starts() as starts:
        beginning = Beginning(settings, asks=True)
        companion = run._made(ChosenSettings(settings, asks=True), starts, beginning, None)
        companion.close()
        assert run._next(ChosenSettings(settings, asks=True), starts, beginning, companion) is None


@pytest.mark.parametrize("goes_on", [True, False])
def test_systemd_is_told_of_an_end_only_where_nothing_else_begins(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, goes_on: bool
) -> None:
    told: list[str] = []
    monkeypatch.setattr("companion.wiring.running.sd_notify", lambda *states: told.extend(states))
    beginning = Beginning(settings, asks=True)
    companion = Companion(settings, beginning=beginning)
    if goes_on:
        beginning.choose("hand")
    companion.close()
    assert ("STOPPING=1" in told) is not goes_on


def test_what_cannot_begin_leaves_what_was(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ChosenSettings(settings, asks=True)
    with Starts() as starts:
        beginning = Beginning(settings, asks=True)
        first = run._made(whole, starts, beginning, None)
        first.close()
        beginning.choose("drawn")

        def made(settings: Settings, *given: Any, **more: Any) -> Companion:
            if beginning.now is Way.DRAWN:
                raise BadInputError("no")
            return Companion(settings, *given, **more)

        monkeypatch.setattr(run, "Companion", made)
        then = run._next(whole, starts, beginning, first)
        assert then is not None
        assert (beginning.now, then.keepers) == (None, first.keepers), "who keeps, keeps on"
        then.close()
