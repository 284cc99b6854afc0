"""The table that plays by itself: time, presses, verdicts, visitors."""

import numpy as np
import pytest

from companion.board import BadInputError, Color, HexBoard, Road, Terrain
from companion.games.contract import Legal
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER, LaStrada, LaStradaPosition
from simulator import Setup, VirtualTable, layout_showing, virtual_camera
from simulator.dealing import change_of
from tests.clock import Clock

CELL = HexBoard(6).cell("G7")


@pytest.fixture
def table(setup: Setup, clock: Clock) -> VirtualTable:
    return VirtualTable(setup.camera, 1, clock=clock, sleep=clock.sleep)


def until_pressed(table: VirtualTable, clock: Clock, most_s: float = 300) -> str:
    end_s = clock.now_s + most_s
    while clock.now_s < end_s:
        clock.now_s += 0.25
        presses = table.advance(clock.now_s)
        if presses:
            assert len(presses) == 1
            return presses[0]
    raise AssertionError(f"nobody pressed the button for {most_s} s")


def judged(table: VirtualTable) -> bool:
    assert table.position is not None
    change = change_of(table.camera.art, table.scene, table.position)
    return isinstance(table.rules.judge(table.position, change), Legal)


def until_right(table: VirtualTable, clock: Clock) -> None:
    """Let them play until a legal turn is laid; refuse anything else."""
    while until_pressed(table, clock) == "deal" or not judged(table):
        table.answer(table.position is None)


def test_first_press_is_a_deal_of_nineteen_settlements(table: VirtualTable, clock: Clock) -> None:
    assert until_pressed(table, clock) == "deal"
    assert len(table.scene.tiles) == 19
    assert STANDARD.check_deal(table.truth()) == ()
    assert table.position is None


def test_hand_is_away_whenever_the_button_is_pressed(table: VirtualTable, clock: Clock) -> None:
    seen = 0
    for _ in range(8):
        press = until_pressed(table, clock)
        assert table.scene.hand is None
        seen += len(table.truth().occluded)
        table.answer(press == "deal" or judged(table))
    assert seen == 0


def test_hands_come_in_between(table: VirtualTable, clock: Clock) -> None:
    until_pressed(table, clock)
    table.answer(True)
    hands = 0
    for _ in range(60):
        clock.now_s += 0.25
        table.advance(clock.now_s)
        hands += table.scene.hand is not None
    assert hands > 5


@pytest.mark.long
def test_whole_game_ends_and_a_new_one_is_dealt(table: VirtualTable, clock: Clock) -> None:
    layouts = []
    for _ in range(150):
        is_deal = until_pressed(table, clock) == "deal"
        if is_deal:
            layouts.append(table.scene.layout)
        if len(layouts) == 2:
            break
        table.answer(is_deal or judged(table))
    assert len(layouts) == 2
    assert layouts[0] != layouts[1]
    assert len(table.scene.tiles) == 19
    assert not table.scene.cubes


