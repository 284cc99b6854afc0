"""Several ways in which the table may have come about, kept until later presses show which one is true.

A press may be explained by several moves, and each of them leaves the next player a different table. So other possible
histories are kept along with the books (`Rival`). A later photograph is weighed against each of these ways, and what is
hardly possible in one of them speaks for the others. A press is answered with a word that is right in nearly all of
them: a turn may be legal although it is not certain yet how many merchants arrived. If another way becomes likelier
than the books, the books are corrected.

After a question the same player may press again, or people may play on. Then the likeliest moves that were asked about
are announced together with the new word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from companion.board import BARE, Cell, Reading, in_board_order
from companion.events import CellReread, Event, MovesUndone
from companion.games.contract import Illegal, Legal, Position, RuleSet, Unclear
from companion.session.changes import change_between
from companion.session.doubts import Doubt, doubt_of
from companion.session.going_on import gone_on
from companion.session.misreading import believed, share_misread
from companion.session.presses import Move, Unsettled, explain
from companion.session.rivals import likeliest
from companion.session.state import Rival, State
from companion.session.table import Weighed, as_weighed, is_all_there, is_asked_again, marker_on, words_on
from companion.session.weighing import AGAIN, MOST_TRIED, RATHER, SURE, Word, in_question, reasons_of

#: A word is given if it is this likely in all ways together.
_SURE = 0.95
#: How likely moves that were asked about must be, at least, before they are announced.
_TOLD = 0.8
#: In ways that are less likely than this, fewer combinations are tried. Before people are asked, more are tried if
#: those that were tried are less likely than this, all together.
_LIKELY, _FEW_TRIED, _TRIED, _PATIENT = 0.25, 40, 0.97, 500
#: If merchants walk, a reason that concerns no cell in doubt is told even if so much less was tried, and if it is no
#: likelier than this that nothing else is wrong: nobody need say how many merchants stand where.
_WALKING_TRIED, _ALONE = 0.3, 0.4
#: If legal moves are less likely than this, none of the ways is the truth.
_LOST = 0.02
#: How likely it is that a player who was asked, and has laid a legal move, presses again before anybody else does.
_SAME_AGAIN = 0.5
#: How likely it is that a turn in which nothing was laid was none: whoever moved before pressed once more.
_ONCE_MORE = 0.1
#: If nothing has changed after a question, the next player is less likely to be saving their days, by this factor,
#: unless their marker was moved.
_UNMARKED = 0.1


@dataclass(frozen=True, slots=True)
class Way:
    """One word on the table, in one of the ways in which it may have come about, and how likely both are."""

    rival: Rival
    word: Word
    share: float

    @property
    def after(self) -> Position | None:
        """The position after it; None if the word is not a legal move."""
        return self.word.verdict.after if isinstance(self.word.verdict, Legal) else None

    @property
    def told(self) -> object:
        """What people are told: whose move it is, and that it is legal or why it is refused."""
        return self.rival.position.next, frozenset(reason.code for reason in reasons_of(self.word.verdict))


@dataclass(frozen=True, slots=True)
class Explained:
    """The meaning of a press: moves, oldest first, all legal except perhaps the last.

    `state` is the books before these moves, corrected if another way has become likelier; `reread` says how. `rivals`
    are the other histories that may be true after them. `is_weighed`: it is known how likely all this is; `is_lost`:
    hardly any of it is a legal move. `is_untried`: it is a question, and many combinations were not tried.
    """

    moves: tuple[Move, ...]
    state: State
    reread: tuple[Event, ...] = ()
    rivals: tuple[Rival, ...] = ()
    is_weighed: bool = False
    is_lost: bool = False
    is_untried: bool = False


def meaning_of(rules: RuleSet, state: State, corrected: Reading, *, is_pressed: bool = True) -> Explained:
    """Return the meaning of a press: the likeliest way, or by rules of thumb if nobody knows how likely ways are.

    `corrected` is the reader's own reading with people's corrections. What is impossible in it differs from way to way.
    Finding out whether people played on in a lost game takes as long as several words, so it is done only at a press.
    """
    reading = believed(rules, state, corrected)
    is_weighed = all(press.is_weighed for press in state.pending)
    weighed = explained(rules, state, corrected, reading) if is_weighed else None
    if is_pressed and weighed is not None and weighed.is_untried:
        weighed = explained(rules, state, corrected, reading, _PATIENT)
    is_open = all(press.why is Unsettled.UNCLEAR for press in state.pending)
    if weighed is not None and weighed.moves[-1].after is not None:
        return weighed
    if weighed is None or not is_open or weighed.is_lost:
        moves = explain(rules, state.now, state.table(reading), state.pending)
        if weighed is None or moves[-1].after is not None:
            weighed = Explained(moves, state)
    says_no = weighed.moves[-1].after is None and len(weighed.moves) == 1
    stands = gone_on(rules, state, reading) if is_pressed and says_no else ()
    return Explained(stands, state) if stands else weighed


def explained(
    rules: RuleSet, state: State, corrected: Reading, reading: Reading, most: int = MOST_TRIED
) -> Explained | None:
    """Return the meaning of a press; None if the reader does not say how likely its answers are.

    `reading` is the corrected one with what is impossible by the books put in doubt. Up to `most` combinations of what
    is in doubt are tried in each likely way.
    """
    table = state.table(reading)
    ways = _ways(rules, state, corrected, most)
    if not ways:
        return None
    first = ways[0]
    weighed = as_weighed(first.rival.position, first.word.verdict, first.word.change)
    if table.hidden and not is_all_there(table, table.hidden, first.rival.position, weighed):
        main = next(way for way in ways if way.rival.position is state.position)
        hidden = Weighed(Unclear(in_board_order(table.hidden), hidden=True), main.word.change)
        return Explained((Move(main.rival.position, hidden),), state, (), state.rivals, True)
    # If the likeliest is a legal move, in other ways it may have been made before: people need not say which.
    same = [way for way in ways if way.told == first.told or (way.after or way.rival.position) == first.after]
    cells = _in_question(ways, reading)
    is_same_player = len(first.rival.history) == len(state.history)
    enough = AGAIN if is_same_player and is_asked_again(table, cells) else _SURE
    total = sum(way.share for way in same)
    if total < enough and cells and (refused := refused_anyhow(ways, enough)):
        first, weighed = refused
    elif total < enough and cells:
        is_lost = sum(way.share for way in _legal(ways)) < _LOST
        is_untried = sum(way.share for way in ways) < _TRIED
        return replace(_asked(state, ways, cells), is_lost=is_lost, is_untried=is_untried)
    rival = first.rival
    stays = _staying([way for way in ways if way.after is None])
    moved = [_moved(way) for way in _legal(ways) if way is not first]
    share = first.share if first.after is not None else stays.pop(id(rival)).share
    return _told(state, rival, weighed, [*stays.values(), *moved], share)


def refused_anyhow(ways: Sequence[Way], enough: float) -> tuple[Way, Weighed] | None:
    """Return the likeliest refusal, with the reasons that hold whatever is on cells in doubt; None if there is none.

    A tile on the wrong terrain is wrong however many merchants stand elsewhere, even in combinations that were not
    tried. It is announced if probably nothing else is wrong. If earlier pieces seem to have changed, nothing of the
    move is judged.
    """
    tried = sum(way.share for way in ways)
    verdicts = [(way, way.word.verdict) for way in ways if way.after is None]
    refused = [way for way, verdict in verdicts if not (isinstance(verdict, Illegal) and verdict.is_disturbed)]
    if not refused or tried < _WALKING_TRIED:
        return None
    player = refused[0].rival.position.next
    shares: dict[str, float] = {}
    exact: dict[frozenset[str], float] = {}
    for way in refused:
        if way.rival.position.next == player:
            codes = frozenset(reason.code for reason in reasons_of(way.word.verdict))
            exact[codes] = exact.get(codes, 0.0) + way.share
            for code in codes:
                shares[code] = shares.get(code, 0.0) + way.share
    certain = frozenset(code for code, share in shares.items() if share >= enough * tried)
    for way in refused:
        if not certain or way.told != (player, certain):
            continue
        is_apart = all(way.word.held.keys().isdisjoint(each.cells) for each in reasons_of(way.word.verdict))
        is_walking = way.rival.position.merchants_due is not None
        least, alone = (_WALKING_TRIED, _ALONE) if is_walking and is_apart else (RATHER, AGAIN)
        if tried >= least and exact[certain] >= alone * tried:
            return way, as_weighed(way.rival.position, way.word.verdict, way.word.change)
    return None


def _asked(state: State, ways: Sequence[Way], cells: frozenset[Cell]) -> Explained:
    """Return the question, with the moves that are certain by now and every way that it leaves open."""
    stays = _staying(ways)
    rival = ways[0].rival
    certain = sum(way.share for way in ways if way.rival is rival)
    if len(rival.history) != len(state.history) and certain < _TOLD:
        # It is not even certain who pressed: nothing more is announced yet, and nothing is taken back.
        rival = next(way.rival for way in ways if way.rival.position is state.position)
    books = stays.pop(id(rival))
    legal = _staying(_legal(ways))
    gone = {key: (1 - _SAME_AGAIN) * one.share for key, one in legal.items()}
    left = [replace(one, share=one.share - gone.get(key, 0.0)) for key, one in stays.items()]
    share = books.share - gone.get(id(rival), 0.0)
    moved = [replace(one, share=(1 - _SAME_AGAIN) * one.share) for one in map(_moved, _legal(ways))]
    question = Weighed(Unclear(in_board_order(cells), hidden=False), ways[0].word.change)
    return _told(state, rival, question, [*left, *moved], share)


def _told(state: State, rival: Rival, weighed: Weighed, rivals: Iterable[Rival], share: float) -> Explained:
    """Explain a press as the next move of a way; `share` is then how likely the books are, compared with `rivals`."""
    moves = (*_untold(rival, len(state.history)), Move(rival.position, weighed))
    # Players who were told that their turn is legal may find out for themselves that it was not.
    least = len(rival.history)
    return Explained(moves, *_put_right(state, rival), likeliest(rivals, share, least), True)


def _legal(ways: Sequence[Way]) -> list[Way]:
    return [way for way in ways if way.after is not None]


def _staying(ways: Sequence[Way]) -> dict[int, Rival]:
    """Return each way before the press, by its id, as likely as all its words together."""
    staying: dict[int, Rival] = {}
    for way in ways:
        known = staying.get(id(way.rival), replace(way.rival, share=0.0))
        staying[id(way.rival)] = replace(known, share=known.share + way.share)
    return staying


def _ways(rules: RuleSet, state: State, corrected: Reading, most_tried: int) -> list[Way] | None:
    """Return the words on the table in all ways, likeliest first; their shares sum up to 1 if everything was tried."""
    left = max(0.0, 1 - sum(rival.share for rival in state.rivals))
    main = Rival(left, state.now, state.marks, state.history)
    ways: list[Way] = []
    everything = most = untried = 0.0
    moves_given, given = state.given or (len(state.history), state.now)
    pressed_again = _pressed_again(state, left)
    for rival in filter(None, (main, *state.rivals, pressed_again)):
        if rival.position.next is None:
            continue
        number = min(moves_given, len(rival.history))
        before = given if number == moves_given else main.at(number)
        read = _without_echo(corrected, state.doubted, given, before, rival.at(number), rival.position)
        doubting = believed(rules, state, read, rival.position)
        same = {doubt_of(read, cell) for cell in read.unclear if doubt_of(corrected, cell) in state.doubted}
        then = state.table(doubting)
        then = replace(then, marks=rival.marks, doubted_before=then.doubted_before | same)
        if len(rival.history) > len(state.history):
            # In this way the moves that were asked about are settled.
            then = replace(then, doubted_before=then.doubted_before | then.asked_before)
        ranked = words_on(rules, rival.position, then, most_tried if rival.share >= _LIKELY else _FEW_TRIED)
        if ranked is None:
            return None
        if not ranked:
            continue
        share = rival.share * share_misread(read, doubting, state.overruled)
        shown, stood = marker_on(then, rival.position)
        if len(rival.history) > len(state.history) and not ranked[0].change and shown in (None, stood):
            share *= _UNMARKED
        if rival is pressed_again:
            ranked = [word for word in ranked if isinstance(word.verdict, Legal) and word.change]
        tried = share * sum(word.weight for word in ranked)
        if tried > most:
            # Untried combinations count only towards the likeliest way, as hardly any of them is a move.
            most, untried = tried, share * ranked[0].weight / ranked[0].share - tried
        everything += tried
        ways += [Way(rival, word, share * word.weight) for word in ranked]
    everything += untried
    return sorted((replace(way, share=way.share / everything) for way in ways), key=lambda way: -way.share)


def _pressed_again(state: State, left: float) -> Rival | None:
    """Return the way in which the last turn, in which nothing was laid, was none; None if something was laid.

    Somebody pressed twice, or put right a mistake that had passed, and that was taken for the next player's saving.
    """
    if not state.history or state.pending:
        return None
    last = state.history[-1]
    if last.position.phase != "turn" or last.position.expected() != state.now.expected():
        return None
    return Rival(_ONCE_MORE * left, last.position, last.marks, state.history[:-1])


def _without_echo(
    reading: Reading, doubted: Collection[Doubt], given: Position, before: Position, begun: Position, way: Position
) -> Reading:
    """Return the reading as it would be in a way; `begun` is the way when the reader was `given` what the books held.

    On a cell that looks as it did when a move was accepted, the reader only repeats what it was given then. That came
    from the books, so the cell holds what this way has there. The same goes for the number from which it counted on,
    and for doubts that were there when an earlier press was decided (`doubted`): they counted then. But if the move was
    none in this way, its pieces lay there all the same: `before` is what the books held until then.
    """
    if way is given:
        return reading
    held, held_then, held_before, cells = way.expected(), begun.expected(), before.expected(), {}
    for cell, told in given.expected().items():
        read, now = reading.cells.get(cell), held.get(cell, BARE)
        if read is None or held_before.get(cell, BARE) != told:
            continue
        if now != told and read.is_told and read.contents == told:
            cells[cell] = replace(read, contents=now)
        elif read.since is not None and (then := held_then.get(cell, BARE)) != told:
            cells[cell] = read.counted_on_from(then)
        elif now != told and cell in reading.unclear and doubt_of(reading, cell) in doubted:
            cells[cell] = replace(replace(read, since=told, anew={}).counted_on_from(now), since=None)
    in_doubt = {cell for cell, read in cells.items() if read.alternatives}
    return replace(reading, cells={**reading.cells, **cells}, unclear=reading.unclear | in_doubt)


def _moved(way: Way) -> Rival:
    """Return the way after its legal move."""
    assert way.after is not None, "a refused move"
    return way.rival.moved(way.after, way.share)


def _untold(rival: Rival, told: int) -> tuple[Move, ...]:
    """Return the moves of a way that were not announced: those after the first `told`."""
    moves = []
    for number in range(told, len(rival.history)):
        before, after = rival.at(number), rival.at(number + 1)
        moves.append(
            Move(before, as_weighed(before, Legal(after), change_between(before.expected(), after.expected())))
        )
    return tuple(moves)


def _put_right(state: State, rival: Rival) -> tuple[State, tuple[Event, ...]]:
    """Return the books as a way has them after the moves that were announced, and what is then read differently.

    A move that was announced but does not exist in this way is taken back.
    """
    books, known = len(state.history), len(rival.history)
    given = state.given or (books, state.now)
    if known < books:
        back = replace(state, position=rival.position, marks=rival.marks, history=rival.history, given=given)
        return back, (MovesUndone(rival.position.next, books - known, (), rival.position),)
    held, right = state.now, rival.at(books)
    if held == right:
        return state, ()
    positions = [past.position for past in state.history]
    first = next((k for k in range(books) if positions[k] != rival.at(k)), books)
    marks = rival.history[books].marks if books < len(rival.history) else rival.marks
    cells = change_between(held.expected(), right.expected()).cells
    events = tuple(CellReread(cell, seen.now, right, books - first + 1) for cell, seen in cells.items())
    return replace(state, position=right, marks=marks, history=rival.history[:books], given=given), events


def _in_question(ways: Sequence[Way], reading: Reading) -> frozenset[Cell]:
    """Return the cells in doubt in which the likeliest way differs from others that are not far less likely."""
    first = ways[0]
    own = [way.word for way in ways if way.rival is first.rival]
    cells = set(in_question(own))
    total, others = first.share, set[Cell]()
    for way in ways[1:]:
        if total >= SURE:
            break
        total += way.share
        if way.rival is not first.rival and way.told != first.told:
            others |= set(change_between(first.rival.position.expected(), way.rival.position.expected()).cells)
    return frozenset(cells | (others & reading.abstained)) or frozenset(others)
