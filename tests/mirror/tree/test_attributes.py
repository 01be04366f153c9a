"""bridge/mirror/tree/attributes.py: a built-in's mirror is an object of PyTorch's class, and what Python writes on it holds in C#."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import fusion, parametrizations

import bridge
from bridge.mirror import link_of, linked
from bridge.mirror.hooks import callbacks
from bridge.mirror.link import Link

X = torch.linspace(-2, 2, 256).reshape(4, 1, 8, 8)


class Layers(nn.Module):
    """Models.Layers in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.bn = nn.BatchNorm2d(2)
        self.drop = nn.Dropout(0.5)
        self.act = nn.ReLU()
        self.fc = nn.Linear(2, 3)

    def forward(self, x: torch.Tensor) -> Any:
        return self.fc(self.drop(self.act(self.bn(self.conv(x)))).mean((2, 3)))


@pytest.fixture
def pair(load: Callable[..., Any]) -> tuple[Any, Any]:
    """Return the model and its counterpart in PyTorch, with equal weights."""
    mirror, counterpart = load("Layers"), Layers()
    counterpart.load_state_dict(mirror.state_dict())
    return counterpart, mirror


def _same(pair: tuple[Any, Any], what: object = "") -> None:
    results = []
    for model in pair:
        torch.default_generator.manual_seed(0)
        results.append(model(X))
    assert torch.equal(*results), what
    for expected, found in zip(*(model.state_dict().values() for model in pair), strict=True):
        assert torch.equal(expected, found), what


WRITES: dict[str, Callable[[Any], object]] = {
    "p": lambda m: setattr(m.drop, "p", 0.0),
    "p again": lambda m: setattr(m.drop, "p", 0.9),
    "an int for a float": lambda m: setattr(m.drop, "p", 0),
    "momentum": lambda m: setattr(m.bn, "momentum", 1.0),
    "no momentum": lambda m: setattr(m.bn, "momentum", None),
    "eps": lambda m: setattr(m.bn, "eps", 0.5),
    "statistics": lambda m: setattr(m.bn, "track_running_stats", False),
    "stride": lambda m: setattr(m.conv, "stride", (2, 2)),
    "stride back": lambda m: setattr(m.conv, "stride", (1, 1)),
    "padding": lambda m: setattr(m.conv, "padding", "same"),
    "inplace": lambda m: setattr(m.act, "inplace", True),
    "in vars": lambda m: vars(m.drop).update(p=0.3, training=True),
    "past __setattr__": lambda m: object.__setattr__(m.bn, "eps", 0.1),
    "eval": lambda m: m.eval(),
    "train": lambda m: m.train(),
    "one in eval": lambda m: m.drop.eval(),
    "forward": lambda m: setattr(m.act, "forward", torch.tanh),
    "weight norm": lambda m: parametrizations.weight_norm(m.fc),
}


def test_what_python_writes_holds_at_the_next_call(pair: tuple[Any, Any]) -> None:
    """Issue: 'set from Python, ignored by C#' is untrue. Bit for bit as on PyTorch, one write after the other, between calls."""
    _same(pair)
    for what, write in WRITES.items():
        for model in pair:
            write(model)
        _same(pair, what)


