"""An evening with a made-up keeper, who taps what is asked about or wrong, and how many taps that takes.

The keeper knows what anybody could see on the table (the truth beside the photograph), and touches nothing while Strada
is right about the word on a done, who is next, and the days. When the table asks about cells, the keeper says what is
on each. When the word is wrong, the keeper corrects the cells that the books have wrong, until there is another word.
If there is none, the keeper takes back what was booked, corrects the other cells that are shown wrong until there is a
word, and says done again if there is none. A cell in doubt is shown as the books have it, as on the scoreboard. If
nothing is shown wrong but the books still differ, the keeper takes the offered rereading, or else accepts. Every
command is a tap: a corrected cell, an undo, an accept, an offer taken, a done or a deal said again.

The table looks as the live one does: once more when its reader was told something, and at each done or deal said again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol

from bench.evening import is_right
from companion.board import BARE, Cell, HexBoard, Reading, in_board_order, reading_from_json
from companion.commands import Accept, Command, CorrectCell, Done, StartGame, TakeOffer, Undo
from companion.evening import Button, Evening, EveningReader, Photo, Picture, Picture_contra, Word, see_photo, word_of
from companion.events import Event, RereadingOffered
from companion.games import score
from companion.session import Session
from companion.verdicts import confirm

#: How often the keeper tries to correct one photograph before giving up.
_ROUNDS = 6
_ASKED = ("unclear", "hidden")


class LiveReader(EveningReader[Picture_contra], Protocol):
    """What a live table asks of a reader of photographs."""

    def read(self, image: Picture_contra, is_again: bool = False) -> Reading:
        """Return the reading of the photograph; `is_again`: nothing has moved since the one before."""


@dataclass
class Kept:
    """The result of an evening: taps by kind; if it could not go on, the photograph's name."""

    done: int = 0
    taps: Counter[str] = field(default_factory=Counter)
    astray: int = 0
    stuck_at: str | None = None
    gold_right: bool = False
    winners_right: bool = False

    @property
    def is_finished(self) -> bool:
        """Whether it was played to its last photograph."""
        return self.stuck_at is None

    def to_json(self) -> dict[str, Any]:
        """Return the figures."""
        return {
            "done": self.done,
            "taps": self.taps.total(),
            "of": dict(sorted(self.taps.items())),
            "astray": self.astray,
            "finished": self.is_finished,
            "gold_right": self.gold_right,
            "winners_right": self.winners_right,
        }


def kept(
    evening: Evening,
    photograph: Callable[[Path], Picture],
    reader: LiveReader[Picture],
    board: HexBoard,
    teaches: bool = True,
) -> Kept:
    """Play the evening with the keeper, to its end or until it cannot go on.

    Unless the evening `teaches`, the reader hears neither the taps nor how moves are taken.
    """
    found, session = Kept(), Session()
    for photo in evening.photos:
        path = evening.folder / photo.name
        if photo.button is Button.DEAL:
            reader.new_game()
        moves = 0 if photo.button is Button.DEAL else len(session.history)
        table = _Table(session, reader, photograph(path), teaches)
        line = see_photo(session, evening.game, photo, reader.read(table.picture))
        table.hears(line.events)
        if photo.button is Button.LOOK:
            continue
        found.done += photo.button is Button.DONE
        shown = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        truth = reading_from_json(shown, board)
        keeper = _Keeper(session, table, evening.game, photo, shown["expected"], truth, moves, found)
        if not keeper.puts_right(line.word):
            found.stuck_at = photo.name
            return found
        if session.position is not None:
            stands, expected = score(session.position), shown["expected"]
            found.gold_right = {str(color): gold for color, gold in stands.gold.items()} == expected["gold"]
            found.winners_right = [str(color) for color in stands.winners] == expected["winners"]
    return found


@dataclass(frozen=True)
class _Table(Generic[Picture]):
    """The live table at one photograph; unless it `teaches`, the reader hears nothing of what is said about that."""

    session: Session
    reader: LiveReader[Picture]
    picture: Picture
    teaches: bool

    def obeys(self, command: Command) -> Sequence[Event]:
        """Carry out a command; what is judged anew is looked at anew."""
        if isinstance(command, StartGame):
            self.reader.new_game()
        if isinstance(command, StartGame | Done | Accept | TakeOffer):
            self.session.see(self.reader.read(self.picture, is_again=not isinstance(command, StartGame)))
        happened = self.session.obey(command)
        self.hears(happened)
        return happened

    def hears(self, happened: Iterable[Event]) -> None:
        """Tell the reader what was accepted or corrected; if that is anything, look again."""
        if self.teaches and confirm(self.reader, happened):
            self.session.see(self.reader.read(self.picture, is_again=True))


