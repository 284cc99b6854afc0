"""What the lights and the buzzer can say: cues, which end by themselves, and glows, which last.

Colour never carries the meaning alone. Each cue also has its own rhythm and tune, so that people who cannot see green
and red understand it; each glow has its own rhythm. The tunes' rhythms differ as well, for buzzers that have only one
tone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

#: Red, green, blue, each from 0 (dark) to 1.
Rgb = tuple[float, float, float]

DARK: Rgb = (0, 0, 0)
GREEN: Rgb = (0, 1, 0)
RED: Rgb = (1, 0, 0)
AMBER: Rgb = (1, 0.45, 0)
BLUE: Rgb = (0, 0.3, 1)
WHITE: Rgb = (1, 1, 1)
FAINT_AMBER: Rgb = (0.4, 0.18, 0)
FAINT_WHITE: Rgb = (0.3, 0.3, 0.3)

#: The notes used here, in Hz. All are in the two octaves around A4 (440 Hz) that gpiozero's TonalBuzzer plays.
G4, C5, D5, E5, G5 = 392.0, 523.3, 587.3, 659.3, 784.0


#: Sums of seconds are not exact. A change that would fall on the present moment is put off by this much.
LEAST_STEP_S = 0.001


@dataclass(frozen=True, slots=True)
class Flash:
    """The status lamp shows one colour for a while."""

    colour: Rgb
    seconds: float


@dataclass(frozen=True, slots=True)
class Note:
    """The buzzer sounds one pitch for a while; `hz` None is a rest."""

    hz: float | None
    seconds: float


Part = TypeVar("Part", Flash, Note)


@dataclass(frozen=True, slots=True)
class Cue:
    """What the status lamp and the buzzer do, once, from its start to its end.

    >>> LEGAL.at(0.05), LEGAL.at(60.0)
    (Moment(colour=(0, 1, 0), hz=523.3), None)
    """

    name: str
    light: tuple[Flash, ...]
    tune: tuple[Note, ...] = ()

    @property
    def seconds(self) -> float:
        """How long the cue lasts."""
        return self.steps_s[-1]

    @property
    def steps_s(self) -> tuple[float, ...]:
        """When something changes, in seconds since the start, in ascending order; the last is the end."""
        return tuple(sorted({*_ends_s(self.light), *_ends_s(self.tune)}))

    def then(self, other: Cue, pause_s: float = 0.2) -> Cue:
        """Return one cue made of both, with a pause before the other."""
        dark_s = self.seconds - sum(flash.seconds for flash in self.light) + pause_s
        rest_s = self.seconds - sum(note.seconds for note in self.tune) + pause_s
        light = (*self.light, Flash(DARK, dark_s), *other.light)
        return Cue(f"{self.name}, {other.name}", light, (*self.tune, Note(None, rest_s), *other.tune))

    def at(self, elapsed_s: float) -> Moment | None:
        """Return what the lamp and the buzzer do that long after the start; None once the cue is over."""
        if elapsed_s >= self.seconds:
            return None
        flash, note = _part_at(self.light, elapsed_s), _part_at(self.tune, elapsed_s)
        return Moment(DARK if flash is None else flash.colour, None if note is None else note.hz)


@dataclass(frozen=True, slots=True)
class Moment:
    """Lamp and buzzer at one instant; `hz` None is silence."""

    colour: Rgb
    hz: float | None


@dataclass(frozen=True, slots=True)
class Glow:
    """What the status lamp shows between cues: a rhythm that repeats until another glow takes its place.

    >>> UNFINISHED_GLOW.at(0.4), UNFINISHED_GLOW.at(3.0), UNFINISHED_GLOW.next_s(0.4), LEGAL_GLOW.next_s(0.4)
    ((1, 0.45, 0), (1, 0.45, 0), 1.2, None)
    """

    name: str
    rhythm: tuple[Flash, ...]

    @property
    def seconds(self) -> float:
        """After how long the rhythm repeats."""
        return sum(flash.seconds for flash in self.rhythm)

    def at(self, elapsed_s: float) -> Rgb:
        """Return the lamp's colour that long after the start."""
        return self._flash(elapsed_s)[0].colour

    def next_s(self, elapsed_s: float) -> float | None:
        """Return when the lamp changes next, in seconds since the start; None if it never does."""
        return None if len(self.rhythm) == 1 else self._flash(elapsed_s)[1]

    def _flash(self, elapsed_s: float) -> tuple[Flash, float]:
        """Return the flash shown then and when it ends, in seconds since the start, which is always later."""
        end_s = elapsed_s // self.seconds * self.seconds
        for flash in self.rhythm:
            end_s += flash.seconds
            if elapsed_s < end_s:
                break
        return flash, max(end_s, elapsed_s + LEAST_STEP_S)


def _part_at(parts: Sequence[Part], elapsed_s: float) -> Part | None:
    """Return the part that plays then; None once the last one has ended."""
    return next((part for part, end_s in zip(parts, _ends_s(parts), strict=True) if elapsed_s < end_s), None)


def _ends_s(parts: Sequence[Flash | Note]) -> list[float]:
    """Return when each part ends, in seconds since the start, to the microsecond, so that equal ends are equal."""
    return [round(end_s, 6) for end_s in accumulate(part.seconds for part in parts)]


def _blink(colour: Rgb, times: int, on_s: float, off_s: float) -> tuple[Flash, ...]:
    return (Flash(colour, on_s), Flash(DARK, off_s)) * times


