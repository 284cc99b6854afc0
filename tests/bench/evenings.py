"""A planned evening as files: the photographs are empty, and beside each is what it would show."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from bench.planned import planned_evening, truth_of
from companion.board import Layout
from companion.evening import Evening, load_evening
from simulator import virtual_art
from simulator.dealing import random_layout
from simulator.players import MISTAKE_SHARE


def sketch_of(seed: int) -> dict[str, Any]:
    """Return what the generator would say of this seed, for one of our own printings."""
    art = virtual_art(seed)
    layout: Layout = random_layout(np.random.default_rng(seed))
    return {
        "seed": seed,
        "layout": [{"piece": piece, "slot": lie.slot, "turn": lie.turn} for piece, lie in enumerate(layout.lies)],
        "terrain": {str(cell): str(kind) for cell, kind in art.terrain_as_laid(layout).items()},
        "sites": sorted(str(cell) for cell in art.sites_as_laid(layout)),
        "sides": {str(color): side for side, color in enumerate(art.sides)},
    }


def written(folder: Path, seed: int, most: int = 12, mistakes: float = MISTAKE_SHARE) -> Evening:
    """Write the evening of that seed, of at most `most` photographs, into the folder; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    sketch = sketch_of(seed)
    plan = planned_evening(sketch, most, mistakes)
    photos = []
    for number, photo in enumerate(plan["photos"]):
        name = f"{number:03d}.jpg"
        (folder / name).write_bytes(b"")
        (folder / name).with_suffix(".json").write_text(json.dumps(truth_of(photo, sketch)))
        photos.append({"photo": name, "button": photo["button"]})
    game = {"rules": plan["rules"], "players": plan["players"], "photos": photos}
    (folder / "game.json").write_text(json.dumps(game))
    return load_evening(folder)
