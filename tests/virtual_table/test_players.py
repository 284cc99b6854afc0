"""Virtual players: what they mean to lay is legal, what they lay wrong is not, and games end."""

from collections.abc import Mapping

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
from companion.games.contract import Illegal, Legal, Unfinished, Verdict
from companion.games.la_strada import STANDARD, LaStradaPosition
from companion.virtual_table import PLAYERS, Scene, virtual_camera
from companion.virtual_table.art import Art
from companion.virtual_table.dealing import (
    acts,
    assembled,
    begun,
    change_of,
    deal,
    put_right,
    random_layout,
    tidied,
)
from companion.virtual_table.players import planned


class Table:
    """A game without pictures."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.art = Art.made(self.rng)
        layout = random_layout(self.rng)
        self.scene = assembled(self.art, layout, PLAYERS, self.rng)
        self.lay(deal(self.art, layout, self.rng))
        self.position: LaStradaPosition = begun(self.art, self.scene, PLAYERS)

    def lay(self, wanted: Mapping[HexCell, Contents]) -> None:
        for act in acts(self.scene, wanted):
            self.scene = act.done(self.scene, self.rng)

    def verdict(self) -> Verdict:
        return STANDARD.judge(self.position, change_of(self.art, self.scene, self.position))


@pytest.mark.parametrize("seed", range(4))
def test_every_deal_is_right(seed: int) -> None:
    table = Table(seed)
    assert STANDARD.check_deal(table.scene.truth(table.art.terrain, table.art.sites)) == ()


@pytest.mark.parametrize("seed", range(6))
def test_whole_games_of_wrong_turns_put_right_end(seed: int) -> None:
    table = Table(seed)
    codes: set[str] = set()
    for _ in range(150):
        plan = planned(table.position, table.rng, mistakes=0.6)
        assert plan.player is table.position.next
        if plan.wrong is not None:
            table.lay(plan.wrong)
            refused = table.verdict()
            assert isinstance(refused, Illegal | Unfinished)
            reasons = refused.reasons if isinstance(refused, Illegal) else refused.missing
            codes |= {reason.code for reason in reasons}
            table.lay(put_right(table.position, plan.wrong, plan.right))
        else:
            table.lay(plan.right)
        verdict = table.verdict()
        assert isinstance(verdict, Legal), verdict
        assert isinstance(verdict.after, LaStradaPosition)
        assert not tidied(table.scene, verdict.after)
        if plan.marker is not None:
            spent = {color: table.position.days[color] for color in Color if color in table.position.days}
            assert 0 <= plan.marker <= spent[plan.player]
        table.position = verdict.after
        if table.position.over:
            break
    assert table.position.over
    assert table.position.winners
    assert len(codes) >= 3


def test_players_gain_gold() -> None:
    table = Table(1)
    while not table.position.over:
        table.lay(planned(table.position, table.rng, mistakes=0).right)
        verdict = table.verdict()
        assert isinstance(verdict, Legal)
        table.position = verdict.after  # type: ignore[assignment]
    assert min(table.position.gold().values()) >= 10


def test_nobody_plans_once_the_game_is_over() -> None:
    table = Table(1)
    while not table.position.over:
        table.lay(planned(table.position, table.rng, mistakes=0).right)
        table.position = table.verdict().after  # type: ignore[union-attr,assignment]
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


@given(before=lying, wanted=lying)
def test_hands_bring_any_table_to_any_other(before: dict[HexCell, Contents], wanted: dict[HexCell, Contents]) -> None:
    rng, scene = np.random.default_rng(1), Scene()
    for goal in (before, wanted):
        for act in acts(scene, goal):
            scene = act.done(scene, rng)
        assert all(scene.contents(cell) == lies for cell, lies in goal.items())
        assert not acts(scene, goal)


def test_cubes_on_one_cell_do_not_lie_on_each_other() -> None:
    rng, cell = np.random.default_rng(3), HexCell(0, 0)
    scene = Scene()
    for _ in range(4):
        scene = scene.put(cell, Color.RED, rng)
    places = [(cube.x, cube.y) for cube in scene.cubes[cell]]
    gaps = [np.hypot(*np.subtract(a, b)) for k, a in enumerate(places) for b in places[:k]]
    assert min(gaps) > 0.35
    assert scene.contents(cell).merchants[Color.RED] == 4
    assert scene.remove(cell, Color.BLACK) == scene


def test_same_seed_plans_the_same() -> None:
    one, other = (planned(Table(9).position, np.random.default_rng(1)) for _ in range(2))
    assert one == other


def test_camera_of_a_seed_draws_that_printing() -> None:
    assert virtual_camera(3, width=164, height=123).art.sites == virtual_camera(3, width=328, height=246).art.sites