@dataclass
class _Keeper:
    """The keeper at one photograph: the right word there, what is there, how many moves were booked before it.

    `has_taken` says that an offer was taken there. If it comes again, it helps no more than the first time.
    """

    session: Session
    table: _Table[Any]
    game: StartGame
    photo: Photo
    expected: Mapping[str, Any]
    truth: Reading
    moves: int
    found: Kept
    has_taken: bool = False

    def puts_right(self, word: Word) -> bool:
        """Tap until the table is right; return whether the evening can go on."""
        for _ in range(_ROUNDS):
            if self._is_right(word):
                return True
            if word.verdict == "accepted" and self._is_next():
                # The keeper accepted it, as nothing is shown wrong: taking it back would change nothing.
                break
            word = self._answered(word) if word.verdict in _ASKED else self._corrected(word)
        if self._is_right(word):
            return True
        # The word stays wrong, or the days. As long as the right player is next, the evening goes on all the same.
        if self._is_next():
            self.found.astray += 1
            return True
        return False

    def _is_right(self, word: Word) -> bool:
        if self.photo.button is Button.DEAL:
            return self._stands()
        return is_right(word.to_json(), dict(self.expected)) and self._stands()

    def _is_next(self) -> bool:
        position = self.session.position
        return position is not None and str(position.next or None) == str(self.expected["next"])

    def _stands(self) -> bool:
        position = self.session.position
        days = {} if position is None else {str(color): days for color, days in position.days.items()}
        return self._is_next() and days == self.expected["days"]

    def _answered(self, word: Word) -> Word:
        """Say what is on each cell that is asked about, until a word comes; else say done, or deal, again."""
        for name in word.cells:
            found = self._says(self.truth.board.cell(name))
            if found is not None:
                return found
        return self._again(word)

    def _corrected(self, word: Word) -> Word:
        """Correct the booked move; else take it back, correct what is shown wrong, and say done, or deal, again."""
        booked = len(self.session.history) - self.moves
        is_booked = booked > 0
        misbooked = self._misbooked() if is_booked else ()
        for cell in misbooked:
            if (found := self._says(cell)) is not None:
                return found
        if is_booked:
            self._tap("undo", Undo(booked))
        cells = in_board_order({*self._misread()} - {*misbooked})
        for cell in cells:
            if (found := self._says(cell)) is not None:
                return found
        if cells or is_booked:
            return self._again(word)
        if isinstance(self.session.offer, RereadingOffered) and not self.has_taken:
            self.has_taken = True
            self._tap("offer", TakeOffer())
            return self._again(word)
        if self.expected.get("legal"):
            return self._tap("accept", Accept()) or word
        return word

    def _misread(self) -> Sequence[Cell]:
        reading, position = self.session.reading, self.session.position
        assert reading is not None, "a photograph was read"
        shown = {cell: reading.contents(cell) for cell in self.truth.board.cells}
        if position is not None:
            held = position.expected()
            shown |= {cell: held.get(cell, BARE) for cell in reading.abstained}
        return in_board_order(cell for cell, contents in shown.items() if contents != self.truth.contents(cell))

    def _misbooked(self) -> Sequence[Cell]:
        position = self.session.position
        assert position is not None, "a move was booked"
        held = position.expected()
        return [cell for cell in self.truth.board.cells if held.get(cell, BARE) != self.truth.contents(cell)]

    def _says(self, cell: Cell) -> Word | None:
        return self._tap("cell", CorrectCell(cell, self.truth.contents(cell)))

    def _again(self, word: Word) -> Word:
        if self.photo.button is Button.DEAL:
            return self._tap("again", self.game) or word
        return self._tap("again", Done()) or word

    def _tap(self, name: str, command: Command) -> Word | None:
        """Give the command; return the last word that follows."""
        self.found.taps[name] += 1
        words = [found for event in self.table.obeys(command) if (found := word_of(event)) is not None]
        return words[-1] if words else None