def _notes(*notes: tuple[float, float], rest_s: float) -> tuple[Note, ...]:
    """Return the notes (hz, seconds) with rests between them, which separate them if all have one pitch."""
    return tuple(each for hz, seconds in notes for each in (Note(hz, seconds), Note(None, rest_s)))[:-1]


#: A rising third and fifth, short, short, long; steady green.
LEGAL = Cue("legal", (Flash(GREEN, 2.5),), _notes((C5, 0.1), (E5, 0.1), (G5, 0.28), rest_s=0.04))
#: Two long falling notes, quick red.
ILLEGAL = Cue("illegal", _blink(RED, 8, 0.25, 0.2), _notes((C5, 0.3), (G4, 0.6), rest_s=0.08))
#: One note twice, slow amber: nothing is wrong, something is missing.
UNFINISHED = Cue("unfinished", _blink(AMBER, 4, 0.6, 0.4), _notes((D5, 0.15), (D5, 0.15), rest_s=0.1))
#: A hand is in the way: very quick amber, one short note.
HIDDEN = Cue("hidden", _blink(AMBER, 14, 0.12, 0.08), (Note(D5, 0.1),))
#: A question: blue, long and short twice; a rising second, long and short.
UNCLEAR = Cue(
    "unclear", (*_blink(BLUE, 1, 0.9, 0.3), *_blink(BLUE, 1, 0.2, 0.6)) * 2, _notes((D5, 0.35), (E5, 0.12), rest_s=0.06)
)
#: The day-track markers differ from the books, a gentle reminder: faint white, three quick ticks.
MARKERS = Cue("markers", _blink(FAINT_WHITE, 3, 0.3, 0.3), _notes((E5, 0.06), (C5, 0.06), (E5, 0.06), rest_s=0.14))
#: The next player: a short white wink and one long high note.
TURN = Cue("turn", (Flash(WHITE, 0.45),), (Note(G5, 0.4),))
#: The game begins: short, long, rising.
START = Cue("start", _blink(WHITE, 2, 0.3, 0.2), _notes((G4, 0.12), (C5, 0.4), rest_s=0.06))
#: The game is over: all colours once, a small fanfare.
END = Cue(
    "end",
    tuple(flash for colour in (GREEN, BLUE, AMBER, WHITE) * 2 for flash in _blink(colour, 1, 0.4, 0.1)),
    _notes((C5, 0.15), (C5, 0.15), (G5, 0.3), (E5, 0.15), (G5, 0.6), rest_s=0.04),
)
#: The camera is gone or the board is out of sight: red and blue in turn, a very long low note.
TROUBLE = Cue("trouble", (Flash(RED, 0.4), Flash(BLUE, 0.4), Flash(DARK, 0.3)) * 3, (Note(G4, 1.2),))

CUES = {cue.name: cue for cue in (LEGAL, ILLEGAL, UNFINISHED, HIDDEN, UNCLEAR, MARKERS, TURN, START, END, TROUBLE)}

#: Nothing has been placed, or no game is on.
CALM_GLOW = Glow("calm", (Flash(DARK, 1.0),))
#: The table shows a legal turn: steady green.
LEGAL_GLOW = Glow("legal", (Flash(GREEN, 1.0),))
#: A road is not finished: amber that breathes slowly.
UNFINISHED_GLOW = Glow(
    "unfinished", (Flash(FAINT_AMBER, 0.3), Flash(AMBER, 0.9), Flash(FAINT_AMBER, 0.3), Flash(DARK, 0.7))
)
#: The table cannot become a legal turn: red, a double wink.
ILLEGAL_GLOW = Glow("illegal", (Flash(RED, 0.25), Flash(DARK, 0.2), Flash(RED, 0.25), Flash(DARK, 1.1)))
#: A hand is over the board: a faint white wink now and then.
HIDDEN_GLOW = Glow("hidden", (Flash(FAINT_WHITE, 0.15), Flash(DARK, 1.85)))
#: Somebody pressed, and the table waits until the hands are gone: quick amber.
WAITING_GLOW = Glow("waiting", _blink(AMBER, 1, 0.12, 0.12))
#: Please look at some cells: blue, long and short.
UNCLEAR_GLOW = Glow("unclear", (Flash(BLUE, 0.9), Flash(DARK, 0.3), Flash(BLUE, 0.2), Flash(DARK, 0.6)))
#: The table and the books disagree: blue, a triple wink.
DISAGREES_GLOW = Glow("disagrees", (*_blink(BLUE, 2, 0.2, 0.2), *_blink(BLUE, 1, 0.2, 1.0)))
#: The game is paused: faint white, slowly on and off.
PAUSED_GLOW = Glow("paused", _blink(FAINT_WHITE, 1, 2.0, 2.0))
#: The camera is gone or the board is out of sight: red, blue, with a gap after each pair.
BLIND_GLOW = Glow("blind", (Flash(RED, 0.5), Flash(BLUE, 0.5), Flash(DARK, 0.4)))

GLOWS = {
    glow.name: glow
    for glow in (
        CALM_GLOW,
        LEGAL_GLOW,
        UNFINISHED_GLOW,
        ILLEGAL_GLOW,
        HIDDEN_GLOW,
        WAITING_GLOW,
        UNCLEAR_GLOW,
        DISAGREES_GLOW,
        PAUSED_GLOW,
        BLIND_GLOW,
    )
}
