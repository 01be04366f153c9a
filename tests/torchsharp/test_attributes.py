"""Every built-in is an object of PyTorch's class with its attributes, and every attribute that Python writes holds in C#."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from operator_rows.layers import IMAGES, ONE, VOLUMES, Case
from operator_rows.layers_called import MANY
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence

import bridge
from bridge.mirror import linked
from bridge.mirror.tree import builtins

_CALLED = Path(__file__).with_name("Called.cs")

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
    "batch norm 3d": Case("BatchNorm3d(4)", lambda: nn.BatchNorm3d(4), ((2, 4, 2, 3, 4),)),
    "celu": Case("CELU(0.5)", lambda: nn.CELU(0.5)),
    "fractional pool": Case(
        "FractionalMaxPool2d(2, output_ratio: 0.5)", lambda: nn.FractionalMaxPool2d(2, output_ratio=0.5), IMAGES
    ),
    "fractional pool 3d": Case(
        "FractionalMaxPool3d([2, 2, 2], [2, 3, 2])", lambda: nn.FractionalMaxPool3d(2, output_size=(2, 3, 2)), VOLUMES
    ),
    "embedding": Case("Embedding(5, 3, padding_idx: 1)", lambda: nn.Embedding(5, 3, padding_idx=1), ((2, 3),)),
    "upsample": Case("Upsample(scale_factor: [2, 2])", lambda: nn.Upsample(scale_factor=(2.0, 2.0)), ((2, 4, 5, 3),)),
}

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SINGLE = {**ONE, **MORE}
ALL = {**{name: (case, False) for name, case in SINGLE.items()}, **{name: (case, True) for name, case in MANY.items()}}
_BASE = frozenset(vars(nn.Module()))
#: Other values to try, by type.
_OTHERS: dict[type, tuple[Any, ...]] = {
    bool: (True, False),
    int: (0, 1, 2, 3),
    float: (0.0, 0.25, 0.9),
    tuple: (0, 1, 2),
    str: ("zeros", "reflect", "circular", "tanh", "none", "sum", "same", "valid"),
    type(None): (0, 1, 0.25),
    type(F.relu): (F.gelu, torch.tanh),
}
#: Calls of cases that have several: with and without masks, states, weights.
_CALLS = {
    "MultiheadAttention": (0, 2, 4),
    "TransformerEncoder": (1, 3),
    "LSTM": (0, 1, 2),
    "GRU": (0, 1),
    "RNN": (0, 1),
}
_PACKED = (4, 2)

_MAKE = """
public sealed partial class Many
{{
    private static Module Make(string kind) => kind switch
    {{
{arms}
        _ => throw new System.ArgumentException(kind),
    }};
}}
"""


@pytest.fixture(scope="module")
def assembly(case_assembly: Callable[..., Path]) -> Path:
    arms = "\n".join(f'        "{name}" => {case.code},' for name, case in MANY.items())
    return case_assembly(
        "Written", {name: case.code for name, case in SINGLE.items()}, _MAKE.format(arms=arms), _CALLED
    )


@dataclass
class Side:
    """A built-in, below C# or PyTorch's alone, and how it is called; ``single`` if C#'s type gives one tensor."""

    layer: nn.Module
    run: Callable[..., Any]
    single: bool = False

    def __post_init__(self) -> None:
        self.tensors = dict(itertools.chain(self.layer.named_parameters(), self.layer.named_buffers()))
        self.values = {key: tensor.detach().clone() for key, tensor in self.tensors.items()}

    def outcome(self, arguments: tuple[Any, ...], train: bool) -> Any:
        """Return the result and the state afterwards, or the failure."""
        with torch.no_grad():
            for key, tensor in self.tensors.items():
                tensor.copy_(self.values[key])
        self.layer.train(train)
        torch.default_generator.manual_seed(3)
        try:
            result = self.run(*copy.deepcopy(arguments))
        except Exception as error:
            return error
        tensors = _flat(result)
        if tensors is None or (self.single and len(tensors) != 1):
            return TypeError("not what the type of the module in C# gives")
        return [*tensors, *(tensor.detach().clone() for tensor in self.layer.state_dict().values())]

    def put(self, path: str, key: str, value: Any) -> None:
        """Set an attribute in the module tree; an exception type deletes it, a slice assigns to the list."""
        owner = self.layer.get_submodule(path)
        if isinstance(value, slice):
            value = getattr(owner, key)[value]
        if value is AttributeError:
            delattr(owner, key)
        else:
            setattr(owner, key, copy.deepcopy(value) if isinstance(value, nn.Module) else value)


