"""Photographed evenings and the clip as a live table: the words of `strada watch`, and none while a hand is there."""

import json
from contextlib import suppress
from pathlib import Path

import cv2
import pytest

from bench.live import Live, decided, watched
from bench.living import LiveTable
from calibration import TableFolder
from companion.board import difference, reading_from_json
from companion.commands import StartGame
from companion.evening import load_evening
from companion.events import Event, StandingChanged
from companion.logbook import Logbook
from companion.scoreboard import Scoreboard
from companion.service import Eyes, Pace, Service
from companion.system.pictures import jpeg
from tests.live.conftest import PLAYERS, Silent
from vision.hands import Steadier
from vision.reader import Reader

#: The deal, one workshop each, and the first turn; `make bench-live` plays more.
PHOTOS = 5


@pytest.mark.long
def test_an_evening_played_live_gets_the_words_of_strada_watch(tables: Path, tmp_path: Path) -> None:
    cv2.setNumThreads(1)
    evening = load_evening(tables / "elm" / "games" / "evening")
    with Logbook(tmp_path, encode=jpeg) as logbook:
        live = Live(TableFolder.open(tables / "elm"), evening, logbook, PHOTOS)
        answers = live.play()
    assert any(path.suffix == ".jpg" for path in tmp_path.rglob("*")), "the pictures of the verdicts are kept"
    for answer, line in zip(answers, watched(evening, PHOTOS), strict=True):
        assert decided(answer.words) == decided([*line.earlier, line.word]), line.photo.name
        assert answer.under_hand == 0, f"{line.photo.name}: decided while a hand was over the board"
        assert answer.cues <= 1 + answer.is_saving, f"{line.photo.name}: more than one cue for one change"


@pytest.fixture
def clip(tables: Path) -> list[Path]:
    return sorted((tables / "willow" / "clip").glob("[0-9]*.jpg"))


@pytest.mark.long
def test_of_a_hand_that_lays_a_tile_only_what_it_leaves_is_seen(tables: Path, clip: list[Path]) -> None:
    folder = TableFolder.open(tables / "willow")
    reader = Reader.of(folder)
    shown = [*clip[:1] * 4, *clip, *clip[-1:] * 4]
    table = LiveTable(shown, reader.view, frames_per_s=5.0, hold_frames=1, crossing=False)
    told: list[Event] = []
    panel = Silent()
    service = Service(
        Eyes(table, reader, Steadier()),
        panel,
        Scoreboard(),
        StartGame(PLAYERS),
        witness=lambda events, position: told.extend(events),
        pace=Pace(clock=table.clock),
    )
    with suppress(EOFError):  # no more pictures
        while True:
            service.step()
    assert not panel.cues, "nobody pressed, nothing is said"
    assert {type(event) for event in told} <= {StandingChanged}
    assert service.last_read is not None
    truth = reading_from_json(json.loads(clip[-1].with_suffix(".json").read_text()), service.last_read.reading.board)
    lies = {cell: read.contents for cell, read in truth.cells.items()}
    assert not difference(service.last_read.reading, lies).cells
