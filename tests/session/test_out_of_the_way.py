"""A doubt costs no more than it is worth: doubts that the move has no reason to touch, and doubts that matter."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.board import BARE, Color, Contents, HexCell, Merchants, Road, Terrain, Workshop
from companion.events import MoveUnclear, Outlook, TurnTaken
from companion.session.changes import crowds_of
from tests.session.conftest import REMOTE, ROAD, Play, asked, codes, first, movers, read_as, told
from tests.session.tabletop import BLACK, BOARD, CITY, HAMLET, RED, TOWN, VILLAGE, at, black_builds, red_builds, road
from tests.tries import tries

FAR = at(-5, 4)
EDGES = st.sampled_from([(0, 3), (1, 4), (2, 5), (0, 2), (3, 5)])
TILES = st.one_of(
    st.sampled_from([None, CITY, TOWN, VILLAGE, HAMLET]),
    st.builds(Workshop, st.sampled_from([BLACK, RED])),
    st.builds(Road, st.sampled_from([BLACK, RED]), st.sampled_from(Terrain), EDGES),
)
ANSWERS = st.lists(
    st.builds(Contents, TILES, st.builds(Merchants, black=st.integers(0, 2), red=st.integers(0, 2))), max_size=3
)


@pytest.mark.parametrize(
    ("cell", "answers"),
    [
        (FAR, [BARE, ROAD, road(RED)]),  # the books come first
        (REMOTE, [Contents(HAMLET), Contents(TOWN)]),
        (REMOTE, [Contents(CITY, Merchants(red=1)), Contents(CITY)]),  # only Red has a reason to do that
        (REMOTE, [BARE, Contents(CITY)]),  # settlements lie where they were dealt
        (at(-2), [Contents(Workshop(RED), Merchants(red=1)), Contents(Workshop(BLACK))]),
        (at(-2), [Contents(Workshop(RED), Merchants(black=1))]),
    ],
)
def test_a_cell_that_is_out_of_the_turns_way_is_no_question(laid: Play, cell: HexCell, answers: list[Contents]) -> None:
    laid.table.tracks[BLACK] = 0  # so that the marker vouches for nothing
    assert told(laid.done(doubted={cell: answers}))[0] == "TurnTaken"


@pytest.mark.parametrize(
    ("cell", "answers"),
    [
        (FAR, [ROAD, BARE]),  # a dead end
        (FAR, [road(RED), BARE]),
        (FAR, [road(Color.GREY), BARE]),  # a tile, but not of that colour
        (FAR, [ROAD, road(BLACK, (1, 4))]),
        (REMOTE, [Contents(CITY, Merchants(black=1)), Contents(CITY)]),
        (REMOTE, [Contents(HAMLET, Merchants(black=1)), Contents(CITY)]),
        (REMOTE, [BARE, Contents(CITY, Merchants(black=1))]),  # that no settlement is there says nothing of merchants
        (at(-2), [BARE, Contents(Workshop(RED))]),  # taken away by a sleeve
        (at(-2), [BARE]),
    ],
)
def test_what_would_be_the_players_fault_and_is_likelier_than_the_books_is_asked_about_once_wherever_it_is(
    laid: Play, cell: HexCell, answers: list[Contents]
) -> None:
    doubts = {cell: answers}
    assert asked(laid.done(doubted=doubts)) == (cell,)
    assert told(laid.done(doubted=doubts))[0] == "TurnTaken"


def test_a_far_cell_of_which_nobody_knows_anything_is_asked_about_unless_the_marker_tells(laid: Play) -> None:
    laid.table.tracks[BLACK] = 0
    for cell in (FAR, REMOTE):
        assert laid.session.standing(laid.table.seen(doubted={cell: []})).cells == (cell,)
    laid.table.tracks[BLACK] = 4
    for cell in (FAR, REMOTE):
        assert laid.session.standing(laid.table.seen(doubted={cell: []})).outlook is Outlook.LEGAL


def test_what_the_reader_sees_but_cannot_vouch_for_is_what_the_books_hold(laid: Play) -> None:
    laid.table.tracks[BLACK] = 0
    reading = read_as(laid.table.seen(doubted={REMOTE: []}), REMOTE, contents=laid.table.lies[REMOTE])
    assert told(laid.done(reading))[0] == "TurnTaken"


@pytest.mark.parametrize(
    ("cell", "answers"),
    [
        (at(2, -1), []),
        (at(4), [ROAD, BARE]),
        (at(4), [ROAD, road(BLACK, (1, 4))]),
        (at(2), [ROAD, road(BLACK, (0, 2))]),
    ],
    ids=["nobody knows of it", "likelier a tile", "a tile by all answers", "two ways that make different words"],
)
def test_a_cell_beside_or_of_the_road_is_asked_about(laid: Play, cell: HexCell, answers: list[Contents]) -> None:
    assert laid.done(doubted={cell: answers})[0] == MoveUnclear(BLACK, (cell,), "turn")


def test_a_cell_beside_the_road_that_may_be_bare_is_no_question(laid: Play) -> None:
    assert told(laid.done(doubted={at(4): [BARE, ROAD]}))[0] == "TurnTaken"


def test_doubts_in_a_row_from_the_road_on_are_beside_it(laid: Play) -> None:
    doubts = {cell: [ROAD, road(RED)] for cell in (at(4), at(5))}
    assert told(laid.done(doubted=doubts)) == ["MoveUnclear"]


def test_another_legal_turn_among_the_answers_is_asked_about_whatever_the_marker_tells(laid: Play) -> None:
    """With tiles on 4 and 5 and a merchant on 6 it would be a longer road; each of them alone would be a fault."""
    goal = [laid.on(at(6), black=1), laid.on(at(6))]
    doubts = {at(4): [ROAD, BARE], at(5): [ROAD, BARE], at(6): goal}
    for left in (0, 4):
        laid.table.tracks[BLACK] = left
        assert laid.session.standing(laid.table.seen(doubted=doubts)).cells == tuple(doubts)


def test_an_earlier_tile_in_doubt_is_what_was_accepted(both_laid: Play) -> None:
    for answers in ([road(BLACK, (0, 2)), road(RED)], [ROAD, BARE], []):
        standing = both_laid.session.standing(both_laid.table.seen(doubted={at(2): answers}))
        assert standing.outlook is Outlook.LEGAL


def test_an_earlier_tile_that_is_likelier_gone_is_asked_about(both_laid: Play) -> None:
    assert asked(both_laid.done(doubted={at(2): [BARE, ROAD]})) == (at(2),)


def test_an_earlier_tile_that_is_plainly_gone_is_seen(both_laid: Play) -> None:
    both_laid.table.lay(at(2), None)
    assert codes(both_laid.done()) == ["tile-removed"]


def test_a_stray_tile_that_is_plain_to_see_is_refused_far_off_too(laid: Play) -> None:
    laid.table.road(RED, FAR)
    assert "tile-color" in codes(laid.done())


def test_a_refusal_is_given_whatever_lies_far_off(play: Play) -> None:
    play.table.road(BLACK, at(2))
    play.table.put(at(3), BLACK, 2)
    doubts = {FAR: [BARE, road(RED)], REMOTE: [Contents(HAMLET)]}
    assert codes(play.done(doubted=doubts)) == ["merchant-extra"]


def test_a_refusal_waits_for_a_cell_that_would_make_it_right(laid: Play) -> None:
    doubts = {at(2): [BARE, ROAD], FAR: [BARE, road(RED)]}
    assert asked(laid.done(doubted=doubts)) == (at(2),)


def test_a_road_tile_by_the_only_likely_answer_is_that_tile(laid: Play) -> None:
    taken = first(laid.done(doubted={at(2): [ROAD]}), TurnTaken)
    assert set(taken.change.cells) == {at(2), at(3)}
    assert taken.left == 4


def test_saving_beside_a_possible_tile_of_the_player_is_asked_about_once(play: Play) -> None:
    doubts = {at(2): [ROAD, BARE]}
    assert asked(play.done(doubted=doubts)) == (at(2),)
    assert told(play.done(doubted=doubts))[0] == "TurnTaken"


def test_saving_beside_a_cell_that_may_hold_another_players_tile_is_no_question(play: Play) -> None:
    assert told(play.done(doubted={at(2): [BARE, road(RED)]}))[0] == "TurnTaken"


def test_a_question_that_nobody_answers_does_not_hold_up_the_next_player(laid: Play) -> None:
    doubts = {at(2): [BARE, ROAD]}
    assert told(laid.done(doubted=doubts)) == ["MoveUnclear"]
    red_builds(laid.table)
    assert movers(laid.done(doubted=doubts)) == [BLACK, RED]


def test_a_doubt_that_lasts_all_evening_is_asked_about_once(laid: Play) -> None:
    doubts = {FAR: [road(RED), ROAD], at(-2): [], REMOTE: []}
    assert FAR in asked(laid.done(doubted=doubts))
    assert told(laid.done(doubted=doubts))[0] == "TurnTaken"
    red_builds(laid.table)
    assert told(laid.done(doubted=doubts))[0] == "TurnTaken"
    assert told(laid.done(doubted=doubts))[0] == "TurnTaken"  # Black saves their days


@pytest.mark.long
@settings(max_examples=tries(150), suppress_health_check=list(HealthCheck), deadline=None)
@given(st.sampled_from(BOARD.cells), ANSWERS, st.data())
def test_a_doubt_with_the_truth_among_its_answers_makes_no_other_word_on_a_legal_turn(
    cell: HexCell, answers: list[Contents], data: st.DataObject
) -> None:
    """The right verdict, or a question about that cell and then that verdict; no question if the truth is first."""
    play = Play.begun()
    if cell not in (at(2), at(3)):
        black_builds(play.table)
        truth = play.table.lies.get(cell, BARE)
        answers.insert(data.draw(st.integers(0, len(answers))), truth)
        taken, *_ = play.done(doubted={cell: answers})
        if answers[0] != truth and isinstance(taken, MoveUnclear):
            assert taken.cells == (cell,)
            taken, *_ = play.done(doubted={cell: answers})
        assert isinstance(taken, TurnTaken)
        assert (set(taken.change.cells), taken.left) == ({at(2), at(3)}, 4)
        assert play.position.next is RED


@pytest.mark.long
@settings(max_examples=tries(150), suppress_health_check=list(HealthCheck), deadline=None)
@given(st.sampled_from(BOARD.cells), ANSWERS)
def test_what_a_player_may_have_done_is_never_passed_over_where_it_is_the_likeliest_answer(
    cell: HexCell, answers: list[Contents]
) -> None:
    """A tile laid or taken away, or their merchants: a question, or the truth's own verdict; heaps are left out."""
    play = Play.begun()
    black_builds(play.table)
    held = play.table.lies.get(cell, BARE)
    if cell in (at(2), at(3)) or not answers:
        return
    truth = answers[0]
    is_laid = held.tile is None and isinstance(truth.tile, Road | Workshop)
    is_taken = truth.tile is None and isinstance(held.tile, Road | Workshop)
    is_merchants = truth.merchants[BLACK] != held.merchants[BLACK] and not isinstance(held.tile, Workshop)
    play.table.lies[cell] = truth
    reading = play.table.seen(doubted={cell: answers})
    if crowds_of(reading, {}):
        return
    word = play.session.standing(reading).outlook
    if is_laid or is_taken or (is_merchants and held.tile == truth.tile):
        right = Play.begun().session.standing(play.table.seen()).outlook
        assert word in (Outlook.UNCLEAR, right) or right is Outlook.UNCLEAR  # the truth itself may be impossible
