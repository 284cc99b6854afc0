"""Whole evenings as a live table, and how soon the lamp answers; measured on rendered tables.

    python -m bench.live --shared ../shared [--table elm] [--photos 12]

Every photograph of an evening is held for a second at ten frames a second, each frame with fresh noise, 2 % flicker and
half a pixel of jitter. Between photographs a drawn hand crosses. Where the evening says done, the button is pressed as
the hand leaves (in the last frame that shows it). The loop is the companion's own: cheap look, still frames, reading,
session, logbook (in a temporary folder), cue. The word on each press is compared with what `strada watch` says of the
same photographs, one at a time: a press that lapsed under a hand counts as hidden. If the table asks whether the days
are saved, a second press answers.

It prints the words that differ, the cues beyond one for each change, and the decisions while a hand was in the picture.
It prints the time from the first frame without a hand to the cue, median and 95th percentile, in frames and in
milliseconds of work, and where that time went. It also prints the share of a core that the loop takes while nothing
moves, at ten frames a second. The bars are 300 ms in addition to the still frames, and 15 % of a core. The last line is
JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import cv2

from bench.bars import Bar, told
from bench.living import LiveTable
from calibration.table import TableFolder, load_photo
from companion.evening import Button, Evening, Line, Word, load_evening, referee, word_of
from companion.events import Event, PressLapsed, SavingAsked
from companion.games.contract import Position
from companion.logbook import Logbook
from companion.scoreboard import Scoreboard
from companion.service import Eyes, Pace, Service
from companion.session import Session
from companion.system.pictures import jpeg
from hardware.cues import Cue
from vision.hands import STILL_FRAMES, Steadier
from vision.reader import Reader

#: Issue 5: from the first still frame to the cue, without the still frames themselves; the share of a core while idle.
ANSWER_BAR_MS, IDLE_BAR = 300.0, 15.0
FRAMES_PER_S = 10.0
#: How long people hear the answer before they go on, and how soon they press again at the earliest.
HEARD_S, AGAIN_S = 0.5, 0.7


class Stopwatch:
    """Times added up by name."""

    def __init__(self) -> None:
        self.spent_s: dict[str, float] = defaultdict(float)

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        """Add the time spent inside `with`."""
        began_s = time.perf_counter()
        try:
            yield
        finally:
            self.spent_s[name] += time.perf_counter() - began_s

    def timed(self, thing: Any, **names: str) -> Any:
        """Return the thing with those methods timed under the given names."""
        return _Timed(thing, self, names)


class _Timed:
    def __init__(self, thing: Any, watch: Stopwatch, names: dict[str, str]) -> None:
        self._thing, self._watch, self._names = thing, watch, names

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._thing, name)
        if name not in self._names:
            return found

        def counted(*arguments: Any, **keywords: Any) -> Any:
            with self._watch.on(self._names[name]):
                return found(*arguments, **keywords)

        return counted


@dataclass
class Panel:
    """A panel that remembers its cues."""

    cues: list[Cue] = field(default_factory=list)

    def play(self, cue: Cue) -> None:
        """Remember it."""
        self.cues.append(cue)

    def glow(self, glow: object) -> None:
        """Do nothing: it is not measured."""

    def show_turn(self, color: str | None) -> None:
        """Do nothing: it is not measured."""

    def pause(self) -> None:
        """Do nothing: there is nothing to darken."""

    def resume(self) -> None:
        """Do nothing: nothing was dark."""


@dataclass
class Answer:
    """The result of one photograph: the words said, how many cues, and how long after the hand was gone."""

    number: int
    words: list[Word] = field(default_factory=list)
    cues: int = 0
    frames: int = 0
    work_ms: float = 0.0
    under_hand: int = 0
    is_saving: bool = False


class Live:
    """The companion's loop over photographs brought to life. Belongs to one thread."""

    def __init__(
        self, folder: TableFolder, evening: Evening, logbook: Logbook, photos: int | None = None, seed: int = 1
    ) -> None:
        self.watch, self.panel = Stopwatch(), Panel()
        self._buttons = [photo.button for photo in evening.photos[:photos]]
        paths = [evening.folder / photo.name for photo in evening.photos[:photos]]
        reader = Reader.of(folder)
        self.table = LiveTable(paths, reader.view, seed=seed, on_press=self._press)
        self.answers: list[Answer] = [Answer(number) for number in range(len(paths))]
        self.idle_s: list[float] = []
        self._is_open = False
        self._heard_s = 0.0
        self._again_s: float | None = None
        self.service = Service(
            Eyes(
                self.watch.timed(self.table, frame="the table itself"),
                self.watch.timed(reader, read="reading"),
                self.watch.timed(Steadier(), look="cheap look", picture="mean of the still frames"),
            ),
            self.panel,
            Scoreboard(),
            evening.game,
            session=self.watch.timed(Session(), see="session", obey="session", standing="session"),
            logbook=self.watch.timed(logbook, record="logbook"),
            witness=self._hear,
            pace=Pace(clock=self.table.clock),
        )

    def play(self) -> list[Answer]:
        """Play to the end; return the result of each photograph."""
        while True:
            apart_s, cues = self.watch.spent_s["the table itself"], len(self.panel.cues)
            is_open = self._is_open
            reads_s, began_s = self.watch.spent_s["reading"], time.perf_counter()
            try:
                self.service.step()
            except EOFError:
                return self.answers
            spent_s = time.perf_counter() - began_s - (self.watch.spent_s["the table itself"] - apart_s)
            moment = self.table.moment
            answer = self.answers[moment.number]
            answer.cues += len(self.panel.cues) - cues
            if is_open and not moment.has_hand:
                answer.work_ms += 1000 * spent_s
                answer.frames = moment.free_frames + 1
            if self.watch.spent_s["reading"] == reads_s and not moment.has_hand:
                self.idle_s.append(spent_s)
            if not self._is_open and self.table.now_s >= self._heard_s + HEARD_S:
                self.table.is_waited_for = False
            if self._again_s is not None and self.table.now_s >= self._again_s:
                self._again_s = None
                self.service.press()

    def _press(self, number: int) -> None:
        if self._buttons[number] is not Button.LOOK:
            self.table.is_waited_for = self._is_open = True
            self.service.press()

    def _hear(self, events: Sequence[Event], position: Position | None) -> None:
        moment = self.table.moment
        answer = self.answers[moment.number]
        for event in events:
            if isinstance(event, SavingAsked):  # the player reads it, and presses again
                answer.is_saving = True
                self._again_s = self.table.now_s + AGAIN_S
            word = _lapsed(event, position) if isinstance(event, PressLapsed) else word_of(event)
            if word is not None:
                answer.words.append(word)
                answer.under_hand += moment.has_hand
                self._is_open, self._heard_s = False, self.table.now_s


