"""Reasons, events and the score as sentences that a ten-year-old accepts, in German, English, French and Italian.

One message a code (`messages`; `silk_road_messages`), translated in companion/locale (`catalogues`), spoken by a
`Voice`, of Silk Road by a `SilkRoadVoice`.
"""

from companion.wording.catalogues import LANGUAGES, language_of
from companion.wording.silk_road import SilkRoadVoice
from companion.wording.voice import Voice

__all__ = ["LANGUAGES", "SilkRoadVoice", "Voice", "language_of"]
