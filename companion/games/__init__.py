"""The rules of each game, pure: a position and a change become a verdict."""

from collections.abc import Mapping

from companion.board import BadInputError, PlayerColor
from companion.games.contract import Hint, Position, RuleSet, Score
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER
from companion.games.silk_road import COMPETITIVE, COOPERATIVE

#: The rule sets that the companion referees, by the `rules` of a record.
RULE_SETS: dict[str, RuleSet] = {
    rules.name: rules for rules in (STANDARD, TWO_PLAYER, DANGER, COMPETITIVE, COOPERATIVE)
}


#: The rules of each game's box, by the `game` of a record.
GAMES: dict[str, str] = {"la-strada": STANDARD.name, "silk-road": COMPETITIVE.name}


def rule_set(name: str) -> RuleSet:
    """Return the rule set of that name; raises BadInputError if it is not known."""
    if name not in RULE_SETS:
        raise BadInputError(f"rules {name!r} are not known; this version referees {', '.join(RULE_SETS)}")
    return RULE_SETS[name]


def score(position: Position) -> Score:
    """Return the score of the table as it stands, by the rules of its game."""
    return rule_set(position.rules_name).score(position)


def places(position: Position) -> Mapping[PlayerColor, int]:
    """Return each player's place once the game is over: by gold or wealth, then by days; several may share a place.

    Empty if all play together.
    """
    if rule_set(position.rules_name).is_together:
        return {}
    has = {color: (earned, position.days.get(color, 0)) for color, earned in score(position).gold.items()}
    return {color: 1 + sum(other > mine for other in has.values()) for color, mine in has.items()}


def hints(position: Position) -> tuple[Hint, ...]:
    """Return the cheapest way to each place that the player in turn could reach; none unless the table allows them."""
    return rule_set(position.rules_name).hints(position)
