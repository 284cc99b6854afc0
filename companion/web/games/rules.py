"""The rule that a reason stands on, in one sentence, as the rulebook has it (Reason's codes: companion.wording)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from companion.logbook.archive import StoryStep
from companion.web.languages import _


def rule_of(code: str, rules: str) -> str:
    """Return the rule behind a reason in that set of rules; "" for a code that has none."""
    return next((told[code] for words in _BOOKS[rules] if code in (told := words())), "")


def rule_of_step(step: StoryStep) -> str:
    """Return the rule behind a verdict that names no reason."""
    match step.kind, getattr(step.event, "change", None):
        case ("legal", None):
            return _("A workshop lies on an empty plain cell, with a free cell between it and those of other players.")
        case ("legal", change) if not step.position.days:
            return _way() if change else _("Whoever passes lays no more in this game.")
        case ("legal", change):
            return _costs() if change else _("Whoever builds nothing keeps his days, ten at the most.")
        case ("hidden", _change):
            return _("Nothing is decided on a board that cannot be seen.")
        case ("unclear", _change):
            return _("What cannot be told is not guessed: somebody at the table says what lies there.")
    return ""


def _costs() -> str:
    return _("A plain tile costs 2 days, a forest tile 3 and a hill tile 4; nobody builds on credit.")


def _way() -> str:
    return _("A road section lies on an open square next to the snow, or where a ray of a section beside it points.")


def _silk_road() -> dict[str, str]:
    stays = _("A road section that was laid stays as it lies.")
    return {
        "cell-occupied": _way(),
        "game-over": _("Once the game has ended nothing more is laid."),
        "ground-changed": _("Snow and mountains stay where they were laid."),
        "mountain-count": _("Four mountains lie on open squares."),
        "mountain-near": _("No mountain lies next to the snow or to another mountain, not even diagonally."),
        "mountain-rim": _("No mountain lies on the rim."),
        "no-way": _way(),
        "not-your-turn": _("Players move one after the other, clockwise."),
        "section-foreign": _("Each player lays his own road sections."),
        "section-many": _("In a turn one road section is laid, or none."),
        "section-unknown": _("Each player lays his own road sections."),
        "section-used": _("Each player has each of his road sections once."),
        "snow-corner": _("The snow lies on a corner."),
        "tile-changed": stays,
        "tile-removed": stays,
    }


def _common() -> dict[str, str]:
    return {
        "already-connected": _("A road ends at a settlement that its player has not reached yet."),
        "cell-occupied": _("Each piece lies on a free cell; nothing is stacked."),
        "days": _costs(),
        "dead-end": _("Every road is complete at the end of a turn: it ends at a settlement."),
        "deal-count": _("The deal is 4 cities, 5 towns, 5 villages and 5 hamlets."),
        "deal-site": _("Settlements are dealt on the cells with a grey dot."),
        "foreign-workshop": _("No road leads to another player’s workshop."),
        "game-over": _("Once the game has ended nothing more is laid."),
        "joins-road": _("Roads never cross, join or branch; a settlement is the only way through."),
        "merchant-color": _("Each player moves his own merchants alone."),
        "merchant-extra": _("On a settlement that is reached its player puts exactly one merchant."),
        "merchant-missing": _("On a settlement that is reached its player puts exactly one merchant."),
        "merchant-removed": _("Merchants of earlier turns stay where they are."),
        "merchant-supply": _("Each player has twelve merchants."),
        "merchant-unconnected": _("A merchant is put only where a new road ends."),
        "not-connected": _("A road starts at its player’s workshop, or at a settlement where he has a merchant."),
        "not-your-turn": _("Players move one after the other, clockwise."),
        "settlement-changed": _("Settlements stay as they were dealt."),
        "tile-changed": _("A road that was laid is never taken up, turned or swapped."),
        "tile-color": _("A road is built of its player’s own tiles alone."),
        "tile-removed": _("A road that was laid is never taken up, turned or swapped."),
        "tile-supply": _("Each player has 18 plain tiles, 8 forest tiles and 5 hill tiles."),
        "tile-terrain": _("Each tile lies on its own terrain: plain, forest or hill."),
        "workshop-changed": _("Workshops stay where they were placed."),
        "workshop-late": _("Workshops are placed before the first turn, and never later."),
        "workshop-missing": _("The first turn begins once all workshops are placed."),
        "workshop-terrain": _("A workshop lies on an empty plain cell."),
        "workshop-too-close": _("Between workshops of different players lies at least one free cell."),
    }


def _for_two() -> dict[str, str]:
    return {
        "merchant-extra": _("For two, each settlement has room for one merchant in all."),
        "merchant-occupied": _("For two, each settlement has room for one merchant in all."),
        "not-connected": _("A road starts at its player’s workshop, or at a settlement that he has reached."),
    }


def _danger() -> dict[str, str]:
    return {
        "already-connected": _("A road ends at another place than the one it starts from."),
        "merchant-extra": _("Six merchants start on each workshop."),
        "merchant-missing": _("Six merchants start on each workshop."),
        "merchant-move": _("Merchants walk only along a road as it is built, from where it starts to where it ends."),
        "merchant-total": _("Merchants only walk: as many arrive as set out."),
        "not-connected": _("A road starts only where one of its player’s merchants stands at that moment."),
    }


#: Where the rules of each rule set stand, its own before those that it shares with others.
_BOOKS: Mapping[str, Sequence[Callable[[], dict[str, str]]]] = {
    "standard": (_common,),
    "two-player": (_for_two, _common),
    "danger": (_danger, _common),
    "competitive": (_silk_road,),
    "cooperative": (_silk_road,),
}