class Twice(nn.Linear):
    """A class that an object may get."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return super().forward(input) * 2


def _state_replaced(module: Any, **written: Any) -> None:
    module.__dict__ = {**vars(module), **written}


AT_ONCE: dict[str, Callable[[Any], object]] = {
    "class": lambda m: setattr(m.fc, "__class__", Twice),
    "class back": lambda m: setattr(m.fc, "__class__", nn.Linear),
    "dictionary": lambda m: _state_replaced(m.drop, p=0.0),
    "dictionary, another attribute": lambda m: _state_replaced(m.conv, stride=(2, 2)),
    "dictionary, a plain one inside": lambda m: _state_replaced(m.fc, _parameters=dict(m.fc._parameters, bias=None)),
    "what is inside": lambda m: m.fc._parameters.update(bias=nn.Parameter(torch.ones(3))),
    "dictionary back": lambda m: _state_replaced(m.conv, stride=(1, 1)),
    "update": lambda m: m.__dict__.update() or m.bn.__dict__.update(eps=3.0),
    "a method": lambda m: setattr(m.conv, "_conv_forward", lambda x, weight, bias: nn.functional.conv2d(x, weight * 2, bias, padding=1)),
    "the method back": lambda m: delattr(m.conv, "_conv_forward"),
    "no bias": lambda m: setattr(m.conv, "bias", None),
    "a buffer": lambda m: setattr(m.bn, "running_mean", None),
}  # fmt: skip


def test_a_class_or_a_dictionary_alone_is_noticed_at_once(pair: tuple[Any, Any]) -> None:
    """Each is the only write before the next call."""
    _same(pair)
    for what, write in AT_ONCE.items():
        for model in pair:
            write(model)
        results = []
        for model in pair:
            torch.default_generator.manual_seed(0)
            try:
                results.append(model(X))
            except Exception as error:
                results.append(repr(error))
        assert str(results[0]) == str(results[1]), what


def test_the_class_of_a_module_with_hooks_is_noticed(pair: tuple[Any, Any]) -> None:
    """Its dictionary stays, so that hooks do."""
    for model in pair:
        model.fc.register_forward_hook(lambda *_: None)
    _same(pair)
    for model in pair:
        model.fc.__class__ = Twice
    _same(pair)
    assert torch.equal(pair[1](X), pair[0](X)) or pair[0].training


def test_a_list_that_is_written_in_place_is_noticed(load: Callable[..., Any]) -> None:
    """Those of built-ins: a convolution's padding by name, and a recurrent layer's weights."""
    model = load("Listed")
    conv, rnn = nn.Conv1d(2, 2, 3, padding="same", padding_mode="circular"), nn.RNN(2, 2)
    conv.load_state_dict(model.conv.state_dict())
    rnn.load_state_dict(model.rnn.state_dict())
    x = torch.linspace(-1, 1, 24).reshape(3, 2, 4)

    def same() -> None:
        first, second = model(x)
        assert torch.equal(first, conv(x))
        assert torch.equal(second, rnn(x.transpose(1, 2))[0])

    same()
    for module, other in ((conv, rnn), (model.conv, model.rnn)):
        module._reversed_padding_repeated_twice[0] = 3
        other._flat_weights[0] = torch.eye(2)
    same()
    model, conv, rnn = copy.deepcopy((model, conv, rnn))
    same()
    for module in (conv, model.conv):
        module._reversed_padding_repeated_twice.reverse()
    same()
    assert type(copy.deepcopy(model.conv)._reversed_padding_repeated_twice) is list
    assert type(pickle.loads(pickle.dumps(model.conv))._reversed_padding_repeated_twice) is list


@pytest.mark.parametrize("listened", [False, True])
def test_what_a_hook_writes_holds_in_the_same_call(pair: tuple[Any, Any], listened: bool) -> None:
    for model in pair:

        def write(*_: Any, model: Any = model) -> None:
            model.drop.p, model.bn.eps = 0.0, 2.0

        model.conv.register_forward_hook(write)
        if listened:
            model.bn.register_forward_hook(lambda *_: None)
    _same(pair)


def test_each_is_of_pytorchs_own_class(pair: tuple[Any, Any]) -> None:
    for expected, found in zip(*(model.children() for model in pair), strict=True):
        assert type(found) is type(expected)
        assert repr(found) == repr(expected)
        assert vars(found).keys() == vars(expected).keys()
        tensors = ("_parameters", "_buffers")
        assert {name: value for name, value in vars(found).items() if name not in tensors} == {
            name: value for name, value in vars(expected).items() if name not in tensors
        }


def test_reset_parameters_draws_the_same(pair: tuple[Any, Any]) -> None:
    for model in pair:
        torch.default_generator.manual_seed(1)
        model.conv.reset_parameters()
        model.bn.reset_parameters()
    _same(pair)


def test_a_part_that_is_copied_is_pytorchs_alone(pair: tuple[Any, Any]) -> None:
    for _, part in pair[1].named_children():
        for made in (copy.deepcopy(part), pickle.loads(pickle.dumps(part)), copy.copy(part)):
            assert type(made) is type(part)
            assert link_of(made) is None
        assert type(copy.deepcopy(part)._parameters) is dict
        assert link_of(part) is not None


def test_a_copied_model_has_what_was_written(pair: tuple[Any, Any]) -> None:
    for model in pair:
        model.drop.p = 0.125
        model.conv.stride = (2, 2)
        parametrizations.weight_norm(model.fc)
    copied = tuple(copy.deepcopy(model) for model in pair)
    assert type(copied[1].fc) is type(pair[1].fc)
    assert link_of(copied[1].conv) is not None
    _same((copied[0], copied[1]))
    for model in copied:
        model.drop.p = 0.75
    _same((copied[0], copied[1]))
    assert pair[1].drop.p == 0.125


def test_a_folded_batch_norm(pair: tuple[Any, Any]) -> None:
    for model in pair:
        model.eval()
        model.conv, model.bn = fusion.fuse_conv_bn_eval(model.conv, model.bn), nn.Identity()
    _same(pair)


def test_synchronized_batch_norm(pair: tuple[Any, Any]) -> None:
    converted = tuple(nn.SyncBatchNorm.convert_sync_batchnorm(model).eval() for model in pair)
    assert type(converted[1].bn) is nn.SyncBatchNorm
    _same((converted[0], converted[1]))


def test_only_the_module_that_was_written_asks_anew(pair: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook that leaves something on its module at each call is common; it must cost that module alone."""
    _, mirror = pair
    asked: list[str] = []
    synchronize = callbacks.synchronize

    def note_and_synchronize(link: Link, *args: Any) -> None:
        asked.append(link.path)
        synchronize(link, *args)

    monkeypatch.setattr(callbacks, "synchronize", note_and_synchronize)
    mirror.bn.register_forward_hook(lambda module, _, result: setattr(module, "out", result))
    mirror(X)
    asked.clear()
    for _ in range(3):
        mirror(X)
    assert set(asked) == {"bn"}
    assert len(asked) == 3


