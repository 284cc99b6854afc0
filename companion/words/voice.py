"""A voice: it says in one language what happened to the players of one game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from companion import events
from companion.board import (
    BARE,
    PLAYERS_TILES,
    BadInputError,
    Cell,
    Change,
    Contents,
    DealRemarks,
    LaidSection,
    PlayerColor,
    Road,
    SettlementType,
    Terrain,
)
from companion.games.contract import Line, Position, Reason
from companion.words import pieces, setting_up
from companion.words.catalogues import Message
from companion.words.rules import phrases, refusal, speaking_of, words_of
from companion.words.speech import Speech, alone, listed
from companion.words.table import COMPLAINTS, GETTING_READY, IMPOSSIBLE, LEARNING, LOSSES, NOT_UNDERSTOOD, TROUBLES

#: Events by subject: there is a method for each kind.
_Move: TypeAlias = (
    events.WorkshopPlaced
    | events.TurnTaken
    | events.MoveRefused
    | events.MoveHidden
    | events.MoveUnclear
    | events.MoveAccepted
)
_Deal: TypeAlias = (
    events.GameDealt | events.PlayersNamed | events.DealRemarked | events.DealRefused | events.DealUnclear
)
_Course: TypeAlias = events.TurnBegan | events.GameOver | events.GamePaused | events.GameResumed | events.GameTakenUp
_Offer: TypeAlias = events.SavingAsked | events.SequenceOffered | events.RereadingOffered
_Decision: TypeAlias = (
    events.MovesUndone | events.GameSetBack | events.CellCorrected | events.CellReread | events.CommandRefused
)

#: If a deal is brighter or darker than the teaching by at least this many stops, that is mentioned.
STOPS = 1.0

#: What a reason's sentence says about its numbers, by code: the placeholder, the phrase, and the number's name.
_NUMBERS: Mapping[str, Sequence[tuple[str, Message, str]]] = {
    "days": (("cost", pieces.DAYS, "cost"), ("left", pieces.LEFT, "held")),
    "deal-count": [(kind.value, pieces.SETTLEMENTS[kind], kind) for kind in SettlementType],
    "merchant-supply": (("needed", pieces.MERCHANTS, "needed"), ("left", pieces.LEFT, "left")),
    "merchant-total": (("taken", pieces.SET_OUT, "taken"), ("placed", pieces.ARRIVED, "placed")),
}


@dataclass(frozen=True, slots=True)
class Voice(Speech):
    """Says what happened, in one of `LANGUAGES`. Raises BadInputError for any other.

    `rules` is the game's rule set: some reasons mean something different in each.
    """

    def sentences(self, event: events.Event) -> tuple[str, ...]:
        """Return what there is to say about an event: the headline, then the reasons. StandingChanged says nothing."""
        if isinstance(event, _Move):
            return self._move(event)
        if isinstance(event, _Deal):
            return self._deal(event)
        if isinstance(event, _Course):
            return self._course(event)
        if isinstance(event, _Offer):
            return self._offer(event)
        if isinstance(event, _Decision):
            return self._decision(event)
        match event:
            case events.MarkersDiffer(markers=markers):
                return tuple(self._marker(color, marker) for color, marker in markers.items())
            case events.PressLapsed(cells=cells):
                return (self.event("lapsed-hidden" if cells else "lapsed", cells=self._few(cells)),)
            case events.PressCrossed():
                return (self.event("crossed"),)
            case events.CameraLost(why=why, code=code):
                return (self.event("camera-lost"), self.trouble(code, why))
            case events.CameraBack():
                return (self.event("camera-back"),)
            case events.CameraTurned(is_upside_down=is_upside_down):
                return (self.event("camera-turned" if is_upside_down else "camera-upright"),)
            case events.StandingChanged():
                return ()

    def counted(self, position: Position) -> tuple[str, ...]:
        """Return the score place by place, or road by road, then the totals."""
        return words_of(position.rules_name).counted(self, position)

    def result(self, position: Position) -> tuple[str, ...]:
        """Return what each player has at the end, and what decided if several are level."""
        return words_of(position.rules_name).result(self, position)

    def lines(self, earning: Iterable[Line]) -> tuple[str, ...]:
        """Return a sentence for each line across the board that earns."""
        return words_of(self.rules).lines(self, earning)

    def trouble(self, code: str, why: str = "") -> str:
        """Return what is wrong with camera, board or logbook. `code` is a key of TROUBLES, `why` what else is known."""
        return self.say(TROUBLES[code], why=why.rstrip("."))

    def lies(self, cell: Cell, contents: Contents) -> str:
        """Return that this is on the cell."""
        return self.say(pieces.LIES, cell=cell, contents=self.contents(contents))

    def impossible(self) -> str:
        """Return that a command names something that does not exist."""
        return self.say(IMPOSSIBLE)

    def complaint(self, error: BadInputError) -> str:
        """Return what is wrong with a request; an error without a code gets an introduction and stays in English."""
        message = COMPLAINTS.get(error.code) or setting_up.COMPLAINTS.get(error.code)
        if message is None:
            return self.say(NOT_UNDERSTOOD, why=error)
        facts = {
            name: self.listing(map(str, fact)) if type(fact) is tuple else fact for name, fact in error.facts.items()
        }
        return self._form(message, 1).format(**facts)

    def loss(self, loss: events.Loss) -> str:
        """Return what was lost of the logbook."""
        return self.say(LOSSES[loss.code], aside=loss.aside, lost=loss.lost, of=loss.of)

    def getting_ready(self) -> tuple[str, str]:
        """Return what there is to say while the companion learns what the pieces look like."""
        return self.say(GETTING_READY), self.say(LEARNING)

    def suggestions(self, refused: events.MoveRefused) -> tuple[str, ...]:
        """Return a sentence for each cell that may have been misread, in the order of `refused.suggestions`."""
        held = refused.position.expected()
        return tuple(self._suggestion(each, refused, held.get(each.cell, BARE)) for each in refused.suggestions)

    def corrected(self, cells: Iterable[Cell]) -> str:
        """Return that people corrected what was read on these cells."""
        return self.event("corrected", cells=listed(cells))

    def standing(self, standing: events.Standing) -> tuple[str, ...]:
        """Return what there is to say before the button is pressed; nothing if nothing was placed, or it is right."""
        player = self.name(standing.player) if standing.player else ""
        match standing.outlook:
            case events.Outlook.UNFINISHED | events.Outlook.ILLEGAL as outlook:
                return (self.event(outlook.value, player=player), *self.reasons(standing.reasons))
            case events.Outlook.DISAGREES:
                return (self.event("disagrees"), *self.reasons(standing.reasons))
            case events.Outlook.PAUSED:
                return (self.event("paused"),)
            case events.Outlook.UNCLEAR:
                return (self.event("unclear", player=player, cells=self._few(standing.cells)),)
            case events.Outlook.TO_CLEAR:
                return (self.event("cells-to-clear", len(standing.cells), cells=listed(standing.cells)),)
            case events.Outlook.NO_GAME:
                return (self.event("no-game"),)
            case _:
                return ()

    def reasons(
        self, reasons: Iterable[Reason], position: Position | None = None, change: Change | None = None
    ) -> tuple[str, ...]:
        """Return a sentence for each reason; `position` and `change` let it name what is on the cells."""
        return tuple(sentence for reason in reasons for sentence in self._reason(reason, position, change))

    def _deal(self, event: _Deal) -> tuple[str, ...]:
        match event:
            case events.GameDealt(game=game):
                return (self.event("dealt", players=self.listing(map(self.called, game.players))),)
            case events.PlayersNamed(players=players):
                return (self.event("named", players=self.listing(map(self.called, players))),)
            case events.DealRemarked(remarks=remarks):
                return tuple(self._remarks(remarks))
            case events.DealRefused(reasons=reasons):
                of = replace(self, rules=speaking_of(self.rules, [reason.code for reason in reasons]))
                return (of.event("deal-refused"), *of.reasons(reasons))
            case events.DealUnclear(cells=cells, hidden=hidden):
                return (self.event("deal-hidden" if hidden else "deal-unclear", cells=self._few(cells)),)

    def _course(self, event: _Course) -> tuple[str, ...]:
        match event:
            case events.TurnBegan(player=player, phase=phase, days=days):
                code = "workshop" if phase == "workshop" else "turn"
                return (self.event(code, player=self.name(player), days=self.say(pieces.DAYS_LEFT, days)),)
            case events.GameOver(winners=winners, early=early):
                return (self.event("ended" if early else "game-over"), *((self._won(winners),) if winners else ()))
            case events.GamePaused():
                return (self.event("paused"),)
            case events.GameResumed():
                return (self.event("resumed"),)
            case events.GameTakenUp(note=note, loss=loss):
                said = note.rstrip(".") if loss is None else self.loss(loss)
                return (self.event("taken-up-lost" if said else "taken-up", note=said),)

    def _won(self, winners: Sequence[PlayerColor]) -> str:
        if len(winners) == 1:
            return self.event("win", player=self.name(winners[0]))
        return self.event("shared", players=self.listing(map(self.name, winners)))

    def _decision(self, event: _Decision) -> tuple[str, ...]:
        match event:
            case events.MovesUndone(player=player, clear=clear):
                first = (self.event("cells-to-clear", len(clear), cells=listed(clear)),) if clear else ()
                taken = self.event("undone-to", player=self.name(player)) if player else self.event("undone")
                return (taken, *first)
            case events.GameSetBack():
                return (self.event("set-back"),)
            case events.CellCorrected(cell=cell):
                return (self.corrected((cell,)),)
            case events.CellReread(cell=cell):
                return (self.event("reread", cells=cell),)
            case events.CommandRefused(code=code, cells=cells):
                return (self.event(code, len(cells), cells=listed(cells)),)

    def _move(self, event: _Move) -> tuple[str, ...]:
        player = self.name(event.player)
        match event:
            case events.WorkshopPlaced():
                return (self.event("legal", player=player),)
            case events.TurnTaken(left=left) if not event.change:
                return (self.event("saved", player=player, days=self.say(pieces.DAYS, left)),)
            case events.TurnTaken(cost=cost, left=left):
                return (
                    self.event(
                        "built", player=player, cost=self.say(pieces.DAYS, cost), left=self.say(pieces.LEFT, left)
                    ),
                )
            case events.MoveRefused(reasons=reasons, change=change, position=position):
                return (self._refusal(event), *self.reasons(reasons, position, change))
            case events.MoveHidden():
                return (self.event("hidden", player=player),)
            case events.MoveUnclear(cells=cells):
                code = "unclear-heaps" if event.are_heaps else "unclear"
                return (self.event(code, player=player, cells=self._few(cells)),)
            case events.MoveAccepted(reasons=reasons, change=change, after=after):
                code = "let-stand" if reasons else "went-on"
                return (self.event(code, player=player), *self.reasons(reasons, after, change))

    def _refusal(self, refused: events.MoveRefused) -> str:
        player, owner = self.name(refused.player), _only_owner(refused.change)
        if refused.is_unfinished:
            return self.event("unfinished", player=player)
        if refused.is_disturbed:
            return self.event("disagrees")
        if owner not in (None, refused.player):
            return self.event("not-yours", player=player, owner=self.name(owner))
        return self.event("illegal", player=player)

    def _offer(self, offer: _Offer) -> tuple[str, ...]:
        match offer:
            case events.SavingAsked(player=player):
                return (self.event("saving", player=self.name(player)),)
            case events.SequenceOffered(players=players, changes=changes):
                saving = [player for player, change in zip(players, changes, strict=True) if not change]
                first, *others = map(self.name, players)
                for other in others:
                    first = self.say(pieces.THEN, some=first, last=other)
                return (
                    self.event("sequence", players=first),
                    *(self.event("sequence-saving", player=self.name(player)) for player in saving),
                )
            case events.RereadingOffered(cell=cell, moves=moves):
                return (self.event("rereading", moves, cell=cell),)

    def _suggestion(self, suggestion: events.Suggestion, refused: events.MoveRefused, held: Contents) -> str:
        """Return what would make the move right, worded by how the cell would differ from what was read there."""
        cell, right = suggestion.cell, suggestion.contents
        read = refused.change.cells[cell].now if cell in refused.change.cells else held
        more = right.merchants - read.merchants
        if right.tile == read.tile and list(more) == [refused.player]:
            number = more[refused.player]
            code = "suggest-more" if number > 0 else "suggest-fewer"
            return self.event(code, cell=cell, merchants=self.say(pieces.MERCHANTS, abs(number)))
        if right in (held, BARE):
            return self.event("suggest-bare" if right == BARE else "suggest-before", cell=cell)
        match read.tile, right.tile:
            case Road() as one, Road() as other if not more and one.color is other.color:
                if one.terrain is other.terrain:
                    return self.event("suggest-turned", cell=cell)
            case Road() as one, Road() as other if not more and one == replace(other, color=one.color):
                return self.event("suggest-owner", cell=cell, owner=self.name(other.color))
            case LaidSection(section=seen), LaidSection(section=true) if seen == true:
                return self.event("suggest-turned", cell=cell)
        return self.event("suggest", cell=cell)

    def _remarks(self, remarks: DealRemarks) -> Iterator[str]:
        if not remarks.is_layout_known:
            yield self.event("deal-layout-unknown")
        elif remarks.is_layout_new:
            yield self.event("deal-layout")
        if abs(remarks.stops) >= STOPS:
            yield self.event("deal-brighter" if remarks.stops > 0 else "deal-darker")
        if remarks.poor:
            yield self.event("deal-poor", len(remarks.poor), cells=self._few(remarks.poor))
        if remarks.poor_tracks:
            players = self.listing(self.name(color) for color in remarks.poor_tracks)
            yield self.event("deal-tracks", len(remarks.poor_tracks), players=players)

    def _marker(self, color: PlayerColor, marker: events.Marker) -> str:
        if self.players and all(player.color != color for player in self.players):
            return self.event("marker-rounds", shown=marker.shown, right=marker.right)
        if marker.shown is None:
            return self.event("marker-missing", player=self.name(color), right=marker.right)
        return self.event("marker", player=self.name(color), shown=marker.shown, right=marker.right)

    def _reason(self, reason: Reason, position: Position | None, change: Change | None) -> Iterator[str]:
        message = refusal(self.rules, reason.code)
        if not reason.cells:
            form = self._form(message, 1)  # it begins a sentence; a name at its beginning stays as it is
            yield alone(form).format(**self._facts(reason))
        elif reason.code != "tile-terrain":
            yield self._at(reason.cells, self.say(message, len(reason.cells), **self._facts(reason)))
        else:
            for (tile, ground), cells in _mismatches(reason.cells, position, change).items():
                yield self._at(cells, self._mismatch(len(cells), tile, ground))

    def _mismatch(self, count: int, tile: Terrain | None, ground: Terrain | None) -> str:
        if tile is None or ground is None:
            return self.say(refusal(self.rules, "tile-terrain"), count)
        return self.say(
            pieces.TILE_LIES, count, tile=self.say(pieces.TILE[tile], count), ground=self.say(pieces.ON[ground], count)
        )

    def _facts(self, reason: Reason) -> dict[str, str]:
        """Return values for the placeholders in the reason's message, including the numbers of the rules."""
        return {**phrases(self._catalogue, self.rules), **self._facts_of(reason)}

    def _facts_of(self, reason: Reason) -> dict[str, str]:
        if reason.code in _NUMBERS:
            return {place: self.say(phrase, reason.numbers[n]) for place, phrase, n in _NUMBERS[reason.code]}
        if reason.code == "tile-supply":
            return {"supply": self.listing(self._supplies(reason.numbers))}
        return {"owner": "" if reason.color is None else self.name(reason.color)}

    def _supplies(self, numbers: Mapping[str, int]) -> Iterator[str]:
        for terrain in Terrain:
            if f"{terrain}_needed" in numbers:
                tiles = self.say(pieces.TILES[terrain], numbers[f"{terrain}_needed"])
                yield self.say(pieces.SUPPLY, tiles=tiles, left=self.say(pieces.LEFT, numbers[f"{terrain}_left"]))


def _only_owner(change: Change) -> PlayerColor | None:
    """Return the one player who owns everything new; None if nobody does, or several do."""
    owners = set[PlayerColor]()
    for cell in change.cells.values():
        if isinstance(cell.now.tile, PLAYERS_TILES) and cell.now.tile != cell.before.tile:
            owners.add(cell.now.tile.color)
        owners.update(color for color, count in cell.merchants.counts.items() if count > 0)
    return owners.pop() if len(owners) == 1 else None


def _mismatches(
    cells: Iterable[Cell], position: Position | None, change: Change | None
) -> dict[tuple[Terrain | None, Terrain | None], list[Cell]]:
    """Return the cells by the terrain of the tile on them and by their own; None for one that is not known."""
    cells_of: dict[tuple[Terrain | None, Terrain | None], list[Cell]] = {}
    for cell in cells:
        laid = change.cells[cell].now.tile if change and cell in change.cells else None
        tile = laid.terrain if isinstance(laid, Road) else None
        ground = position.ground.terrain.get(cell) if position else None
        cells_of.setdefault((tile, ground), []).append(cell)
    return cells_of
