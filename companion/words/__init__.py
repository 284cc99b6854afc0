"""Reasons, events and the score as sentences that a ten-year-old accepts, in German, English, French and Italian.

By topic: what happens at the table (`table`), each game's refusals beside its rules (`la_strada`, `silk_road`, chosen
in `rules`), the set-up (`setting_up`), the machine (`machine`, spoken by `doctor`), and what pieces are called
(`pieces`). Translated in companion/locale (`catalogues`), spoken by a `Voice`.
"""

from companion.words.catalogues import LANGUAGES, language_of
from companion.words.voice import Voice

__all__ = ["LANGUAGES", "Voice", "language_of"]
