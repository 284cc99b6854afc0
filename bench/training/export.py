"""Write the learnt nets as ONNX, for OpenCV to run, and check that they give the same answers as in PyTorch.

    python -m bench.training.export NETS.pt --out vision [--blend vision --share 0.6] [--only-comparing]

`--blend` writes nets between the new ones and those in a folder, `--share` of the way to the new ones. Such nets know
what was learnt since, and have forgotten less. `--only-comparing` leaves the embedding's file there as it is.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from bench.training.lessons import Nets
from bench.training.nets import FEATURES, FEATURES_PX, ExportedComparison, ExportedEmbedding
from bench.training.shipped import blended
from companion.board import BadInputError
from companion.setup.nets import LAND_TAKEN
from vision.tiles import strips
from vision.tiles.opinion import COLORS
from vision.tiles.patches import FOLDED

#: The most bytes that both files together may have, and the farthest that OpenCV's answers may be from PyTorch's. The
#: answers are of the order of ten.
MOST_BYTES, FARTHEST = 5_000_000, 1e-4
#: What each net takes (shape of one) and gives, by the reader's names.
GIVEN: dict[str, tuple[tuple[int, int, int], tuple[str, ...]]] = {
    "embedding": (FOLDED, ("features", "points", "scale")),
    "comparison": ((3 * FEATURES, FEATURES_PX, FEATURES_PX), ("same", "counts")),
    "counting-on": ((3 * FEATURES + len(COLORS), FEATURES_PX, FEATURES_PX), ("odds",)),
    "kinds": ((2 * FEATURES, FEATURES_PX, FEATURES_PX), ("odds",)),
    "land": ((LAND_TAKEN, 1, 1), ("odds",)),
    "strip-color": ((strips.TAKEN, strips.ALONG, 1), ("odds",)),
    "strip-terrain": ((strips.TAKEN, strips.ALONG, 1), ("odds",)),
}
_INPUT, _MANY = "patches", "n"
#: How many patches are tried at once: one alone, and as many as are compared at once.
_TRIED = (1, 5, 16)


def export(name: str, net: nn.Module, path: Path) -> None:
    """Write a net as ONNX, for any number of patches."""
    shape, outputs = GIVEN[name]
    net.eval()
    with warnings.catch_warnings():
        # The newer exporter writes files that OpenCV does not read.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net,
            (torch.zeros(3, *shape),),
            str(path),
            opset_version=13,
            dynamo=False,
            input_names=[_INPUT],
            output_names=list(outputs),
            dynamic_axes={one: {0: _MANY} for one in (_INPUT, *outputs)},
        )


def apart(name: str, net: nn.Module, path: Path) -> float:
    """Return how far OpenCV's answers are at most from PyTorch's, on noise, as a share of the largest of their kind."""
    shape, outputs = GIVEN[name]
    run, farthest = cv2.dnn.readNetFromONNX(str(path)), 0.0
    rng = np.random.default_rng(7)
    net.eval()
    for count in _TRIED:
        inputs = rng.standard_normal((count, *shape), dtype=np.float32)
        run.setInput(inputs)
        found = run.forward(list(outputs))
        with torch.no_grad():
            given = net(torch.from_numpy(inputs))
        expected = given if isinstance(given, tuple) else (given,)
        for ours, theirs in zip(found, expected, strict=True):
            right = theirs.numpy()
            off = np.abs(ours.reshape(right.shape) - right).max() / max(1.0, np.abs(right).max())
            farthest = max(farthest, float(off))
    return farthest


def written(name: str, net: nn.Module, folder: Path) -> int:
    """Write a net into a folder, and say how large it is and how far from PyTorch; return its bytes.

    Raises BadInputError if OpenCV and PyTorch disagree.
    """
    path = folder / f"{name}.onnx"
    export(name, net, path)
    off, size = apart(name, net, path), path.stat().st_size
    print(f"{path}: {size} bytes, at most {off:.1g} from PyTorch", flush=True)
    if off > FARTHEST:
        raise BadInputError(f"{path} says something else in OpenCV than in PyTorch: {off:.1g} is more than {FARTHEST}")
    return size


def _both(nets: Nets) -> dict[str, nn.Module]:
    return {"embedding": ExportedEmbedding(nets.embedding), "comparison": ExportedComparison(nets.comparison)}


def main() -> None:
    """Write them, and say how large they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nets", type=Path)
    parser.add_argument("--out", type=Path, default=Path("vision"))
    parser.add_argument("--blend", type=Path, help="a folder with nets from which these went on")
    parser.add_argument("--share", type=float, default=0.6, help="of the new ones, 0 to 1")
    parser.add_argument("--only-comparing", action="store_true", help="write the comparison and nothing else")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    size, nets = 0, Nets()
    nets.load_state_dict(torch.load(options.nets, map_location="cpu", weights_only=True))
    if options.blend:
        with tempfile.TemporaryDirectory(prefix="strada-nets-") as folder:
            for name, net in _both(nets).items():
                export(name, net, Path(folder) / f"{name}.onnx")
            nets = blended(Path(folder), options.blend, options.share)
    both = _both(nets)
    if options.only_comparing:
        del both["embedding"]
    try:
        for name, net in both.items():
            size += written(name, net, options.out)
    except BadInputError as error:
        parser.exit(1, f"{error}\n")
    if size > MOST_BYTES:
        parser.exit(1, f"the nets have {size} bytes; they may have {MOST_BYTES}\n")


if __name__ == "__main__":
    main()
