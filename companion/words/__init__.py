"""Reasons, events and the score, in sentences for ten-year-olds, in German, English, French and Italian.

By topic: what happens at the table (`table`), each game's refusals together with its rules (`la_strada`, `silk_road`,
chosen in `rules`), the set-up (`setting_up`), the machine (`machine`, spoken by `doctor`), and the names of pieces
(`pieces`). `catalogues` has their translations, from companion/locale, and a `Voice` speaks them.
"""

from companion.words.catalogues import LANGUAGES, language_of
from companion.words.voice import Voice

__all__ = ["LANGUAGES", "Voice", "language_of"]
