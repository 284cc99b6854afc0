"""Who sits with whom in a round, and in which order: nobody meets the same people twice if that can be avoided.

Each step is an assignment problem, which OR-Tools solves exactly: one player of every table stands up, and all of them
are seated again as well as possible. Future rounds are planned as well, so that an early round does not use up what a
later one needs. If a small field's next round still has repeats, it is also given to CP-SAT, which finds the fewest
possible.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python.linear_sum_assignment import SimpleLinearSumAssignment
from ortools.sat.python import cp_model

from hub.tournament.rounds import History, Pair, Round, pairs, repeats, sizes

#: How much more it counts to meet a past opponent in the next round than in one that is only planned.
MET = 64

#: How many steps are tried for each planned round, and how many without success before it is left as it is.
STEPS, IN_VAIN = 160, 48

#: How many future rounds are planned as well, at most.
MOST_AHEAD = 8

#: How many starting points a small field is planned from, and up to how many players it is small.
BEGINNINGS, FEW = 8, 40

#: For up to this many players, CP-SAT looks for the fewest repeats, with this much work, which takes a second or two.
#: The same work gives the same round.
SMALL, WORK = 20, 0.3

Costs = NDArray[np.int64]


def drawn(
    players: Sequence[int], history: History, size: int, most_tables: int | None = None, ahead: int = 0, seed: int = 0
) -> Round:
    """Return the next round, always the same for the same arguments; `ahead` is how many rounds follow it."""
    chance = random.Random(seed)
    shuffled = sorted(players)
    chance.shuffle(shuffled)
    tables, resting = sizes(len(shuffled), size, most_tables)
    shuffled.sort(key=lambda player: -history.rested.get(player, 0))  # those who sat out most are seated first
    seated, out = shuffled[: len(shuffled) - resting], shuffled[len(shuffled) - resting :]
    if not seated:
        return Round((), tuple(sorted(out)))
    chance.shuffle(seated)
    groups = _planned(seated, history.met, tables, 1 + min(ahead, MOST_AHEAD), chance)
    if len(seated) <= SMALL and repeats(groups, history.met):
        groups = _fewest(seated, tables, history.met, groups)
    return Round(tuple(_in_order(group, history.sat, chance) for group in groups), tuple(sorted(out)))


def _planned(
    seated: Sequence[int], met: Mapping[Pair, int], tables: Sequence[int], rounds: int, chance: random.Random
) -> list[tuple[int, ...]]:
    """Return the tables of the next round from the best of several plans."""
    best: tuple[int, list[tuple[int, ...]]] | None = None
    for _ in range(BEGINNINGS if len(seated) <= FEW else 1):
        plan = _Plan(seated, met, tables, rounds, chance)
        plan.improve()
        if best is None or plan.cost < best[0]:
            best = plan.cost, plan.next()
        if not best[0]:
            break
    assert best is not None
    return best[1]


class _Plan:
    """The next round and those after it, improved step by step. A player's number here is their index in `seated`."""

    def __init__(
        self, seated: Sequence[int], met: Mapping[Pair, int], tables: Sequence[int], rounds: int, chance: random.Random
    ) -> None:
        self._seated, self._tables, self._chance = seated, tables, chance
        count, most = len(seated), max(tables)
        self._nobody = count  # fills the places that a smaller table lacks; meets nobody
        at = {player: place for place, player in enumerate(seated)}
        self._met = np.zeros((count + 1, count + 1), np.int64)
        for (one, other), times in met.items():
            if one in at and other in at:
                self._met[at[one], at[other]] = self._met[at[other], at[one]] = times
        self._rounds: list[Costs] = []
        for _ in range(rounds):
            order = list(range(count))
            chance.shuffle(order)
            places = np.full((len(tables), most), self._nobody, np.int64)
            for table, has in enumerate(tables):
                places[table, :has], order = order[:has], order[has:]
            self._rounds.append(places)
        # Who meets in each round, and in all of them: every step needs both.
        self._meets = [self._meetings(places) for places in self._rounds]
        self._together = sum(self._meets, np.zeros_like(self._met))

    @property
    def cost(self) -> int:
        """What all rounds cost together; 0 if nobody meets the same people twice."""
        return sum(map(self._cost, range(len(self._rounds))))

    def next(self) -> list[tuple[int, ...]]:
        """Return the tables of the next round."""
        first = self._rounds[0].tolist()
        return [tuple(self._seated[player] for player in table if player != self._nobody) for table in first]

    def improve(self) -> None:
        """Improve all rounds until there is nothing more to gain."""
        for _ in range(3):
            for number in range(len(self._rounds)):
                self._improve(number)
            if not self.cost:
                return

    def _improve(self, number: int) -> None:
        in_vain, best = 0, self._cost(number)
        for _ in range(STEPS):
            if not best or in_vain == IN_VAIN:
                return
            self._step(number)
            cost = self._cost(number)
            in_vain, best = (0, cost) if cost < best else (in_vain + 1, best)

    def _step(self, number: int) -> None:
        """Let one player of every table stand up, preferably one who met somebody there, and seat all of them again."""
        places, weights = self._rounds[number], self._weights(number)
        own = weights[places[:, :, None], places[:, None, :]].sum(2)
        noise = np.array([[self._chance.random() for _ in row] for row in own.tolist()])
        stands = np.where(places == self._nobody, -1.0, noise + (own > 0) * self._chance.choice((0.0, 0.5, 1.0)))
        chosen = stands.argmax(1)
        rows = np.arange(len(places))
        standing = places[rows, chosen]
        left = places.copy()
        left[rows, chosen] = self._nobody
        costs = weights[standing[:, None, None], left[None, :, :]].sum(2)
        mates = assigned(costs, self._chance)
        after = left.copy()
        after[mates, chosen[mates]] = standing
        meets = self._meetings(after)
        self._together += meets - self._meets[number]
        self._rounds[number], self._meets[number] = after, meets

    def _weights(self, number: int) -> Costs:
        """Return what it costs if two meet in that round, by their past meetings and those in the other rounds."""
        others = self._together - self._meets[number]
        return self._met * (MET if number == 0 else 1) + others

    def _cost(self, number: int) -> int:
        places = self._rounds[number]
        return int(self._weights(number)[places[:, :, None], places[:, None, :]].sum())

    def _meetings(self, places: Costs) -> Costs:
        meets = np.zeros_like(self._met)
        for one, other in combinations(range(places.shape[1]), 2):
            meets[places[:, one], places[:, other]] = meets[places[:, other], places[:, one]] = 1
        meets[self._nobody, :] = meets[:, self._nobody] = 0
        return meets


