"""A voice for Silk Road: its reasons and the wealth of its roads in one language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from babel.support import NullTranslations

from companion.games.silk_road import Player, Reason, Road
from companion.wording.catalogues import catalogue
from companion.wording.messages import AT
from companion.wording.silk_road_messages import (
    COLLECTED,
    COLLECTED_BY_NOBODY,
    COLLECTED_DOUBLE,
    COLUMN,
    ROW,
    SILK_ROAD_REASONS,
)
from companion.wording.speech import form_of, listed, say


@dataclass(frozen=True, slots=True)
class SilkRoadVoice:
    """Speaks to the players of one game in one of `LANGUAGES`; raises BadInputError for any other."""

    players: Sequence[Player] = ()
    language: str = "en"
    _catalogue: NullTranslations = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_catalogue", catalogue(self.language))

    def name(self, color: str) -> str:
        """Return the name of the player of that colour; a colour that nobody plays is called by itself."""
        return next((player.name for player in self.players if player.color == color), color)

    def reasons(self, reasons: Iterable[Reason]) -> tuple[str, ...]:
        """Return a sentence a reason, its squares before it."""
        return tuple(map(self._reason, reasons))

    def roads(self, roads: Iterable[Road]) -> tuple[str, ...]:
        """Return a sentence for each road that creates wealth: who collects it, and whether a horse doubles it."""
        return tuple(map(self._road, roads))

    def _reason(self, reason: Reason) -> str:
        message, owner = SILK_ROAD_REASONS[reason.code], "" if reason.color is None else self.name(reason.color)
        if reason.cells:
            sentence = say(self._catalogue, message, len(reason.cells), owner=owner)
            return say(self._catalogue, AT, cells=listed(reason.cells), sentence=sentence)
        form = form_of(self._catalogue, message, 1)  # it begins a sentence; a name that it begins with stays as it is
        return (form[:1].upper() + form[1:]).format(owner=owner)

    def _road(self, road: Road) -> str:
        where = say(self._catalogue, ROW if road.is_row else COLUMN, name=road.name)
        if road.collector is None:
            return say(self._catalogue, COLLECTED_BY_NOBODY, road=where, wealth=road.wealth)
        message = COLLECTED_DOUBLE if road.wealth > road.number else COLLECTED
        player = self.name(road.collector)
        return say(self._catalogue, message, road=where, player=player, number=road.number, wealth=road.wealth)
