"""Every built-in is an object of PyTorch's class with its attributes, and every attribute that Python writes holds in C#."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from operator_rows.layers import IMAGES, ONE, Case
from torch import nn

import bridge
from bridge.mirror import builtins, linked

MORE = {
    "linear": Case("Linear(4, 3)", lambda: nn.Linear(4, 3), ((2, 4),)),
    "linear alone": Case("Linear(4, 3, false)", lambda: nn.Linear(4, 3, bias=False), ((2, 4),)),
    "conv": Case("Conv2d(4, 6, 3)", lambda: nn.Conv2d(4, 6, 3), IMAGES),
    "conv more": Case(
        "Conv2d(4, 6, (3, 2), (2, 1), (1, 0), (1, 2))", lambda: nn.Conv2d(4, 6, (3, 2), (2, 1), (1, 0), (1, 2)), IMAGES
    ),
    "conv reflecting": Case(
        "Conv2d(4, 4, 3, padding: 1, padding_mode: PaddingModes.Reflect, groups: 2, bias: false)",
        lambda: nn.Conv2d(4, 4, 3, padding=1, padding_mode="reflect", groups=2, bias=False),
        IMAGES,
    ),
    "conv same": Case("Conv2d(4, 6, 3, Padding.Same)", lambda: nn.Conv2d(4, 6, 3, padding="same"), IMAGES),
    "conv1d": Case("Conv1d(4, 6, 3)", lambda: nn.Conv1d(4, 6, 3), ((2, 4, 9),)),
    "conv3d": Case("Conv3d(4, 6, 2)", lambda: nn.Conv3d(4, 6, 2), ((2, 4, 5, 6, 4),)),
    "conv transposed": Case("ConvTranspose2d(4, 6, 3)", lambda: nn.ConvTranspose2d(4, 6, 3), IMAGES),
    "batch norm": Case("BatchNorm2d(4)", lambda: nn.BatchNorm2d(4), IMAGES),
    "batch norm 1d": Case("BatchNorm1d(4)", lambda: nn.BatchNorm1d(4), ((5, 4),)),
    "batch norm alone": Case(
        "BatchNorm2d(4, affine: false, track_running_stats: false)",
        lambda: nn.BatchNorm2d(4, affine=False, track_running_stats=False),
        IMAGES,
    ),
    "instance norm": Case("InstanceNorm2d(4)", lambda: nn.InstanceNorm2d(4), IMAGES),
    "layer norm": Case("LayerNorm(8)", lambda: nn.LayerNorm(8), ((2, 8),)),
    "group norm": Case("GroupNorm(2, 4)", lambda: nn.GroupNorm(2, 4), IMAGES),
    "dropout": Case("Dropout()", lambda: nn.Dropout(), ((3, 4),)),
    "dropout2d": Case("Dropout2d(0.3)", lambda: nn.Dropout2d(0.3), IMAGES),
    "relu": Case("ReLU()", lambda: nn.ReLU()),
    "leaky relu": Case("LeakyReLU(0.2)", lambda: nn.LeakyReLU(0.2)),
    "prelu": Case("PReLU(4)", lambda: nn.PReLU(4), IMAGES),
    "gelu": Case("GELU(TorchSharp.Modules.GELU.Approximate.tanh)", lambda: nn.GELU("tanh")),
    "silu": Case("SiLU()", lambda: nn.SiLU()),
    "sigmoid": Case("Sigmoid()", lambda: nn.Sigmoid()),
    "tanh": Case("Tanh()", lambda: nn.Tanh()),
    "softmax": Case("Softmax(1)", lambda: nn.Softmax(1)),
    "log softmax": Case("LogSoftmax(1)", lambda: nn.LogSoftmax(1)),
    "max pool": Case("MaxPool2d(2)", lambda: nn.MaxPool2d(2), IMAGES),
    "max pool more": Case("MaxPool2d(3, 2, 1)", lambda: nn.MaxPool2d(3, 2, 1), IMAGES),
    "max pool 1d": Case("MaxPool1d(2)", lambda: nn.MaxPool1d(2), ((2, 4, 9),)),
    "average pool": Case("AvgPool2d(2)", lambda: nn.AvgPool2d(2), IMAGES),
    "adaptive pool": Case("AdaptiveAvgPool2d(2)", lambda: nn.AdaptiveAvgPool2d(2), IMAGES),
    "flatten": Case("Flatten()", lambda: nn.Flatten(), IMAGES),
    "identity": Case("Identity()", lambda: nn.Identity()),
    "embedding": Case("Embedding(5, 3, padding_idx: 1)", lambda: nn.Embedding(5, 3, padding_idx=1), ((2, 3),)),
    "upsample": Case("Upsample(scale_factor: [2, 2])", lambda: nn.Upsample(scale_factor=(2.0, 2.0)), ((2, 4, 5, 3),)),
}

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
ALL = {**ONE, **MORE}
_BASE = frozenset(vars(nn.Module()))
#: Other values to try, by type.
_OTHERS: dict[type, tuple[Any, ...]] = {
    bool: (True, False),
    int: (0, 1, 2, 3),
    float: (0.0, 0.25, 0.9),
    tuple: (0, 1, 2),
    str: ("zeros", "reflect", "circular", "tanh", "none", "sum", "same", "valid"),
    type(None): (0, 1, 0.25),
}


@pytest.fixture(scope="module")
def assembly(case_assembly: Callable[..., Path]) -> Path:
    return case_assembly("Written", {name: case.code for name, case in ALL.items()})


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        yield from ((other,) * len(value) for other in _OTHERS[tuple])
    elif type(value) in _OTHERS:
        yield from (other for other in _OTHERS[type(value)] if other is not value)


def _outcome(module: nn.Module, layer: nn.Module, state: dict[str, torch.Tensor], x: torch.Tensor, train: bool) -> Any:
    """The result and the state afterwards, or that it failed."""
    with torch.no_grad():
        for key, tensor in layer.state_dict().items():
            tensor.copy_(state[key])
    layer.train(train)
    torch.manual_seed(3)
    try:
        result = module(x.clone())
    except Exception:
        return "failed"
    if not isinstance(result, torch.Tensor):
        return "not what C#'s type of the module gives"
    return result, [tensor.clone() for tensor in layer.state_dict().values()]


def _equal(mine: Any, other: Any) -> bool:
    if isinstance(mine, str) or isinstance(other, str):
        return isinstance(mine, str) and isinstance(other, str)
    (a, state), (b, counterpart) = mine, other
    if a.shape != b.shape or a.dtype != b.dtype or not torch.equal(a.nan_to_num(7), b.nan_to_num(7)):
        return False
    return all(torch.equal(one, two) for one, two in zip(state, counterpart, strict=True))


def _normal(value: Any) -> Any:
    """A number for each dimension is one if all are equal: TorchSharp keeps no more."""
    return value[0] if isinstance(value, (tuple, list)) and len(set(value)) == 1 else value


@pytest.mark.parametrize("name", ALL)
def test_every_attribute_that_is_written_holds(name: str, assembly: Path) -> None:
    """The sentence 'set from Python, ignored by C#' is untrue for every attribute of every built-in."""
    case = ALL[name]
    mirror: Any = bridge.load(assembly, "Written.Case", name)
    counterpart = case.counterpart()
    layer = mirror.layer
    if type(layer) is not type(counterpart):
        assert builtins.torch_class(type(layer).__name__) is None or "inplace: true" in case.code, type(layer)
        pytest.skip("PyTorch has no such module")
    state = {key: value.clone() for key, value in layer.state_dict().items()}
    shape = case.shapes[0]
    embeds = isinstance(layer, nn.Embedding)
    x = torch.randint(0, 3, shape) if embeds else torch.linspace(-2, 2, torch.Size(shape).numel()).reshape(shape)
    found = {key: _normal(value) for key, value in vars(layer).items() if key not in _BASE}
    expected = {key: _normal(value) for key, value in vars(counterpart).items() if key not in _BASE}
    assert found == expected
    tried = 0
    for key, value in list(vars(counterpart).items()):
        if key in _BASE:
            continue
        before = vars(layer)[key]
        for other in _others(value):
            for module in (layer, counterpart):
                setattr(module, key, other)
            for train in (False, True):
                mine = _outcome(mirror, layer, state, x, train)
                assert _equal(mine, _outcome(counterpart, counterpart, state, x, train)), (key, other, train)
            tried += 1
        setattr(layer, key, before)
        setattr(counterpart, key, value)
    mine = _outcome(mirror, layer, state, x, False)
    assert _equal(mine, _outcome(counterpart, counterpart, state, x, False))
    assert tried or not expected


def test_every_module_has_a_class_of_pytorchs(assembly: Path) -> None:
    """By the table, whose rows are names of torch.nn."""
    for name in builtins.ROWS:
        assert issubclass(builtins.torch_class(name) or object, nn.Module), name
    layer = bridge.load(assembly, "Written.Case", next(iter(ALL))).layer
    assert linked(layer).attributes is not None
