"""What lights and buzzer can say: short sequences that end by themselves.

Colour is never alone: each cue differs in rhythm and tune too, so that it is understood without seeing green and red.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

#: Red, green, blue, each from 0 (dark) to 1.
Rgb = tuple[float, float, float]

DARK: Rgb = (0, 0, 0)
GREEN: Rgb = (0, 1, 0)
RED: Rgb = (1, 0, 0)
AMBER: Rgb = (1, 0.45, 0)
BLUE: Rgb = (0, 0.3, 1)
WHITE: Rgb = (1, 1, 1)

#: The notes used here, in Hz; all lie in the two octaves round A4 (440 Hz) that gpiozero's TonalBuzzer plays.
G4, C5, D5, E5, G5 = 392.0, 523.3, 587.3, 659.3, 784.0


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
        return max(sum(flash.seconds for flash in self.light), sum(note.seconds for note in self.tune))

    @property
    def steps_s(self) -> tuple[float, ...]:
        """When something changes, in seconds since the start, ascending; the last is the end."""
        lights = accumulate(flash.seconds for flash in self.light)
        notes = accumulate(note.seconds for note in self.tune)
        return tuple(sorted({*lights, *notes}))

    def at(self, elapsed_s: float) -> Moment | None:
        """Return what lamp and buzzer do that long after the start; None once the cue is over."""
        if elapsed_s >= self.seconds:
            return None
        colour, hz = DARK, None
        for flash, end_s in zip(self.light, accumulate(flash.seconds for flash in self.light), strict=True):
            if elapsed_s < end_s:
                colour = flash.colour
                break
        for note, end_s in zip(self.tune, accumulate(note.seconds for note in self.tune), strict=True):
            if elapsed_s < end_s:
                hz = note.hz
                break
        return Moment(colour, hz)


@dataclass(frozen=True, slots=True)
class Moment:
    """Lamp and buzzer at one instant; `hz` None is silence."""

    colour: Rgb
    hz: float | None


def _blink(colour: Rgb, times: int, on_s: float, off_s: float) -> tuple[Flash, ...]:
    return (Flash(colour, on_s), Flash(DARK, off_s)) * times


#: Rising third and fifth, steady green.
LEGAL = Cue("legal", (Flash(GREEN, 2.5),), (Note(C5, 0.12), Note(E5, 0.12), Note(G5, 0.24)))
#: Two falling notes, quick red.
ILLEGAL = Cue("illegal", _blink(RED, 8, 0.25, 0.2), (Note(C5, 0.2), Note(None, 0.05), Note(G4, 0.45)))
#: One note twice, slow amber: nothing is wrong, something is missing.
UNFINISHED = Cue("unfinished", _blink(AMBER, 4, 0.6, 0.4), (Note(D5, 0.15), Note(None, 0.1), Note(D5, 0.15)))
#: A hand is in the way: very quick amber, one short note.
HIDDEN = Cue("hidden", _blink(AMBER, 14, 0.12, 0.08), (Note(D5, 0.1),))
#: A question: slow blue, a rising second.
UNCLEAR = Cue("unclear", _blink(BLUE, 4, 0.6, 0.4), (Note(D5, 0.15), Note(E5, 0.3)))
#: The next player: a short white wink and one note.
TURN = Cue("turn", (Flash(WHITE, 0.3),), (Note(E5, 0.1),))
#: The game begins.
START = Cue("start", _blink(WHITE, 2, 0.3, 0.2), (Note(G4, 0.12), Note(C5, 0.2)))
#: The game is over: all colours once, a small fanfare.
END = Cue(
    "end",
    tuple(Flash(colour, 0.5) for colour in (GREEN, BLUE, AMBER, WHITE, GREEN, BLUE, AMBER, WHITE)),
    (Note(C5, 0.15), Note(C5, 0.15), Note(G5, 0.3), Note(E5, 0.15), Note(G5, 0.5)),
)
#: The camera is gone or the board is out of sight: red and blue in turn, a long low note.
TROUBLE = Cue("trouble", (Flash(RED, 0.4), Flash(BLUE, 0.4)) * 4, (Note(G4, 0.8),))

CUES = {cue.name: cue for cue in (LEGAL, ILLEGAL, UNFINISHED, HIDDEN, UNCLEAR, TURN, START, END, TROUBLE)}
