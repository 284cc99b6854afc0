"""Random well-formed records of Silk Road: sensible and senseless moves, faults in the set-up, uneven hands."""

import random

from tests.games.silk_road.naive import BESIDE, CORNERS, INNER, SQUARES, Game, Json, set_up_faults

COLORS = ["green", "brown", "blue", "yellow"]


def random_silk_road(seed: int) -> tuple[Json, Json]:
    """A record, the same for the same seed, and the verdict of the naive referee, who kept the table meanwhile."""
    rng = random.Random(seed)
    header = random_header(rng)
    if faults := set_up_faults(header["board"]):
        return {**header, "moves": []}, {"setup": faults, "verdicts": []}
    game, mischief = Game(header), rng.choice([0, 0.1, 0.4])
    most, after_the_end = rng.choice([12, 60, 60]), rng.randint(0, 2)
    moves: list[Json] = []
    verdicts: list[Json] = []
    while len(moves) < most and after_the_end >= 0:
        moves.append(random_move(rng, game, mischief))
        verdicts.append(game.move(moves[-1]))
        after_the_end -= game.player is None
    return {**header, "moves": moves}, game.account(verdicts)


def random_header(rng: random.Random) -> Json:
    """A record without moves."""
    colors = rng.sample(COLORS, rng.choice([1, 2, 2, 2, 3, 4]))
    hand = rng.choice([14] * 12 + [8, 8, 3, 3, 0])
    hands = {color: hand if rng.random() < 0.9 else rng.choice([0, 1, 5]) for color in colors}
    dead_ends, horses = rng.choice([0, 0.15, 0.4]), rng.choice([0, 0.15, 0.4])
    rays = rng.choice([(0, 2), (1, 4), (2, 5), (4, 8), (4, 8)])
    return {
        "format": "strada-record/1",
        "game": "silk-road",
        "rules": rng.choice(["competitive", "competitive", "cooperative"]),
        "board": random_board(rng),
        "players": [{"name": color.title(), "color": color} for color in colors],
        "sections": {
            color: [
                {
                    "id": f"{color}{number}",
                    "number": rng.choice([0, 0, 2, 4, 6, 8, 10]),
                    "horse": rng.random() < horses,
                    "rays": sorted(rng.sample(range(8), rng.randint(*rays))),
                    "dead_end": rng.random() < dead_ends,
                }
                for number in range(1, hands[color] + 1)
            ]
            for color in colors
        },
    }


def random_board(rng: random.Random) -> Json:
    """Mostly a board set up by the rules; sometimes a piece or two of it is anywhere."""
    while True:
        board: Json = {"snow": rng.choice(CORNERS), "mountains": rng.sample(INNER, 4)}
        if not set_up_faults(board):
            break
    while rng.random() < 0.1:
        whim = rng.randrange(4)
        if whim == 0:
            board["snow"] = rng.choice(SQUARES)
        elif whim == 1:
            board["mountains"][rng.randrange(4)] = rng.choice(SQUARES)
            break
        elif whim == 2:
            board["mountains"] = board["mountains"][: rng.randrange(4)]
            break
        else:
            board["mountains"].append(rng.choice(SQUARES))
    return board


def random_move(rng: random.Random, game: Game, mischief: float) -> Json:
    player = game.player or rng.choice(game.order)
    is_wild = rng.random() < mischief
    if is_wild and rng.random() < 0.1:
        player = rng.choice(game.order)
    hand, places = game.hand(player), game.places()
    if rng.random() < 0.02 or not game.owner:
        return {"player": player, "pass": True}
    section, cell = rng.choice(hand or list(game.owner)), rng.choice(places or SQUARES)
    if is_wild:
        whim = rng.randrange(5)
        if whim == 0:
            section = rng.choice(list(game.owner))
        elif whim == 1:
            section = rng.choice(game.used or list(game.owner))
        elif whim == 2:
            cell = rng.choice(SQUARES)
        elif whim == 3:
            cell = rng.choice(list(game.lies))
        else:
            cell = rng.choice(list(BESIDE[rng.choice(list(game.lies))].values()))
    return {"player": player, "section": section, "cell": cell, "turn": rng.randrange(4)}
