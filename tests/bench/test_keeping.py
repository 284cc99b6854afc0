"""A made-up keeper on planned evenings: what they tap where the reader errs, asks, or sees nothing."""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.evening import TruthReader
from bench.keeping import Kept, kept
from bench.planned import BOARD
from companion.board import BARE, Cell, Contents, PlayerColor, Reading, Workshop
from companion.evening import Evening
from tests.bench.evenings import written

Misread = Callable[[str, Reading], Reading]


class ErringReader(TruthReader):
    """Reads the truth, changed by `misread`, which is given the photograph's name."""

    def __init__(self, misread: Misread) -> None:
        super().__init__(BOARD)
        self._misread = misread

    def read(self, image: Path, is_again: bool = False) -> Reading:
        return self._misread(image.name, super().read(image, is_again))


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    return written(tmp_path, 909)


def played(evening: Evening, misread: Misread) -> Kept:
    return kept(evening, lambda path: path, ErringReader(misread), BOARD)


def without_workshop(name: str, reading: Reading) -> Reading:
    """Overlook the workshop that was placed first, while nothing else has been."""
    seen = {
        cell: replace(read, contents=BARE) if isinstance(read.contents.tile, Workshop) else read
        for cell, read in reading.cells.items()
    }
    return replace(reading, cells=seen) if name == "001.jpg" else reading


def truths(evening: Evening) -> dict[str, dict[str, Any]]:
    """Return what is true of each photograph, by its name."""
    return {
        photo.name: json.loads((evening.folder / photo.name).with_suffix(".json").read_text())
        for photo in evening.photos
    }


def test_keepers_have_nothing_to_do_at_a_table_that_is_read_right(evening: Evening) -> None:
    found = played(evening, lambda name, reading: reading)
    assert (found.taps.total(), found.is_finished, found.astray) == (0, True, 0)
    assert (found.gold_right, found.winners_right) == (True, True)
    assert found.done == sum(photo.button == "done" for photo in evening.photos)


def test_a_workshop_that_is_not_seen_is_put_right_with_one_tap_and_done_again(evening: Evening) -> None:
    found = played(evening, without_workshop)
    assert (dict(found.taps), found.is_finished) == ({"cell": 1, "again": 1}, True)


def test_what_is_asked_is_answered_with_a_tap(evening: Evening) -> None:
    def misread(name: str, reading: Reading) -> Reading:
        doubted = without_workshop(name, reading)
        asked = {cell for cell, read in doubted.cells.items() if read != reading.cells[cell]}
        return replace(doubted, unclear=reading.unclear | asked)

    found = played(evening, misread)
    assert (dict(found.taps), found.is_finished) == ({"cell": 1}, True)


def test_what_was_booked_wrongly_is_taken_back(tmp_path: Path) -> None:
    """A photograph that should be refused is read as the next one, which is legal: a move is booked by mistake."""
    evening = written(tmp_path / "erring", 909, most=8, mistakes=1.0)
    true = truths(evening)
    refused = next((name for name, truth in true.items() if truth["expected"].get("legal") is False), None)
    assert refused is not None, "players who always err were never refused"
    names = list(true)
    after = names[names.index(refused) + 1]

    def misread(name: str, reading: Reading) -> Reading:
        return TruthReader(BOARD).read(evening.folder / after) if name == refused else reading

    found = played(evening, misread)
    assert found.taps["undo"] == 1
    assert found.taps["cell"] >= 1
    assert (found.is_finished, found.astray) == (True, 0)


def test_an_evening_of_which_nothing_is_ever_seen_takes_a_tap_for_whatever_is_laid(evening: Evening) -> None:
    def misread(name: str, reading: Reading) -> Reading:
        return replace(reading, cells={}, occluded=frozenset()) if name != "000.jpg" else reading

    found = played(evening, misread)
    assert found.is_finished
    assert found.taps["cell"] >= found.done


@pytest.mark.long
def test_an_evening_whose_board_is_not_known_cannot_be_finished(evening: Evening) -> None:
    """A keeper can say what lies on a cell, but not which terrain is below it."""

    def misread(name: str, reading: Reading) -> Reading:
        return replace(reading, cells={cell: replace(read, terrain=None) for cell, read in reading.cells.items()})

    found = played(evening, misread)
    assert (found.is_finished, found.stuck_at, found.gold_right) == (False, "000.jpg", False)


class Listening(ErringReader):
    """A reader that misses the first workshop, and keeps what it is told."""

    told: list[tuple[dict[Cell, Contents], bool]]

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        self.told.append((dict(cells), by_hand))

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        """Ignore the books: this test only looks at what is said of single cells."""


@pytest.mark.parametrize("teaches", [True, False])
def test_the_reader_is_told_what_they_tap_and_how_moves_are_taken_unless_the_evening_teaches_nothing(
    evening: Evening, teaches: bool
) -> None:
    reader = Listening(without_workshop)
    reader.told = []
    kept(evening, lambda path: path, reader, BOARD, teaches=teaches)
    if not teaches:
        assert reader.told == []
        return
    (dealt, by_hand), (tapped, by_tap), *_ = reader.told
    assert (len(dealt), by_hand) == (19, False)
    assert ([type(lies.tile) for lies in tapped.values()], by_tap) == ([Workshop], True)
    assert len(reader.told) > 5


def test_what_they_let_stand_as_nothing_is_shown_wrong_they_do_not_take_back(evening: Evening) -> None:
    # A refused turn that was in truth legal: no cell explains the refusal, so they accept it, once.
    true = truths(evening)
    turns = [photo for photo in evening.photos if photo.button == "done"]
    refused = next(photo for photo in turns if true[photo.name]["expected"].get("legal") is False)
    truth = true[refused.name]
    colors = [str(player.color) for player in evening.game.players]
    after = colors[(colors.index(truth["expected"]["next"]) + 1) % len(colors)]
    truth["expected"] |= {"legal": True, "next": after, "days": dict.fromkeys(truth["expected"]["days"], 99)}
    (evening.folder / refused.name).with_suffix(".json").write_text(json.dumps(truth))
    until = replace(evening, photos=evening.photos[: evening.photos.index(refused) + 1])
    found = played(until, lambda name, reading: reading)
    assert (dict(found.taps), found.astray, found.is_finished) == ({"accept": 1}, 1, True)