def assigned(costs: Costs, chance: random.Random) -> Costs:
    """Return where each row goes so that the total cost is least; chance decides between equal solutions."""
    rows, columns = costs.shape
    likes = np.array([chance.randrange(rows) for _ in range(rows * columns)], np.int64)
    solver = SimpleLinearSumAssignment()
    left, right = np.divmod(np.arange(rows * columns, dtype=np.int32), np.int32(columns))
    solver.add_arcs_with_cost(left, right, costs.ravel() * (rows * rows) + likes)
    if solver.solve() != solver.OPTIMAL:  # every row may go anywhere, so there is always a solution
        raise ArithmeticError("no assignment was found")
    return np.array([solver.right_mate(row) for row in range(rows)], np.int64)


def _fewest(
    seated: Sequence[int], tables: Sequence[int], met: Mapping[Pair, int], known: Sequence[Sequence[int]]
) -> list[tuple[int, ...]]:
    """Return tables with the fewest repeats that CP-SAT finds; `known` if it finds none."""
    model = cp_model.CpModel()
    sits = {(player, table): model.new_bool_var("") for player in seated for table in range(len(tables))}
    for player in seated:
        model.add_exactly_one(sits[player, table] for table in range(len(tables)))
    for table, has in enumerate(tables):
        model.add(sum(sits[player, table] for player in seated) == has)
    cost = []
    for pair in pairs(seated):
        if times := met.get(pair, 0):
            meets = model.new_bool_var("")
            cost.append(times * meets)
            for table in range(len(tables)):
                model.add_bool_or(sits[pair[0], table].negated(), sits[pair[1], table].negated(), meets)
    for table, group in enumerate(known):
        for player in seated:
            model.add_hint(sits[player, table], player in group)
    model.minimize(sum(cost))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_deterministic_time = WORK
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return [tuple(group) for group in known]
    better = [tuple(player for player in seated if solver.value(sits[player, table])) for table in range(len(tables))]
    return better if repeats(better, met) < repeats(known, met) else [tuple(group) for group in known]


def _in_order(group: Sequence[int], sat: Mapping[int, Mapping[int, int]], chance: random.Random) -> tuple[int, ...]:
    """Return the group in turn order: each place goes to somebody who has seldom sat there."""
    # Twice in the same place costs more than once each in two: 1, 3, 5 for the first, second and third time.
    costs = np.array([[2 * sat.get(player, {}).get(seat, 0) + 1 for seat in range(len(group))] for player in group])
    seats = assigned(costs.astype(np.int64), chance)
    return tuple(player for _, player in sorted(zip(seats.tolist(), group, strict=True)))
