"""Evenings planned for the renderer: the right words, all rule sets, the same for one seed, and possible."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from bench.evening import TruthReader, tally
from bench.planned import BOARD, MOST_PHOTOS, pieces_of, plan_of, planned_evening, rules_of
from bench.tablegen import Generator
from companion.evening import referee
from companion.session import Session
from tests.bench.evenings import sketch_of, written

SHARED = Path(__file__).parents[2] / ".." / "shared"


@pytest.mark.parametrize("seed", [909, 910, 911], ids=lambda seed: rules_of(seed).name)
def test_the_referee_who_sees_all_says_every_word_that_the_plan_expects(seed: int, tmp_path: Path) -> None:
    evening = written(tmp_path, seed)
    wrong: list[str] = []
    found = tally("planned", evening, referee(evening, lambda path: path, TruthReader(BOARD), Session()), wrong.append)
    assert wrong == []
    assert found.right == found.done > 8
    assert (found.gold_right, found.winners_right, found.looks_decided) == (True, True, 0)


def test_one_seed_has_one_plan() -> None:
    assert planned_evening(sketch_of(912), 8) == planned_evening(sketch_of(912), 8)
    assert planned_evening(sketch_of(912), 8)["photos"] != planned_evening(sketch_of(913), 8)["photos"]


def test_players_who_always_err_are_refused_and_put_it_right() -> None:
    plan = planned_evening(sketch_of(914), 14, mistakes=1.0)
    words = [photo["expected"]["legal"] for photo in plan["photos"] if photo["button"] == "done"]
    assert words.count(False) >= 3
    assert all(later for word, later in pairwise(words) if not word)


def test_a_hand_reaches_over_the_table_in_looks_alone() -> None:
    plans = [planned_evening(sketch_of(seed), 20) for seed in (915, 916)]
    photos = [photo for plan in plans for photo in plan["photos"]]
    assert all(("hands" in photo) == (photo["button"] == "look") for photo in photos)
    assert any("hands" in photo for photo in photos)


def test_ten_evenings_have_all_rules_and_every_disturbance() -> None:
    seeds = range(2100, 2110)
    assert {rules_of(seed).name for seed in seeds} == {"standard", "two-player", "danger"}
    assert sum(pieces_of(seed) is not None for seed in seeds) == 3
    plans = [planned_evening(sketch_of(seed), 8) for seed in (2100, 2104)]
    keys = [[key for photo in plan["photos"] for key in ("light", "push") if key in photo] for plan in plans]
    assert keys[0] == ["light"]
    assert sorted(keys[1]) == ["light", "push"]


def test_two_by_their_own_rules_sit_opposite_each_other() -> None:
    sketch = sketch_of(910)
    assert rules_of(910).name == "two-player"
    one, other = (sketch["sides"][player["color"]] for player in planned_evening(sketch, 2)["players"])
    assert (one - other) % 4 == 2


@pytest.mark.long
def test_the_generator_finds_plans_possible(tmp_path: Path) -> None:
    python = os.environ.get("STRADA_RENDERER") or sys.executable
    if not (SHARED / "tablegen" / "plan.py").is_file():
        pytest.skip("no ../shared/tablegen")
    needs = subprocess.run([python, "-c", "import skia, shapely, skimage"], capture_output=True, check=False)
    if needs.returncode:
        pytest.skip(f"{python} has not what the generator needs; STRADA_RENDERER may name one that has")
    generator = Generator.of(SHARED, tmp_path, python)
    for seed in (900, 901):
        plan = plan_of(generator, seed)
        sketch = generator.sketch(seed, pieces_of(seed))
        # The generator refuses terrain and sites that are not where it put them.
        plan["photos"][0]["cells"] = {
            name: {"terrain": kind, "site": name in sketch["sites"], **plan["photos"][0]["cells"].get(name, {})}
            for name, kind in sketch["terrain"].items()
        }
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        assert "all possible" in generator.judge(seed, tmp_path / "plan.json")
        assert len(plan["photos"]) <= MOST_PHOTOS
