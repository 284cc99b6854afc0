"""Virtual players: what they mean to lay is legal, what they lay wrongly is not, and games end."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import (
    EDGE_PAIRS,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Merchants,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.games import score
from companion.games.contract import Illegal, Legal, Unfinished, Verdict
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER, LaStrada, LaStradaPosition, account
from simulator import Scene, virtual_camera
from simulator.art import Art
from simulator.dealing import acts, assembled, begun, change_of, deal, put_right, random_layout, seated, tidied
from simulator.players import planned


class Table:
    """A game without pictures."""

    def __init__(self, seed: int, rules: LaStrada = STANDARD) -> None:
        self.rng = np.random.default_rng(seed)
        self.art, self.rules = Art.made(self.rng), rules
        layout, players = random_layout(self.rng), seated(rules, self.art)
        self.scene = assembled(self.art, layout, players, self.rng, rules)
        self.lay(deal(self.art, layout, self.rng))
        self.position: LaStradaPosition = begun(self.art, self.scene, players, rules)

    def lay(self, wanted: Mapping[HexCell, Contents]) -> None:
        for act in acts(self.scene, wanted):
            self.scene = act.done(self.scene, self.rng)

    def verdict(self) -> Verdict:
        return self.rules.judge(self.position, change_of(self.art, self.scene, self.position))

    def cubes(self, color: Color) -> int:
        return sum(cube.color is color for cubes in self.scene.cubes.values() for cube in cubes)

    def after(self) -> LaStradaPosition:
        """Return the position after what lies there, which is legal."""
        verdict = self.verdict()
        assert isinstance(verdict, Legal), verdict
        assert isinstance(verdict.after, LaStradaPosition)
        return verdict.after

    def faults(self) -> set[str]:
        """Return the codes of what is wrong with what lies there."""
        refused = self.verdict()
        assert isinstance(refused, Illegal | Unfinished), refused
        return {reason.code for reason in (refused.reasons if isinstance(refused, Illegal) else refused.missing)}

    def play(self) -> None:
        """Play the next move, correctly at the first try."""
        self.lay(planned(self.position, self.rng, mistakes=0).right)
        self.position = self.after()


@pytest.mark.parametrize("seed", range(4))
def test_every_deal_is_right(seed: int) -> None:
    table = Table(seed)
    assert STANDARD.check_deal(table.scene.truth(table.art.terrain, table.art.sites)) == ()


#: The codes of each rule set's own mistakes, beyond those of all; some games offer no place for some of them.
OWN_MISTAKES = {
    "standard": {"merchant-missing"},
    "two-player": {"merchant-extra", "already-connected"},
    "danger": {"merchant-total", "merchant-move", "merchant-color"},
}


@pytest.mark.parametrize("rules", [STANDARD, TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
@pytest.mark.parametrize("seed", range(6))
def test_whole_games_of_wrong_turns_put_right_end(seed: int, rules: LaStrada) -> None:
    table = Table(seed, rules)
    codes: set[str] = set()
    for _ in range(150):
        plan = planned(table.position, table.rng, mistakes=0.6)
        assert plan.player is table.position.next
        if plan.wrong is not None:
            table.lay(plan.wrong)
            assert all(table.cubes(color) <= 12 for color in Color), "there are no more in the box"
            codes |= table.faults()
            table.lay(put_right(table.position, plan.wrong, plan.right))
        else:
            table.lay(plan.right)
        after = table.after()
        assert not tidied(table.scene, after)
        if plan.marker is not None:
            spent = {color: table.position.days[color] for color in Color if color in table.position.days}
            assert 0 <= plan.marker <= spent[plan.player]
        table.position = after
        if table.position.over:
            break
    assert table.position.over
    assert score(table.position).winners
    assert len(codes) >= 3


@pytest.mark.long
@pytest.mark.parametrize("rules", [STANDARD, TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
def test_each_game_has_its_own_mistakes(rules: LaStrada) -> None:
    codes: set[str] = set()
    for seed in range(4):
        table = Table(seed, rules)
        while not table.position.over:
            wrong = planned(table.position, table.rng, mistakes=1).wrong
            if wrong is not None:
                before = table.scene
                table.lay(wrong)
                codes |= table.faults()
                table.scene = before
            table.play()
    assert codes >= OWN_MISTAKES[rules.name] | {"dead-end", "tile-terrain", "days", "workshop-terrain"}
    if rules is DANGER:
        assert codes >= {"not-connected", "merchant-missing"}
    if rules is TWO_PLAYER:
        assert "merchant-occupied" in codes


@pytest.mark.parametrize(
    ("rules", "least"), [(STANDARD, 10), (TWO_PLAYER, 15), (DANGER, 5)], ids=lambda it: str(it)[:9]
)
def test_players_gain_gold(rules: LaStrada, least: int) -> None:
    table = Table(1, rules)
    while not table.position.over:
        table.play()
    assert min(score(table.position).gold.values()) >= least


@pytest.mark.parametrize("rules", [TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
def test_two_set_their_workshops_in_turn_and_the_second_begins(rules: LaStrada) -> None:
    table = Table(3, rules)
    one, other = table.position.colors
    assert table.art.sides.index(other) == (table.art.sides.index(one) + 2) % 4, "they sit opposite each other"
    movers = []
    for _ in range(5):
        movers.append(table.position.next)
        table.play()
    assert movers == [one, other, one, other, other]


@pytest.mark.parametrize("seed", range(4))
def test_merchants_are_neither_lost_nor_found_where_they_walk(seed: int) -> None:
    table = Table(seed, DANGER)
    for _ in range(4):
        table.play()
    turns = 0
    while not table.position.over:
        assert [table.cubes(color) for color in table.position.colors] == [12, 12]
        table.play()
        turns += 1
    assert turns == 20, "ten rounds of two"


@pytest.mark.long
def test_merchants_spread_and_leave_the_workshops() -> None:
    for seed in range(4):
        table = Table(seed, DANGER)
        while not table.position.over:
            table.play()
        score = account(table.position)
        assert len(score.settlements) >= 9
        assert max(score.stayed.values()) <= 6, "of twelve, each of whom would cost a gold"


def test_roads_lead_through_held_settlements_and_no_merchant_is_set_there() -> None:
    through = 0
    for seed in range(6):
        table = Table(seed, TWO_PLAYER)
        while not table.position.over:
            table.play()
        for color in table.position.colors:
            reached = table.position.connected[color] & table.position.ground.settlements.keys()
            through += sum(not table.position.merchants[cell][color] for cell in reached)
        assert all(cubes.total == 1 for cubes in table.position.merchants.values())
    assert through >= 4


def test_a_player_who_can_build_nothing_passes() -> None:
    table = Table(2, TWO_PLAYER)
    for _ in range(5):
        table.play()
    player = table.position.next
    assert player is not None
    none_left = dict.fromkeys(Terrain, 0)
    table.position = replace(table.position, tiles_left={**table.position.tiles_left, player: none_left})
    plan = planned(table.position, table.rng, mistakes=1)
    assert (plan.right, plan.wrong) == ({}, None)
    assert isinstance(table.verdict(), Legal)


def test_nobody_plans_once_the_game_is_over() -> None:
    table = Table(1)
    while not table.position.over:
        table.play()
    with pytest.raises(ValueError, match="over"):
        planned(table.position, table.rng)


tiles = st.one_of(
    st.none(),
    st.builds(Road, st.sampled_from(Color), st.sampled_from(Terrain), st.sampled_from(EDGE_PAIRS)),
    st.builds(Settlement, st.sampled_from(SettlementType)),
    st.builds(Workshop, st.sampled_from(Color)),
)
merchants = st.builds(Merchants, *(st.integers(0, 2) for _ in Color))
lying = st.dictionaries(st.sampled_from(HexBoard(6).cells[:6]), st.builds(Contents, tiles, merchants))


@pytest.mark.long
@given(before=lying, wanted=lying)
def test_hands_bring_any_table_to_any_other(before: dict[HexCell, Contents], wanted: dict[HexCell, Contents]) -> None:
    rng, scene = np.random.default_rng(1), Scene()
    for goal in (before, wanted):
        for act in acts(scene, goal):
            scene = act.done(scene, rng)
        assert all(scene.contents(cell) == lies for cell, lies in goal.items())
        assert not acts(scene, goal)


def test_a_hand_takes_several_cubes_at_once_but_not_all() -> None:
    rng, cell = np.random.default_rng(1), HexCell(0, 0)
    todo = acts(Scene(), {cell: Contents(None, Merchants(red=6, black=1))})
    assert sorted(act.count for act in todo) == [1, 2, 4]
    scene = Scene()
    for act in todo:
        scene = act.done(scene, rng)
    assert scene.contents(cell).merchants.counts == {Color.RED: 6, Color.BLACK: 1}


def test_same_seed_plans_the_same() -> None:
    one, other = (planned(Table(9).position, np.random.default_rng(1)) for _ in range(2))
    assert one == other


def test_camera_of_a_seed_draws_that_printing() -> None:
    assert virtual_camera(3, width=164, height=123).art.sites == virtual_camera(3, width=328, height=246).art.sites