def _lapsed(event: PressLapsed, position: Position | None) -> Word:
    """Return the word on a press that lapsed: something covers the board."""
    return Word(position.phase if position else "deal", event.player, "hidden")


def main() -> None:
    """Print the words that differ and the figures of each evening, then of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--table", help="only this table")
    parser.add_argument("--photos", type=int, help="only so many photographs of each evening")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    figures: dict[str, Any] = {}
    frames: list[int] = []
    work_ms: list[float] = []
    idle_s: list[float] = []
    differ = under_hand = flickers = 0
    for folder in sorted((options.shared / "tables").glob(f"{options.table or '*'}/games/evening")):
        name = folder.parents[1].name
        evening = load_evening(folder)
        with TemporaryDirectory(prefix="strada-live-") as kept, Logbook(Path(kept), encode=jpeg) as logbook:
            live = Live(TableFolder.open(folder.parents[1]), evening, logbook, options.photos)
            answers = live.play()
        lines = watched(evening, options.photos)
        wrong = [
            f"{name} {line.photo.name}: live {_said(answer.words)}, watched {_said([*line.earlier, line.word])}"
            for answer, line in zip(answers, lines, strict=True)
            if decided(answer.words) != decided([*line.earlier, line.word])
        ]
        print("\n".join(wrong) or f"{name}: every word as with strada watch")
        timed = [answer for answer in answers if answer.words and not answer.is_saving and _is_decided(answer.words)]
        print(f"{name}: {_latency(timed)}; {_where(live.watch)}")
        figures[name] = {"photographs": len(answers), "differ": len(wrong), "presses": len(timed)}
        differ += len(wrong)
        under_hand += sum(answer.under_hand for answer in answers)
        flickers += sum(max(0, answer.cues - 1 - answer.is_saving) for answer in answers)
        frames += [answer.frames for answer in timed]
        work_ms += [answer.work_ms for answer in timed]
        idle_s += live.idle_s
    if not frames:
        raise SystemExit("no evening was played: are there photographs?")
    bars = [
        Bar("words other than with strada watch", differ, 0, "photographs"),
        Bar("decided under a hand", under_hand, 0, "photographs"),
        Bar("more than a cue a change", flickers, 0, "cues"),
        Bar("95 % of answers, beside the still frames", _percentile(work_ms, 95), ANSWER_BAR_MS, "ms"),
        Bar("a core's share while nothing moves", 100 * FRAMES_PER_S * sum(idle_s) / len(idle_s), IDLE_BAR),
    ]
    total = {
        "frames_median": median(frames),
        "frames_95": _percentile(frames, 95),
        "still_frames": STILL_FRAMES,
        "work_ms_median": round(median(work_ms), 1),
        "work_ms_95": round(_percentile(work_ms, 95), 1),
        "bars": told(bars),
    }
    print(json.dumps({"evenings": figures, "all": total}))


def watched(evening: Evening, photos: int | None) -> list[Line]:
    """Return what `strada watch` says of the photographs."""
    table = TableFolder.open(evening.folder.parents[1])
    photograph: Callable[[Path], Any] = lambda path: load_photo(path, table.setup.size_px)  # noqa: E731
    return list(islice(referee(evening, photograph, Reader.of(table), Session()), photos))


def decided(words: Sequence[Word]) -> list[tuple[Any, ...]]:
    """Return what two runs must agree on: who, which verdict, which violations on which cells."""
    return [
        (word.kind, word.player, word.verdict, word.violations, word.cells if word.verdict == "illegal" else ())
        for word in words
        if word.verdict != "none"
    ]


def _is_decided(words: Sequence[Word]) -> bool:
    return words[-1].verdict in ("legal", "illegal")


def _said(words: Sequence[Word]) -> str:
    return ", ".join(" ".join([str(w.player), w.verdict, *w.violations, *w.cells]) for w in words) or "nothing"


def _latency(answers: Sequence[Answer]) -> str:
    frames, work = [answer.frames for answer in answers], [answer.work_ms for answer in answers]
    if not frames:
        return "no press was answered"
    return (
        f"{len(frames)} answers after {median(frames):g} frames (95 %: {_percentile(frames, 95):g}) and"
        f" {median(work):.0f} ms of work (95 %: {_percentile(work, 95):.0f})"
    )


def _where(watch: Stopwatch) -> str:
    whole = {name: spent for name, spent in watch.spent_s.items() if name != "the table itself"}
    total = sum(whole.values())
    shares = sorted(whole.items(), key=lambda item: -item[1])
    return "time went to " + ", ".join(f"{name} {100 * spent / total:.0f} %" for name, spent in shares)


def _percentile(values: Sequence[float], percent: float) -> float:
    ordered = sorted(values)
    return float(ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))])


if __name__ == "__main__":
    main()
