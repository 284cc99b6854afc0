"""A tournament of 250 players, seated round by round: how long that takes, and who meets the same people again.

It is compared with a seating that is only shuffled: the same tables, and chance alone.

python -m bench.seating --players 250 --size 4 --rounds 8
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from typing import Any

from bench.bars import Bar, told
from hub.tournament.rounds import History, Round, history_of, pairs, sizes
from hub.tournament.seating import drawn

#: How many seconds a round of 250 players may take, on a machine that does other things too.
ROUND_S = 10.0


def main() -> None:
    """Seat a tournament, and print how well that went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=250)
    parser.add_argument("--size", type=int, default=4, choices=(2, 3, 4))
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--shared", help="not needed")
    options = parser.parse_args()
    ours, took = _played(options, lambda history, left, seed: drawn(
        range(options.players), history, options.size, ahead=left, seed=seed
    ))  # fmt: skip
    chance, _ = _played(options, lambda history, left, seed: shuffled(options.players, options.size, seed))
    figures = {
        "players": options.players, "size": options.size, "rounds": options.rounds,
        "round_s": [round(each, 2) for each in took], "ours": _figures(ours), "by_chance": _figures(chance),
    }  # fmt: skip
    print(f"{options.players} players, {options.rounds} rounds, the slowest in {max(took):.2f} s")
    for name, found in (("ours", ours), ("by chance", chance)):
        said = _figures(found)
        print(
            f"{name:>10}: {said['again']} meet somebody again, most often {said['most']} times; "
            f"{said['uneven']} players sat more unevenly in the order of turns than once"
        )
    figures["bars"] = told([Bar("the slowest round", max(took), ROUND_S, "s")])
    print(json.dumps(figures))


def _played(options: Any, draw: Callable[[History, int, int], Round]) -> tuple[list[Round], list[float]]:
    rounds: list[Round] = []
    took = []
    for number in range(options.rounds):
        began = time.perf_counter()
        rounds.append(draw(history_of(rounds), options.rounds - number - 1, options.seed + number))
        took.append(time.perf_counter() - began)
    return rounds, took


def shuffled(players: int, size: int, seed: int) -> Round:
    """Return a round drawn by chance alone."""
    order = list(range(players))
    random.Random(seed).shuffle(order)
    tables = []
    for has in sizes(players, size)[0]:
        tables.append(tuple(order[:has]))
        order = order[has:]
    return Round(tuple(tables), tuple(order))


def _figures(rounds: list[Round]) -> dict[str, int]:
    history = history_of(rounds)
    again = sum(times - 1 for times in history.met.values())
    seats = range(max(len(table) for each in rounds for table in each.tables))
    spreads = [
        max(sat.get(seat, 0) for seat in seats) - min(sat.get(seat, 0) for seat in seats)
        for sat in history.sat.values()
    ]
    meetings = sum(1 for each in rounds for table in each.tables for _ in pairs(table))
    return {"meetings": meetings, "again": again, "most": max(history.met.values()),
            "uneven": sum(spread >= 2 for spread in spreads), "spread": max(spreads)}  # fmt: skip


if __name__ == "__main__":
    main()