@pytest.mark.parametrize("rules", [TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
def test_two_who_sit_opposite_play_a_whole_game(setup: Setup, clock: Clock, rules: LaStrada) -> None:
    table = VirtualTable(setup.camera, 2, rules=rules, clock=clock, sleep=clock.sleep)
    deals, rounds = 0, []
    while deals < 2:
        press = until_pressed(table, clock)
        if press == "deal":
            deals += 1
            table.answer(True)
            continue
        assert table.position is not None
        assert table.position.colors == setup.camera.art.sides[::2]
        unused = next(color for color in Color if color not in table.position.colors)
        rounds.append(table.scene.markers[unused].field if unused in table.scene.markers else None)
        table.answer(judged(table))
    assert not table.scene.cubes
    if rules is DANGER:
        assert list(dict.fromkeys(rounds)) == [*range(10, 0, -1)]
    else:
        assert set(rounds) == {None}


def test_an_undo_turns_the_count_of_rounds_back(setup: Setup, clock: Clock) -> None:
    table = VirtualTable(setup.camera, 2, rules=DANGER, clock=clock, sleep=clock.sleep)
    positions: list[LaStradaPosition] = []
    while not positions or positions[-1].turns < 4:
        press = until_pressed(table, clock)
        if table.position is not None:
            positions.append(table.position)
        table.answer(press == "deal" or judged(table))
    unused = next(color for color in Color if color not in positions[0].colors)
    assert table.scene.markers[unused].field == 8
    table.move_marker(unused, None)  # a visitor puts it aside
    table.follow(positions[1])
    until_pressed(table, clock)
    assert table.scene.markers[unused].field == 10
    standing = {cube.color for cubes in table.scene.cubes.values() for cube in cubes}
    assert standing <= set(positions[0].colors)


def test_hands_carry_merchants_along_a_road_and_lose_none(setup: Setup, clock: Clock) -> None:
    table = VirtualTable(setup.camera, 4, rules=DANGER, clock=clock, sleep=clock.sleep)
    standing: set[int] = set()
    while table.position is None or table.position.turns < 6:
        clock.now_s += 0.25
        presses = table.advance(clock.now_s)
        if table.position is not None and table.position.phase == "turn":
            standing.add(sum(map(len, table.scene.cubes.values())))
        for press in presses:
            table.answer(press == "deal" or judged(table))
    assert max(standing) == 24
    assert min(standing) < 24, "some are in the hand on their way"


def test_refused_turn_is_put_right(setup: Setup, clock: Clock) -> None:
    for seed in range(30):
        table = VirtualTable(setup.camera, seed, clock=clock, sleep=clock.sleep)
        for _ in range(25):
            press = until_pressed(table, clock)
            legal = press == "deal" or judged(table)
            table.answer(legal)
            if not legal:
                assert until_pressed(table, clock) == "done"
                assert judged(table)
                return
    raise AssertionError("in 30 games nobody made a mistake")


def test_wrongly_refused_turn_is_said_again_unchanged(table: VirtualTable, clock: Clock) -> None:
    until_right(table, clock)
    before = table.scene
    table.answer(False)
    assert until_pressed(table, clock) == "done"
    assert table.scene == before


def test_turn_that_is_refused_again_and_again_is_taken_back_and_another_laid(table: VirtualTable, clock: Clock) -> None:
    until_right(table, clock)
    before = table.scene
    for _ in range(3):
        table.answer(False)
        assert until_pressed(table, clock) == "done"
    assert table.scene.tiles != before.tiles


def test_refusals_of_earlier_turns_are_forgotten_once_the_table_is_followed(table: VirtualTable, clock: Clock) -> None:
    until_right(table, clock)
    for _ in range(2):
        table.answer(False)
        until_pressed(table, clock)
    assert table.position is not None
    change = change_of(table.camera.art, table.scene, table.position)
    verdict = STANDARD.judge(table.position, change)
    assert isinstance(verdict, Legal)
    assert isinstance(verdict.after, LaStradaPosition)
    table.follow(verdict.after)  # somebody else had it judged
    until_right(table, clock)
    before = table.scene
    table.answer(False)
    until_pressed(table, clock)
    assert table.scene.tiles == before.tiles, "the first refusal of this turn: they say it again"


def test_second_answer_to_one_press_changes_nothing(table: VirtualTable, clock: Clock) -> None:
    for _ in range(2):
        until_pressed(table, clock)
        table.answer(True)
    table.advance(clock.now_s)
    before = table.position
    table.answer(True)
    table.answer(False)
    table.advance(clock.now_s)
    assert table.position == before
    until_pressed(table, clock)
    assert judged(table)


def test_unanswered_press_is_repeated(table: VirtualTable, clock: Clock) -> None:
    assert until_pressed(table, clock) == until_pressed(table, clock) == "deal"


def test_same_clock_gives_the_same_game(setup: Setup) -> None:
    scenes = []
    for _ in range(2):
        clock = Clock()
        table = VirtualTable(setup.camera, 4, clock=clock, sleep=clock.sleep)
        for _ in range(6):
            until_pressed(table, clock)
            table.answer(True)
        scenes.append((table.scene, clock.now_s))
    assert scenes[0] == scenes[1]


@pytest.mark.long
def test_frames_come_at_their_pace_and_presses_before_their_picture(setup: Setup, clock: Clock) -> None:
    pressed: list[tuple[str, float]] = []
    table = VirtualTable(
        setup.camera, 1, clock=clock, sleep=clock.sleep, frames_per_s=2,
        on_press=lambda press: pressed.append((press, clock.now_s)),
    )  # fmt: skip
    frames = [table.frame(1.0) for _ in range(3)]
    assert [frame.taken_s for frame in frames] == pytest.approx([100.0, 100.5, 101.0])
    assert frames[0].image.shape == (492, 656, 3)
    assert frames[0].image.dtype == np.uint8
    while not pressed:
        frame = table.frame(1.0)
    assert frame.taken_s >= pressed[0][1]
    table.close()


def test_visitor_lays_and_takes_at_the_next_step(table: VirtualTable, clock: Clock) -> None:
    table.pause()
    road = Road(Color.RED, Terrain.PLAIN, (0, 3))
    table.lay(CELL, road)
    table.put(CELL, Color.GREY)
    table.put(CELL, Color.GREY)
    table.remove(CELL, Color.GREY)
    table.move_marker(Color.RED, 7)
    assert table.scene.contents(CELL).tile is None
    table.press("done")
    assert table.advance(clock.now_s) == ("done",)
    lies = table.scene.contents(CELL)
    assert lies.tile == road
    assert lies.merchants.counts == {Color.GREY: 1}
    assert table.scene.markers[Color.RED].field == 7
    table.take(CELL)
    table.advance(clock.now_s)
    assert table.scene.contents(CELL).tile is None


def test_nobody_plays_while_the_players_rest(table: VirtualTable, clock: Clock) -> None:
    table.pause()
    table.advance(clock.now_s)
    before = table.scene
    clock.now_s += 1000
    assert table.advance(clock.now_s) == ()
    assert table.scene == before


def test_players_tidy_up_after_visitors_before_they_go_on(table: VirtualTable, clock: Clock) -> None:
    for _ in range(3):
        until_pressed(table, clock)
        table.answer(table.position is None or judged(table))
    table.pause()
    bare = next(cell for cell in table.scene.board.cells if cell not in table.scene.tiles)
    table.lay(bare, Road(Color.GREY, Terrain.HILL, (1, 4)))
    table.put(bare, Color.GREY)
    table.advance(clock.now_s)
    table.play()
    until_pressed(table, clock)
    assert table.scene.contents(bare).merchants.total == 0
    assert table.scene.contents(bare).tile != Road(Color.GREY, Terrain.HILL, (1, 4))


@pytest.mark.parametrize("seed", range(6))
def test_players_follow_an_undo(setup: Setup, clock: Clock, seed: int) -> None:
    table = VirtualTable(setup.camera, seed, clock=clock, sleep=clock.sleep)
    positions: list[LaStradaPosition] = []
    while len(positions) < 6:
        press = until_pressed(table, clock)
        legal = press == "deal" or judged(table)
        if legal and table.position is not None:
            positions.append(table.position)
        table.answer(legal)
    table.follow(positions[2])
    table.advance(clock.now_s)
    assert table.position == positions[2]
    until_pressed(table, clock)
    if not judged(table):
        table.answer(False)
        until_pressed(table, clock)
    assert judged(table)


def test_a_table_is_put_as_a_position_of_an_earlier_day_holds_and_played_on(table: VirtualTable, clock: Clock) -> None:
    for _ in range(9):  # the deal, three workshops, five turns
        until_pressed(table, clock)
        table.answer(legal=True)
    table.advance(clock.now_s)
    position = table.position
    assert position is not None
    again = VirtualTable(table.camera, 2, clock=clock, sleep=clock.sleep, position=position)
    assert again.position == position
    assert not change_of(table.camera.art, again.scene, position)
    tracks = again.truth().tracks
    assert {player.color: tracks[player.color] for player in position.players} == position.days
    assert until_pressed(again, clock) == "done"
    assert judged(again)


def test_a_table_refuses_a_position_that_its_pieces_cannot_show(table: VirtualTable, clock: Clock) -> None:
    until_pressed(table, clock)
    table.answer(legal=True)
    table.advance(clock.now_s)
    assert table.position is not None
    other = virtual_camera(6, width=656, height=492)
    assert layout_showing(other.art, table.position.ground) is None
    with pytest.raises(BadInputError, match="its terrain is not that of"):
        VirtualTable(other, 1, clock=clock, sleep=clock.sleep, position=table.position)