def _flat(value: Any) -> list[torch.Tensor | None] | None:
    """Return the tensors of a result; None if it has other values."""
    if value is None or isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, PackedSequence):
        return [value.data]
    if not isinstance(value, (tuple, list)):
        return None
    parts = [_flat(part) for part in value]
    return None if None in parts else [tensor for part in parts for tensor in part or ()]


def _split(arguments: tuple[Any, ...]) -> tuple[list[Any], list[int]]:
    """Split a call's arguments into tensors and numbers, as Called.cs takes them."""
    tensors: list[Any] = []
    numbers: list[int] = []
    for argument in arguments:
        if isinstance(argument, tuple):
            tensors += argument
        elif isinstance(argument, bool):
            numbers.append(int(argument))
        elif isinstance(argument, list):
            numbers += argument
        else:
            tensors.append(argument)
    return tensors, numbers


def _sides(name: str, assembly: Path, draw: Any, bypasses: bool) -> tuple[Side, Side, list[tuple[Any, ...]]]:
    """Return the C# module, PyTorch's, and the arguments of their calls."""
    case, many = ALL[name]
    counterpart = case.counterpart()
    kind = type(counterpart).__name__
    if not many:
        mirror: Any = bridge.load(assembly, "Written.Case", name)
        shape = torch.Size(case.shapes[0])
        x = torch.linspace(-2, 2, shape.numel()).reshape(shape)
        counterpart.load_state_dict(mirror.layer.state_dict())
        calls: list[tuple[Any, ...]] = [(torch.randint(0, 3, shape) if kind == "Embedding" else x,)]
        return Side(mirror.layer, mirror, True), Side(counterpart, counterpart, True), calls
    mirror = bridge.load(assembly, "Written.Many", name, bypasses)
    arguments = case.arguments or (lambda draw, n: (draw.tensor(*case.shapes[n]),))
    calls = [arguments(draw(2 * n, torch.float32), n) for n in _CALLS.get(kind, (0, 1))]
    if isinstance(counterpart, nn.RNNBase) and not counterpart.batch_first and not bypasses:
        calls.append((calls[0][0][:4], list(_PACKED)))

    def run(*given: Any) -> Any:
        if isinstance(given[-1], list) and isinstance(counterpart, nn.RNNBase):
            return counterpart(pack_padded_sequence(given[0], torch.tensor(given[1])))
        return counterpart(*given)

    counterpart.load_state_dict(mirror.layer.state_dict())
    return Side(mirror.layer, lambda *given: mirror(*_split(given))), Side(counterpart, run), calls


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        yield from ((other,) * len(value) for other in _OTHERS[tuple])
    elif isinstance(value, list):
        yield from (slice(None, None, -1), slice(1))
    elif type(value) in _OTHERS:
        yield from (other for other in _OTHERS[type(value)] if other is not value)


def _reads_past(module: nn.Module, key: str, other: Any) -> bool:
    """Return whether PyTorch would read past a recurrent layer's weights, whose sizes it does not check."""
    if not isinstance(module, nn.RNNBase):
        return False
    flat = key in ("_flat_weights", "_flat_weights_names") and other == slice(None, None, -1)
    return flat or (key in ("bias", "bidirectional") and other is False)


