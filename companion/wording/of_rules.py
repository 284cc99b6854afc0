"""Which message belongs to a code: that of the rule set, where it means something else by it, or everybody's."""

from __future__ import annotations

from collections.abc import Mapping

from companion.games import silk_road
from companion.wording.messages import EVENTS, REASONS, REASONS_OF_RULES, Message
from companion.wording.silk_road_messages import SILK_ROAD_EVENTS, SILK_ROAD_REASONS

_REASONS: Mapping[tuple[str, str], Message] = {
    **REASONS_OF_RULES,
    **{(rules, code): message for rules in silk_road.RULE_SETS for code, message in SILK_ROAD_REASONS.items()},
}

_EVENTS: Mapping[tuple[str, str], Message] = {
    (rules, code): message for rules in silk_road.RULE_SETS for code, message in SILK_ROAD_EVENTS.items()
}


def reason_message(rules: str, code: str) -> Message:
    """Return the sentence of a reason under that rule set."""
    found = _REASONS.get((rules, code))
    return REASONS[code] if found is None else found


def event_message(rules: str, code: str) -> Message:
    """Return the sentence of an event under that rule set."""
    found = _EVENTS.get((rules, code))
    return EVENTS[code] if found is None else found
