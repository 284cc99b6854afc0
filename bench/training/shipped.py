"""Take the weights in the repository, to go on learning from them or to blend them with newer ones.

In an exported net each layer's normalisation is part of its weights. Here it is separated again, by what the layers
give on some episodes, so the net goes on as if it had never been exported.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from bench.training.batches import Batch
from bench.training.lessons import Nets
from bench.training.nets import Embedding, unfolded
from companion.board import BadInputError


def take_up(nets: Nets, folder: Path, batches: Iterable[Batch]) -> None:
    """Give both nets the weights of embedding.onnx and comparison.onnx in a folder, to go on learning from.

    Raises BadInputError where these are missing or of other nets.
    """
    load(nets, folder)
    _even_out(nets, batches)


def load(nets: Nets, folder: Path) -> None:
    """Give both nets the weights of a folder as they were exported, each layer's normalisation included.

    Raises BadInputError where these are missing or of other nets.
    """
    load_one(nets.embedding, folder / "embedding.onnx")
    load_one(nets.comparison, folder / "comparison.onnx")


def load_one(net: nn.Module, path: Path) -> None:
    """Give a net the weights of a file as they were exported, each layer's normalisation included.

    Raises BadInputError if the file is missing or of another net.
    """
    try:
        graph = onnx.load(path).graph
        kept = {one.name: _tensor(one) for one in graph.initializer}
        # Equal parts are kept once.
        kept |= {node.output[0]: kept[node.input[0]] for node in graph.node if node.op_type == "Identity"}
        if isinstance(net, Embedding):
            first = next(node.input[1] for node in graph.node if node.op_type == "Conv")
            kept[first] = unfolded(kept[first])
            net.scale.data, net.bias.data = kept["odds"][0, 0].log(), kept["odds"][0, 1]
        _fill(net, kept, [(node.input[1], node.input[2]) for node in graph.node if node.op_type == "Conv"])
    except (OSError, ValueError, KeyError, IndexError, RuntimeError, StopIteration) as error:
        raise BadInputError(
            f"{path} cannot be taken up ({error!r}); it should be a net of bench.training.nets"
        ) from None


def blended(one: Path, other: Path, share: float) -> Nets:
    """Return nets between those of two folders, `share` of the way from the other to the one.

    Nets that went on learning from the same beginning can be averaged, and the average often errs less than either:
    Wortsman et al., "Robust fine-tuning of zero-shot models" (2022). Raises BadInputError if nets are missing or
    different ones.
    """
    nets, others = Nets(), Nets()
    load(nets, one)
    load(others, other)
    mixed = others.state_dict()
    for name, value in nets.state_dict().items():
        mixed[name] = torch.lerp(mixed[name], value, share) if value.is_floating_point() else value
    nets.load_state_dict(mixed)
    return nets


def _fill(net: nn.Module, kept: dict[str, Tensor], convolutions: list[tuple[str, str]]) -> None:
    """Fill layers in the order in which both have them; a layer without normalisation is found by its name."""
    evened_out = [(weight, bias) for weight, bias in convolutions if weight.startswith("onnx::")]
    layers = [layer for layer in net.modules() if isinstance(layer, nn.Sequential) and isinstance(layer[0], nn.Conv2d)]
    layers = [layer for layer in layers if isinstance(layer[1], nn.BatchNorm2d)]
    if len(evened_out) != len(layers):
        raise ValueError(f"{len(evened_out)} layers, where {len(layers)} are wanted")
    for layer, (weight, bias) in zip(layers, evened_out, strict=True):
        _put(layer[0].weight, kept[weight])
        _put(layer[1].bias, kept[bias])
        nn.init.ones_(layer[1].weight)
        layer[1].running_mean.zero_()
        layer[1].running_var.fill_(1 - layer[1].eps)
    evened = {id(one) for layer in layers for one in layer.parameters()}
    for name, one in net.named_parameters():
        if id(one) not in evened and name not in ("scale", "bias"):
            _put(one, next(value for at, value in kept.items() if f".{at}".endswith(f".{name}")))


def _put(to: Tensor, value: Tensor) -> None:
    if to.shape != value.shape:
        raise ValueError(f"weights of the shape {tuple(value.shape)}, where {tuple(to.shape)} is wanted")
    to.data.copy_(value)


@torch.no_grad()
def _even_out(nets: Nets, batches: Iterable[Batch]) -> None:
    """Give each layer the means and spreads that it has on these tables, and the weights that undo them."""
    nets.eval()
    sums: dict[nn.Module, list[Tensor]] = {}
    layers = {name: one for name, one in nets.named_modules() if isinstance(one, nn.BatchNorm2d)}

    def see(layer: nn.Module, given: tuple[Tensor, ...]) -> None:
        values = given[0].float()
        sums.setdefault(layer, []).append(torch.stack([values.mean((0, 2, 3)), values.square().mean((0, 2, 3))]))

    hooks = [layer.register_forward_pre_hook(see) for layer in layers.values()]
    for batch in batches:
        features, _ = nets.embedding(batch.inputs)
        count = len(batch.truth)
        nets.compared(features[:count], features[torch.arange(count) % (len(features) - count) + count])
    for hook in hooks:
        hook.remove()
    for layer in layers.values():
        mean, square = torch.stack(sums[layer]).mean(0)
        assert layer.running_mean is not None
        assert layer.running_var is not None
        layer.running_mean.copy_(mean)
        layer.running_var.copy_((square - mean.square()).clamp(min=layer.eps))
        layer.weight.copy_((layer.running_var + layer.eps).sqrt())
        layer.bias.add_(mean)


def _tensor(one: onnx.TensorProto) -> Tensor:
    return torch.from_numpy(numpy_helper.to_array(one).copy())