def _writes(layer: nn.Module) -> Iterator[tuple[str, str, Any]]:
    """Yield path, name and another value for attributes, parameters, buffers and children of a module tree."""
    for path, module in layer.named_modules():
        if "layers.1" in path or (isinstance(layer, nn.Transformer) and "." in path):
            continue  # another case has these
        few = 1 if path else 8
        for key, value in list(vars(module).items()):
            if key not in _BASE:
                others = [other for other in _others(value) if not _reads_past(module, key, other)]
                yield from ((path, key, other) for other in others[:few])
        weight = getattr(module, "weight", None)
        for key, value in itertools.chain(list(module._parameters.items()), list(module._buffers.items())):
            new = torch.ones(3 if weight is None else weight.shape[0]) if value is None else value.detach() * 0.5
            new = new if key in module._buffers else nn.Parameter(new, new.is_floating_point())
            yield from ((path, key, other) for other in ([new] if value is None else [None, AttributeError, new]))
        for key in list(module._modules):
            if not isinstance(module, nn.ModuleList):
                yield from ((path, key, other) for other in (nn.Identity(), None))


def _equal(mine: Any, other: Any) -> bool:
    """Return whether results or errors are equal; a value that C# types forbid is an error in C#."""
    if isinstance(mine, Exception) or isinstance(other, Exception):
        if isinstance(mine, bridge.DotNetError):
            return isinstance(other, Exception) and "InvalidCast" in mine.dotnet_type
        return type(mine) is type(other) and str(mine) == str(other)
    if len(mine) != len(other):
        return False
    for a, b in zip(mine, other, strict=True):
        if a is None or b is None:
            if a is not b:
                return False
        elif a.shape != b.shape or a.dtype != b.dtype or not torch.equal(a.nan_to_num(7), b.nan_to_num(7)):
            return False
    return True


def _normal(value: Any) -> Any:
    """Return one number for equal numbers in all dimensions, since TorchSharp keeps no more."""
    return value[0] if isinstance(value, (tuple, list)) and len(value) and len(set(map(str, value))) == 1 else value


def _attributes(layer: nn.Module) -> dict[str, Any]:
    return {
        f"{path}.{key}": _normal(value)
        for path, module in layer.named_modules()
        for key, value in vars(module).items()
        if key not in _BASE and not key.startswith("_flat_weight")
    }


@pytest.mark.parametrize(
    ("name", "bypasses"),
    [(name, way) for name, (_, many) in ALL.items() for way in ((False, True) if many else (False,))],
)
def test_every_attribute_that_is_written_holds(name: str, bypasses: bool, assembly: Path, draw: Any) -> None:
    """The sentence 'set from Python, ignored by C#' is untrue for every attribute, tensor and child of every built-in."""
    mine, other, calls = _sides(name, assembly, draw, bypasses)
    if type(mine.layer) is not type(other.layer):
        code = ALL[name][0].code
        assert builtins.torch_class(type(mine.layer).__name__) is None or "inplace: true" in code, type(mine.layer)
        pytest.skip("PyTorch has no such module")
    assert _attributes(mine.layer) == _attributes(other.layer)

    def same(what: object, once: bool = False) -> None:
        for arguments, train in itertools.product(calls[:1] if once else calls, (True,) if once else (False, True)):
            found, expected = mine.outcome(arguments, train), other.outcome(arguments, train)
            assert _equal(found, expected), (what, train, found, expected)

    same("as they are made")
    for path, key, value in list(_writes(other.layer)):
        if bypasses and path:
            continue
        before = [getattr(side.layer.get_submodule(path), key) for side in (mine, other)]
        for side in (mine, other):
            side.put(path, key, value)
        same((path, key, value), once=bypasses or path != "")
        for side, there in zip((mine, other), before, strict=True):
            setattr(side.layer.get_submodule(path), key, there)
    same("as they were")


def test_every_built_in_has_a_case() -> None:
    """So whoever adds a row to the table adds a case, which the walk then writes."""
    cases = {type(module).__name__ for case, _ in ALL.values() for module in case.counterpart().modules()}
    assert {*builtins.ROWS, *builtins._TRANSFORMERS} - cases == set()


def test_every_module_has_a_class_of_pytorchs(assembly: Path) -> None:
    """By the table, whose rows are names of torch.nn."""
    for name in builtins.ROWS:
        assert issubclass(builtins.torch_class(name) or object, nn.Module), name
    layer = bridge.load(assembly, "Written.Case", next(iter(SINGLE))).layer
    assert linked(layer).attributes is not None
