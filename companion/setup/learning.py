"""Learning a table: its reader, the games that fit it, examples from them, and whether the camera still sees it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import cv2

from calibration import TableFolder
from calibration.follow import Follower
from calibration.view import BoardView
from companion.board import BadInputError, Board, Section, SquareBoard, player_color, section_to_json
from companion.commands import StartGame
from companion.events import Event, GameOver
from companion.games import GAMES, rule_set
from companion.games.contract import TAUGHT, Player
from companion.session import State
from companion.setup import UnusableTableError
from companion.setup.finding import StillFits, still_fits
from companion.setup.square_draft import sections_of
from companion.system.durable import contents, write_whole
from vision.hands import Steadier
from vision.light.flatten import Image
from vision.reader import Reader, reader_of
from vision.square.reader import SquareReader
from vision.tiles.teach import Taught, learn

#: How often to look for a still picture, and, while the table does not fit, whether it was put right.
STILL_S, MISFIT_S = 1.0, 60.0

#: The warning while a table does not fit: a code of TROUBLES.
MOVED = "moved"

#: The file of the examples in the table's folder.
EXAMPLES_FILE = "examples.npz"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LearntTable:
    """A table's folder and the reader that learnt from it; the reader serves one game at a time."""

    folder: TableFolder
    reader: Reader | SquareReader


def learnt(folder: TableFolder) -> LearntTable:
    """Return the table once it is learnt, which takes seconds; raises UnusableTableError if that is impossible."""
    try:
        if isinstance(folder.setup.board, SquareBoard):
            return LearntTable(folder, reader_of(folder))
        reader = Reader(*_learnt_latest(folder.path, _stamp(folder.path)))
        give_examples(reader, folder.path)
        return LearntTable(folder, reader)
    except BadInputError as error:
        raise UnusableTableError(str(error)) from None
    except (cv2.error, ArithmeticError, LookupError, ValueError) as error:
        raise UnusableTableError(f"{folder.path} cannot be learnt from ({error}); set the table up anew") from error


@lru_cache(maxsize=1)
def _learnt_latest(path: Path, _stamp: tuple[tuple[str, int, int], ...]) -> tuple[Taught, Follower[BoardView]]:
    """Return what a table teaches, kept for the next reader of it: a set-up often asks for the table of the game."""
    return learn(TableFolder.open(path))


def _stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return which files a table is learnt from, when each was changed, and its size: others have to be learnt anew."""
    files = sorted((path / "table.json", *(path / "setup").glob("*")))
    found = ((str(file), file.stat()) for file in files if file.is_file())
    return tuple((name, status.st_mtime_ns, status.st_size) for name, status in found)


def fitting(table: TableFolder | None) -> Callable[[StartGame], StartGame]:
    """Return what adapts a game to that table (None: any table); raises UnusableTableError if the table is damaged."""
    if table is None:
        return lambda game: game
    try:
        return partial(game_on, board=table.setup.board, sections=sections_of(table))
    except BadInputError as error:
        raise UnusableTableError(str(error)) from None


def lies_on(table: TableFolder | None, state: State) -> bool:
    """Whether the game was dealt on a board like that table's; always true if there is no table."""
    return table is None or state.position is None or bool(state.position.ground.board == table.setup.board)


def game_on(game: StartGame, board: Board, sections: Mapping[str, Sequence[Section]]) -> StartGame:
    """Return the game as it is dealt on that board, with the pieces that the table was taught.

    A game for another board is replaced by the first that is played on this one. Players whose colours were not taught
    get free ones that were; if there are more players than colours, the last have no place. All colours' pieces are
    given, including those that nobody plays this time. If nothing was taught, as on La Strada's board, colours stay as
    they are.
    """
    if not isinstance(board, type(rule_set(game.rules).board)):
        fitting = (name for name in GAMES.values() if isinstance(board, type(rule_set(name).board)))
        rules = rule_set(next(fitting))
        players = _in_colors(game.players, list(sections) or list(rules.colors))
        game = StartGame(players, rules.name, {})
    chosen = {name: option for name, option in game.options.items() if name != TAUGHT}
    if not sections:
        return replace(game, options=chosen)
    players = _in_colors(game.players, list(sections))
    given = {color: [section_to_json(one) for one in each] for color, each in sections.items()}
    return StartGame(players, game.rules, {**chosen, TAUGHT: given})


def _in_colors(players: Sequence[Player], colors: Sequence[str]) -> tuple[Player, ...]:
    """Return the players, as many as there are colours, each in one of these: their own if it is among them."""
    seated = list(players[: len(colors)])
    own = [str(player.color) for player in seated]
    free = [color for color in colors if color not in own]
    return tuple(
        player if player.color in colors else Player(player.name, player_color(free.pop(0))) for player in seated
    )


class FitCheck:
    """Warns, by the code MOVED, while the still picture does not show the table as it was set up. Has its own thread.

    `picture` gives the camera's newest picture, or None. If the board is not found, the loop says so: it looks for the
    board in every picture.
    """

    def __init__(
        self,
        table: TableFolder,
        picture: Callable[[], Image | None],
        warn: Callable[[str], object],
        fit: Callable[[TableFolder, Image], StillFits] = still_fits,
        still_s: float = STILL_S,
        misfit_s: float = MISFIT_S,
    ) -> None:
        self._table, self._picture, self._warn, self._fit = table, picture, warn, fit
        self._still_s, self._misfit_s = still_s, misfit_s
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fit", daemon=True)

    def __enter__(self) -> FitCheck:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ending.set()
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        while (image := self._still()) is not None:
            try:
                fit = self._fit(self._table, image)
            except BadInputError as error:
                _log.warning("whether the table still fits is not known: %s", error)
                return
            if fit.fits:
                self._warn("")
                return
            _log.warning("the table does not fit: %s", fit.why)
            self._warn("" if fit.moved_cells is None else MOVED)
            if self._ending.wait(self._misfit_s):
                return

    def _still(self) -> Image | None:
        """Return the next still picture; None if the check is over before there is one."""
        steadier = Steadier()
        while not self._ending.wait(self._still_s):
            if (image := self._picture()) is None:
                steadier = Steadier()
            elif steadier.look(image).is_still:
                return image
        return None


def give_examples(reader: Reader, folder: Path) -> None:
    """Give a reader the examples of earlier evenings; if they are damaged, or of another set-up, it does without."""
    try:
        reader.growing.read(contents(folder / EXAMPLES_FILE))
    except FileNotFoundError:
        pass
    except (OSError, BadInputError) as error:
        _log.warning("%s: %s; the table is read as it was taught", folder / EXAMPLES_FILE, error)


class KeptExamples:
    """Writes a reader's examples down whenever a game is over, and at the end. The loop's thread owns it."""

    def __init__(self, reader: Reader, folder: Path) -> None:
        self._reader, self._path = reader, folder / EXAMPLES_FILE
        self._kept = reader.growing.examples

    def witness(self, events: Iterable[Event]) -> None:
        """Keep them if a game is over."""
        if any(isinstance(event, GameOver) for event in events):
            self.keep()

    def keep(self) -> None:
        """Write them down, if there are new ones; if the disk refuses, the game goes on all the same."""
        if self._reader.growing.examples == self._kept:
            return
        try:
            write_whole(self._path, self._reader.growing.to_bytes())
            self._kept = self._reader.growing.examples
        except OSError as error:
            _log.warning("examples of this evening's tiles were not kept: %s", error)
