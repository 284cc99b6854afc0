"""How likely it is that a cell shows its own bare ground, by what the comparison says, in any light.

    python -m bench.training.bareness PATCHES [--out vision/square/bareness.json]

PATCHES is a folder that `bench.training.patches` wrote. Some cells of each photographed table are compared with their
own ground, both in light of every kind. By how much the odds are scaled and shifted to be right of them is what Silk
Road's reader needs (`vision.square.reader.Bareness`), as no fitted trust weighs its comparison.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from bench.training.album import Album, as_levels, as_tones, refuse_kept_apart
from bench.training.batches import in_tones
from bench.training.learn import source_of
from bench.training.lessons import logistic
from bench.training.lighting import lit
from companion.board import BadInputError
from vision.square.reader import BARENESS
from vision.tiles.exemplars import Exemplars, compared

#: So many of a table's cells are enough.
_CELLS = 150


def odds_of(album: Album, seed: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return what the comparison says of cells in some light beside their own ground, and whether they are bare."""
    rng, chance = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    asked = np.flatnonzero(~album.hidden & ((album.names > 0) | ~album.counts.any(axis=1)))
    cells = rng.permutation(asked)[:_CELLS]
    exemplars = Exemplars.of_ground(as_tones(album.bare[: album.cells]))
    features = []
    # The ground had a light of its own when it was taught.
    for levels in (album.seen[cells], album.bare[album.under[cells]]):
        light = lit(in_tones(torch.from_numpy(levels)), chance).permute(0, 2, 3, 1).numpy()
        features.append(list(exemplars.embedded(as_tones(as_levels(light))).features))
    return compared(*features)[0].astype(np.float64), album.names[cells] == 0


def fitted(paths: Sequence[Path]) -> tuple[float, float]:
    """Return scale and shift fitted to the photographed tables among these albums; BadInputError without any."""
    refuse_kept_apart([path.stem for path in paths])
    kept = [path for path in paths if source_of(path.stem) == "photographed"]
    if not kept:
        raise BadInputError("no album of a photographed table; cut some with bench.training.patches")
    odds, is_bare = zip(*(odds_of(Album.read(path), seed) for seed, path in enumerate(kept)), strict=True)
    return logistic(np.concatenate(odds), np.concatenate(is_bare))


def main() -> None:
    """Fit, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patches", type=Path)
    parser.add_argument("--out", type=Path, default=BARENESS)
    options = parser.parse_args()
    try:
        scale, shift = fitted(sorted(options.patches.glob("*.npz")))
    except BadInputError as error:
        parser.error(str(error))
    options.out.write_text(json.dumps({"scale": round(scale, 4), "shift": round(shift, 4)}) + "\n", encoding="utf-8")
    print(f"the odds times {scale:.3f}, {shift:+.3f}")


if __name__ == "__main__":
    main()
