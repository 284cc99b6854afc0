"""Short melodies to choose from: a person's own is heard when their turn begins, on screens with sound on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.web.languages import _

#: A tune as notes, each (hertz, seconds); 0 Hz is a rest. None takes longer than two seconds: the game goes on.
Tune = tuple[tuple[float, float], ...]

_C4, _D4, _E4, _F4, _G4, _A4, _B4 = 261.6, 293.7, 329.6, 349.2, 392.0, 440.0, 493.9
_C5, _D5, _E5, _F5, _G5, _A5, _C6 = 523.3, 587.3, 659.3, 698.5, 784.0, 880.0, 1046.5

TUNES: Mapping[str, Tune] = {
    "lark": ((_E5, 0.1), (_G5, 0.1), (_C6, 0.1), (_G5, 0.1), (_A5, 0.1), (_C6, 0.35)),
    "bells": ((_G5, 0.3), (_E5, 0.3), (_C5, 0.3), (_G4, 0.55)),
    "march": ((_C5, 0.2), (0.0, 0.05), (_C5, 0.1), (_E5, 0.2), (_G5, 0.2), (_E5, 0.2), (_C5, 0.35)),
    "horn": ((_G4, 0.15), (_C5, 0.15), (_E5, 0.15), (_C5, 0.15), (_G5, 0.5)),
    "lullaby": ((_E5, 0.3), (_D5, 0.15), (_C5, 0.3), (_A4, 0.15), (_G4, 0.6)),
    "gallop": (
        (_A4, 0.1),
        (_A4, 0.1),
        (_A4, 0.2),
        (_C5, 0.1),
        (_C5, 0.1),
        (_E5, 0.2),
        (_D5, 0.1),
        (_C5, 0.1),
        (_A4, 0.3),
    ),
    "harp": ((_C4, 0.08), (_E4, 0.08), (_G4, 0.08), (_C5, 0.08), (_E5, 0.08), (_G5, 0.08), (_C6, 0.5)),
    "tango": ((_D5, 0.25), (_F5, 0.12), (_E5, 0.12), (_D5, 0.25), (_A4, 0.25), (_D5, 0.4)),
    "frog": ((_D4, 0.12), (0.0, 0.08), (_D4, 0.12), (0.0, 0.08), (_F4, 0.12), (0.0, 0.08), (_B4, 0.3)),
}

_NAMES: Mapping[str, Callable[[], str]] = {
    "lark": lambda: _("Lark"),
    "bells": lambda: _("Bells"),
    "march": lambda: _("March"),
    "horn": lambda: _("Horn"),
    "lullaby": lambda: _("Lullaby"),
    "gallop": lambda: _("Gallop"),
    "harp": lambda: _("Harp"),
    "tango": lambda: _("Tango"),
    "frog": lambda: _("Frog"),
}


def tunes() -> list[tuple[str, str]]:
    """Return all that can be chosen: the code, and the name in the language that is spoken now."""
    return [(code, _NAMES[code]()) for code in TUNES]
