"""Reasons and events as sentences that a ten-year-old accepts: one message a code, with named placeholders.

Messages are looked up by `Voice.translate` (for English the identity), so that catalogues of other languages can
take these as their keys. A message never builds a word from pieces: terrains, settlements and players come in whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.board import Change, Color, HexCell, Road
from companion.events import (
    CellCorrected,
    CommandRefused,
    DealRefused,
    DealUnclear,
    Event,
    GameDealt,
    GameOver,
    Marker,
    MarkersDiffer,
    MoveAccepted,
    MoveHidden,
    MoveRefused,
    MovesUndone,
    MoveUnclear,
    Outlook,
    SavingAsked,
    Standing,
    StandingChanged,
    TurnBegan,
    TurnTaken,
    WorkshopPlaced,
)
from companion.games.contract import Player, Position, Reason
from companion.games.la_strada import Account

#: A reason's sentence by its code. {cells} are its cells, {owner} the player whose pieces it is about; the other
#: placeholders are the reason's numbers, or what `_facts` finds.
REASONS: Mapping[str, str] = {
    "already-connected": "{cells}: the road joins two places that are joined already",
    "cell-occupied": "{cells}: something lies here already, and nothing may be put on it",
    "days": "{cells}: this costs {cost} days, {held} left",
    "dead-end": "{cells}: the road is not finished, one of its ends leads nowhere",
    "deal-count": "{cells}: there should be 4 cities, 5 towns, 5 villages and 5 hamlets, "
    "but there are {city}, {town}, {village} and {hamlet}",
    "deal-site": "{cells}: a settlement lies beside the grey dots",
    "foreign-workshop": "{cells}: the road touches another player's workshop",
    "game-over": "the game has ended, so nothing more can be laid",
    "joins-road": "{cells}: the road runs into another road",
    "merchant-color": "{cells}: merchants of {owner} were put there or taken away",
    "merchant-extra": "{cells}: more than one merchant was put there",
    "merchant-missing": "{cells}: the road arrives here, so a merchant must be put here",
    "merchant-move": "{cells}: merchants cannot have walked to where they stand now",
    "merchant-occupied": "{cells}: a merchant stands here already, and there is room for one only",
    "merchant-removed": "{cells}: a merchant of an earlier turn is gone",
    "merchant-supply": "{cells}: these are {needed} merchants, and only {left} were left",
    "merchant-total": "{cells}: merchants came from nowhere or vanished",
    "merchant-unconnected": "{cells}: a merchant was put here, but no new road comes here",
    "not-connected": "{cells}: the road does not start at a place of the player's own",
    "not-your-turn": "it is the turn of {owner}",
    "settlement-changed": "{cells}: the settlement that was dealt here is gone or another",
    "tile-changed": "{cells}: a road tile of an earlier turn was turned or swapped",
    "tile-color": "{cells}: this tile belongs to {owner}",
    "tile-removed": "{cells}: a road tile of an earlier turn is gone",
    "tile-supply": "{cells}: there are not enough tiles left ({supply})",
    "tile-terrain": "{cells}: a {tile} tile lies on {ground}",
    "workshop-changed": "{cells}: a workshop was moved or is gone",
    "workshop-late": "{cells}: a workshop too many, or too late",
    "workshop-missing": "{cells}: first every player must place a workshop",
    "workshop-terrain": "{cells}: a workshop must lie on plain",
    "workshop-too-close": "{cells}: a workshop may not lie next to another player's",
}

#: The sentences of events, standings and the account, by their code.
EVENTS: Mapping[str, str] = {
    "account": "{cell} goes to box {settlement} {number}: {merchants}, {each} gold each",
    "account-nothing": "{cell}, {settlement} with {number}: {merchants}, no gold, put aside",
    "account-total": "{player}: {gold} gold, {days} days left",
    "built": "{player}: that is right, it cost {cost} days and leaves {left}",
    "cannot-accept": "This cannot be let stand: put the earlier pieces back first",
    "cells-to-clear": "First clear these cells: {cells}",
    "corrected": "Put right: {cells}",
    "deal-hidden": "The deal cannot be seen: take your hands away",
    "deal-refused": "The settlements are not dealt right",
    "deal-unclear": "The deal cannot be read: please look at {cells}",
    "dealt": "The game begins: {players}",
    "game-over": "The game has ended",
    "hidden": "{player}: something covers the board, take it away and say done again",
    "illegal": "{player}: that is not allowed",
    "legal": "{player}: that is right",
    "let-stand": "{player}: the table lets it stand",
    "marker": "{player}'s marker stands on {shown} and should stand on {right}",
    "marker-missing": "{player}'s marker is not on its track and should stand on {right}",
    "no-game": "No game has begun yet: deal the settlements and start one",
    "no-reading": "The board has not been seen yet",
    "nothing-to-accept": "There is nothing to let stand",
    "nothing-to-undo": "There is nothing to take back",
    "saved": "{player} saves the days and keeps {left}",
    "saving": "{player}: nothing was laid. Save the days?",
    "shared": "{players} share the win",
    "supply": "{terrain}: {needed} needed, {left} left",
    "turn": "It is {player}'s turn, with {days} days",
    "unclear": "{player}: please look at {cells}",
    "undone": "Taken back; {player} moves again",
    "unfinished": "{player}: the road is not finished",
    "win": "{player} wins",
    "workshop": "{player} places a workshop",
}

#: Where more cells than these are to be looked at, only so many are named.
MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Voice:
    """Says what happened to the players of one game; `translate` looks a message up in a language's catalogue."""

    players: Sequence[Player] = ()
    translate: Callable[[str], str] = str

    def sentences(self, event: Event) -> tuple[str, ...]:
        """Return what there is to say of an event: the headline, then its reasons. StandingChanged says nothing."""
        match event:
            case WorkshopPlaced() | TurnTaken() | MoveRefused() | MoveHidden() | MoveUnclear() | MoveAccepted():
                return self._move(event)
            case GameDealt(game=game):
                return (self._say("dealt", players=", ".join(player.name for player in game.players)),)
            case DealRefused(reasons=reasons):
                return (self._say("deal-refused"), *self.reasons(reasons))
            case DealUnclear(cells=cells, hidden=hidden):
                return (self._say("deal-hidden" if hidden else "deal-unclear", cells=_few(cells)),)
            case SavingAsked(player=player):
                return (self._say("saving", player=self.name(player)),)
            case TurnBegan(player=player, phase=phase, days=days):
                return (self._say("workshop" if phase == "workshop" else "turn", player=self.name(player), days=days),)
            case MarkersDiffer(markers=markers):
                return tuple(self._marker(color, marker) for color, marker in markers.items())
            case GameOver(winners=winners):
                return (self._say("game-over"), self._won(winners))
            case MovesUndone(player=player, clear=clear):
                first = (self._say("cells-to-clear", cells=_listed(clear)),) if clear else ()
                return (self._say("undone", player=self.name(player) if player else ""), *first)
            case CellCorrected(cell=cell):
                return (self.corrected((cell,)),)
            case CommandRefused(code=code, cells=cells):
                return (self._say(code, cells=_listed(cells)),)
            case StandingChanged():
                return ()

    def corrected(self, cells: Iterable[HexCell]) -> str:
        """Return that people put right what was read on these cells."""
        return self._say("corrected", cells=_listed(cells))

    def standing(self, standing: Standing) -> tuple[str, ...]:
        """Return what there is to say before the button; nothing where nothing was laid, or where it is right."""
        player = self.name(standing.player) if standing.player else ""
        match standing.outlook:
            case Outlook.UNFINISHED | Outlook.ILLEGAL as outlook:
                return (self._say(outlook.value, player=player), *self.reasons(standing.reasons))
            case Outlook.UNCLEAR:
                return (self._say("unclear", player=player, cells=_few(standing.cells)),)
            case Outlook.TO_CLEAR:
                return (self._say("cells-to-clear", cells=_listed(standing.cells)),)
            case Outlook.NO_GAME:
                return (self._say("no-game"),)
            case _:
                return ()

    def reasons(
        self, reasons: Iterable[Reason], position: Position | None = None, change: Change | None = None
    ) -> tuple[str, ...]:
        """Return a sentence a reason; `position` and `change` let it name what lies there."""
        return tuple(sentence for reason in reasons for sentence in self._reason(reason, position, change))

    def account(self, account: Account) -> tuple[str, ...]:
        """Return the score settlement by settlement, as it is counted at the table, then the sums."""
        lines = []
        for place in account.settlements:
            merchants = ", ".join(f"{self.name(color)} {count}" for color, count in place.merchants.counts.items())
            lines.append(
                self._say(
                    "account" if place.each else "account-nothing",
                    cell=place.cell,
                    settlement=self.translate(place.type.value),
                    number=place.number,
                    merchants=merchants,
                    each=place.each,
                )
            )
        sums = (
            self._say("account-total", player=self.name(color), gold=gold, days=account.days[color])
            for color, gold in account.gold.items()
        )
        return (*lines, *sums)

    def name(self, color: Color) -> str:
        """Return the name of the player of that colour; a colour that nobody plays is called by itself."""
        return next((player.name for player in self.players if player.color is color), self.translate(color.value))

    def _move(
        self, event: WorkshopPlaced | TurnTaken | MoveRefused | MoveHidden | MoveUnclear | MoveAccepted
    ) -> tuple[str, ...]:
        player = self.name(event.player)
        match event:
            case WorkshopPlaced():
                return (self._say("legal", player=player),)
            case TurnTaken(left=left) if not event.change:
                return (self._say("saved", player=player, left=left),)
            case TurnTaken(cost=cost, left=left):
                return (self._say("built", player=player, cost=cost, left=left),)
            case MoveRefused(reasons=reasons, change=change, position=position):
                headline = self._say("unfinished" if event.is_unfinished else "illegal", player=player)
                return (headline, *self.reasons(reasons, position, change))
            case MoveHidden():
                return (self._say("hidden", player=player),)
            case MoveUnclear(cells=cells):
                return (self._say("unclear", player=player, cells=_few(cells)),)
            case MoveAccepted(reasons=reasons, change=change, after=after):
                return (self._say("let-stand", player=player), *self.reasons(reasons, after, change))

    def _marker(self, color: Color, marker: Marker) -> str:
        if marker.shown is None:
            return self._say("marker-missing", player=self.name(color), right=marker.right)
        return self._say("marker", player=self.name(color), shown=marker.shown, right=marker.right)

    def _won(self, winners: Sequence[Color]) -> str:
        if len(winners) == 1:
            return self._say("win", player=self.name(winners[0]))
        return self._say("shared", players=", ".join(self.name(color) for color in winners))

    def _reason(self, reason: Reason, position: Position | None, change: Change | None) -> list[str]:
        message = self.translate(REASONS[reason.code])
        if not reason.cells:
            message = message.removeprefix("{cells}: ")
        return [
            message.format(**{"owner": self._owner(reason), **reason.numbers, **facts})
            for facts in self._facts(reason, position, change)
        ]

    def _owner(self, reason: Reason) -> str:
        return "" if reason.color is None else self.name(reason.color)

    def _facts(self, reason: Reason, position: Position | None, change: Change | None) -> list[dict[str, str]]:
        """Return what the message needs beside numbers, once for each sentence to be made of it."""
        cells = _listed(reason.cells)
        if reason.code == "tile-terrain":
            pairs: dict[tuple[str, str], list[HexCell]] = {}
            for cell in reason.cells:
                laid = change.cells[cell].now.tile if change and cell in change.cells else None
                ground = position.ground.terrain.get(cell) if position else None
                tile = laid.terrain.value if isinstance(laid, Road) else "wrong"
                pairs.setdefault((tile, ground.value if ground else "the board"), []).append(cell)
            return [
                {"cells": _listed(of_pair), "tile": self.translate(tile), "ground": self.translate(ground)}
                for (tile, ground), of_pair in pairs.items()
            ]
        if reason.code == "tile-supply":
            terrains = [key.removesuffix("_needed") for key in reason.numbers if key.endswith("_needed")]
            short = (
                self._say(
                    "supply",
                    terrain=self.translate(terrain),
                    needed=reason.numbers[f"{terrain}_needed"],
                    left=reason.numbers[f"{terrain}_left"],
                )
                for terrain in terrains
            )
            return [{"cells": cells, "supply": ", ".join(short)}]
        return [{"cells": cells}]

    def _say(self, code: str, **facts: object) -> str:
        return self.translate(EVENTS[code]).format(**facts)


def _listed(cells: Iterable[HexCell]) -> str:
    return ", ".join(str(cell) for cell in cells)


def _few(cells: Sequence[HexCell]) -> str:
    return _listed(cells[:MOST_NAMED]) + (", ..." if len(cells) > MOST_NAMED else "")
