"""Reasons, events and the score as sentences that a ten-year-old accepts, in German, English, French and Italian.

One message a code (`messages`; what a rule set means otherwise by one: `of_rules`), translated in companion/locale
(`catalogues`), spoken by a `Voice`.
"""

from companion.wording.catalogues import LANGUAGES, language_of
from companion.wording.voice import Voice

__all__ = ["LANGUAGES", "Voice", "language_of"]
