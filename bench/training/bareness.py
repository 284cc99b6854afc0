"""How likely it is that a cell shows its own bare ground, judged by the comparison, in any light.

    python -m bench.training.bareness PATCHES [--out vision/square/bareness.json]

PATCHES is a folder that `bench.training.patches` wrote. Some cells of each photographed table are compared with their
own ground, both in light of every kind. The fit says how much the comparison's odds count then, and how much it counts
how near both are to each other for the embedding. Silk Road's reader needs that (`vision.square.reader.Bareness`), as
it has no trust to weigh its comparison.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from bench.training.album import Album, as_levels, as_tones, refuse_kept_apart, source_of
from bench.training.batches import in_tones
from bench.training.lessons import logistic
from bench.training.lighting import lit
from companion.board import BadInputError
from vision.square.reader import BARENESS
from vision.tiles.exemplars import Exemplars, compared

#: How many of a table's cells are enough.
_CELLS = 150


def evidence_of(album: Album, seed: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the odds and the nearness (cells, 2) of cells in some light and their own ground; and which are bare."""
    rng, chance = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    asked = np.flatnonzero(~album.hidden & ((album.names > 0) | ~album.counts.any(axis=1)))
    cells = rng.permutation(asked)[:_CELLS]
    exemplars = Exemplars.of_ground(as_tones(album.bare[: album.cells]))
    embedded = []
    # The ground had a light of its own when it was taught.
    for levels in (album.seen[cells], album.bare[album.under[cells]]):
        light = lit(in_tones(torch.from_numpy(levels)), chance).permute(0, 2, 3, 1).numpy()
        embedded.append(exemplars.embedded(as_tones(as_levels(light))))
    seen, ground = embedded
    odds, _ = compared(list(seen.features), list(ground.features))
    return np.column_stack([odds, (seen.points * ground.points).sum(axis=1)]), album.names[cells] == 0


def fitted(paths: Sequence[Path]) -> dict[str, float]:
    """Return how much each counts, by the photographed tables among these albums; BadInputError if there are none."""
    refuse_kept_apart([path.stem for path in paths])
    kept = [path for path in paths if source_of(path.stem) == "photographed"]
    if not kept:
        raise BadInputError("no album of a photographed table; cut some with bench.training.patches")
    evidence, is_bare = zip(*(evidence_of(Album.read(path), seed) for seed, path in enumerate(kept)), strict=True)
    counts = logistic(np.concatenate(evidence), np.concatenate(is_bare))
    return dict(zip(("odds", "nearness", "shift"), np.round(counts, 4).tolist(), strict=True))


def main() -> None:
    """Fit, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patches", type=Path)
    parser.add_argument("--out", type=Path, default=BARENESS)
    options = parser.parse_args()
    try:
        counts = json.dumps(fitted(sorted(options.patches.glob("*.npz"))))
    except BadInputError as error:
        parser.error(str(error))
    options.out.write_text(counts + "\n", encoding="utf-8")
    print(counts)


if __name__ == "__main__":
    main()