@pytest.mark.parametrize(
    ("what", "write", "expected"),
    [
        ("p", lambda m: setattr(m.drop, "p", 0.5), 0.5),
        ("training", lambda m: m.drop.eval(), 0.0),
        ("stride", lambda m: setattr(m.conv, "stride", (5, 5)), 5.0),
    ],
)
def test_csharp_reads_what_python_wrote(
    load: Callable[..., Any], what: str, write: Callable[[Any], object], expected: float
) -> None:
    """Also of a module that it never calls."""
    model = load("Reading", what)
    write(model)
    assert model(torch.ones(1)).item() == expected


def test_a_bypassed_module_computes_with_what_python_wrote(load: Callable[..., Any]) -> None:
    """``forward`` without ``call``: hooks do not fire (C-3), the attributes hold all the same."""
    model = load("Reading", "forward")
    x = torch.ones(1, 1, 7, 7)
    assert model(x).shape == (1, 1, 4, 4)
    model.conv.stride = (7, 7)
    fired: list[object] = []
    model.conv.register_forward_hook(lambda *_: fired.append(1))
    assert model(x).shape == (1, 1, 1, 1)
    assert not fired


def test_python_sees_what_csharp_sets(load: Callable[..., Any]) -> None:
    model = load("Reading", "set")
    assert (model.drop.p, model.conv.stride) == (0.25, (2, 2))
    model.drop.register_forward_hook(lambda *_: None)
    torch.default_generator.manual_seed(0)
    result = model(torch.ones(100))
    assert (model.drop.p, model.conv.stride) == (0.75, (3, 3))
    torch.default_generator.manual_seed(0)
    assert torch.equal(result, nn.functional.dropout(torch.ones(100), 0.75))


def test_a_replaced_child_is_freed_at_once(pair: tuple[Any, Any]) -> None:
    _, mirror = pair
    mirror(X)
    weights, module = weakref.ref(mirror.fc.weight), weakref.ref(mirror.fc)
    gc.collect()
    gc.disable()
    try:
        mirror.fc = nn.Linear(2, 3)
        mirror(X)
        assert module() is None
        assert weights() is None
    finally:
        gc.enable()


def test_a_shallow_copy_has_no_link(pair: tuple[Any, Any]) -> None:
    with pytest.raises(TypeError, match="this Linear is not a .NET module"):
        linked(copy.copy(pair[1].fc))
    assert bridge.mirror.is_mirror(pair[1])
