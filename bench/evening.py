"""How often the referee is right on whole photographed evenings, measured on rendered tables.

    python -m bench.evening --shared ../shared [--table elm] [--perfect]

It takes each evening whose rules are known, and of its photographs those at which somebody said done. It counts how
many got the right word (verdict and violations, and for an illegal move the cells if the truth names them), how many
were asked about (unclear, or hidden) and how many were decided wrongly. It also says whether anything was decided on a
look, and the final gold and winners. The bars are over all evenings together: no word wrong, at most 2 % asked about,
nothing decided on a look. `--perfect` puts the truth in the reader's place: any errors left are the session's and the
referee's own. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from bench.bars import Bar, told
from bench.comparing import Share
from calibration.table import TableFolder, load_photo
from companion.board import BadInputError, Cell, Contents, HexBoard, PlayerColor, Reading, reading_from_json
from companion.evening import Button, Evening, Line, load_evening, referee
from companion.session import Session

#: Issue 4: the most per cent of the photographs with a done that may be asked about.
ASKED_BAR = 2.0


class TruthReader:
    """A reader that reads the truth next to the photograph."""

    def __init__(self, board: HexBoard) -> None:
        self._board = board

    def new_game(self) -> None:
        """Do nothing: there is nothing to forget."""

    def read(self, image: Path, is_again: bool = False) -> Reading:
        """Return the truth."""
        return reading_from_json(json.loads(image.with_suffix(".json").read_text()), self._board)

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Learn nothing: all is known."""

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        """Learn nothing: all is known."""


@dataclass
class Tally:
    """The result of one evening's photographs."""

    done: int = 0
    right: int = 0
    unclear: int = 0
    hidden: int = 0
    wrong: int = 0
    later_right: int = 0
    later_wrong: int = 0
    looks_decided: int = 0
    markers_right: int = 0
    gold_right: bool = False
    winners_right: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the figures, and what per cent of the photographs with a done got the right word."""
        return {**vars(self), "right_percent": round(100 * self.right / max(self.done, 1), 1)}

    def __str__(self) -> str:
        return (
            f"{Share(self.right, self.done)} right, {self.unclear} unclear, {self.hidden} hidden, {self.wrong} wrong;"
            f" of those asked about, decided later: {self.later_right} right, {self.later_wrong} wrong;"
            f" decided on a look {self.looks_decided}; markers right {self.markers_right};"
            f" final gold {'right' if self.gold_right else 'WRONG'},"
            f" winners {'right' if self.winners_right else 'WRONG'}"
        )


def main() -> None:
    """Print a line for every photograph that is not right, then each evening's figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--table", help="only this table")
    parser.add_argument("--perfect", action="store_true", help="read the truth instead of the photographs")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    figures: dict[str, Any] = {}
    tallies = []
    for folder in sorted((options.shared / "tables").glob(f"{options.table or '*'}/games/evening")):
        name = folder.parents[1].name
        try:
            evening = load_evening(folder)
        except BadInputError as error:
            print(f"{name}: left out, {error}")
            continue
        began_s = time.perf_counter()
        found = tally(name, evening, lines(evening, options.perfect))
        print(f"{name} ({evening.game.rules}): {found}")
        figures[name] = {**found.as_json(), "seconds": round(time.perf_counter() - began_s, 1)}
        tallies.append(found)
    done, right = (sum(getattr(found, key) for found in tallies) for key in ("done", "right"))
    print(f"all: {Share(right, done)} right")
    total = {"done": done, "right": Share(right, done).to_json(), "bars": told(bars(tallies))}
    print(json.dumps({"perfect" if options.perfect else "evenings": figures, "all": total}))


def bars(tallies: Sequence[Tally]) -> list[Bar]:
    """Return the bars over all evenings together; hidden counts as asked about too."""
    done = sum(found.done for found in tallies)
    asked = Share(sum(found.unclear + found.hidden for found in tallies), done)
    return [
        Bar("words wrong on done", sum(found.wrong + found.later_wrong for found in tallies), 0, "photographs"),
        Bar("asked about on done", asked.percent, ASKED_BAR),
        Bar("decided on a look", sum(found.looks_decided for found in tallies), 0, "photographs"),
    ]


def lines(evening: Evening, perfect: bool) -> Iterator[Line]:
    """Yield what the referee says about each photograph."""
    table = TableFolder.open(evening.folder.parents[1])
    if perfect:
        board = table.setup.board
        assert isinstance(board, HexBoard), "evenings are on boards of hexagons"
        return referee(evening, lambda path: path, TruthReader(board), Session())
    from vision.reader import Reader  # noqa: PLC0415 - only where photographs are read

    photograph: Callable[[Path], Any] = lambda path: load_photo(path, table.setup.size_px)  # noqa: E731
    return referee(evening, photograph, Reader.of(table), Session())


def tally(name: str, evening: Evening, said: Iterator[Line], tell: Callable[[str], object] = print) -> Tally:
    """Compare every line with the photograph's truth, and late words with the truth of those asked about last.

    `tell` gets a line for each photograph with a done whose word is not right.
    """
    found = Tally()
    asked: list[dict[str, Any]] = []
    line = None
    expected: dict[str, Any] = {}
    for line in said:
        truth = json.loads((evening.folder / line.photo.name).with_suffix(".json").read_text())
        expected = truth["expected"]
        if line.photo.button is Button.LOOK:
            found.looks_decided += line.word.verdict != "none"
        seen = line.to_json()
        # The latest are those that were asked about. A move accepted as it lies does not say whether it is right.
        meant = zip(reversed(line.earlier), reversed(asked), strict=False)
        later = [is_right(past.to_json(), right) for past, right in meant if past.verdict != "accepted"]
        found.later_right += sum(later)
        found.later_wrong += len(later) - sum(later)
        if line.photo.button is not Button.DONE:
            continue
        found.done += 1
        found.markers_right += seen["markers"] == expected.get("markers", {})
        is_asked = seen["verdict"] in ("unclear", "hidden")
        asked = [*asked, expected] if is_asked else []
        if is_asked:
            found.unclear += seen["verdict"] == "unclear"
            found.hidden += seen["verdict"] == "hidden"
        elif is_right(seen, expected):
            found.right += 1
            continue
        else:
            found.wrong += 1
        tell(f"{name} {line.photo.name}: said {word(seen)}; right is {word(expected)}")
    if line is not None:
        seen = line.to_json()
        found.gold_right = seen["gold"] == expected["gold"]
        found.winners_right = seen["winners"] == expected["winners"]
    return found


def is_right(told: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether the word is right, and about the right move."""
    return (
        told["verdict"] == ("legal" if expected["legal"] else "illegal")
        and all(told[key] == expected[key] for key in ("kind", "player", "violations"))
        and ("cells" not in expected or told["cells"] == sorted(expected["cells"]))
    )


def word(line: dict[str, Any]) -> str:
    """Return the word of a line or an expectation, for comparison with another."""
    verdict = line.get("verdict") or ("legal" if line.get("legal") else "illegal")
    return " ".join([str(line.get("player")), verdict, *line.get("violations", []), *line.get("cells", [])])


if __name__ == "__main__":
    main()
