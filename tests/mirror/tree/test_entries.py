"""bridge/mirror/tree/entries.py: what is in a collection is the same in Python and in C#, whoever changes it."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import bridge

Load = Callable[..., Any]
Counts = Callable[[], dict[str, int]]
X = torch.tensor([[1.0, -2.0]])


class Counterpart(nn.Module):
    """Models.Collections in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
        self.named = nn.ModuleDict({"first": nn.ReLU(), "second": nn.Linear(2, 2)})
        self.seq = nn.Sequential()
        self.seq.add_module("conv", nn.Linear(2, 2))
        self.seq.add_module("act", nn.Tanh())
        self.own = nn.Sequential()
        self.own.add_module("a", nn.Linear(2, 2))
        self.own.add_module("b", nn.ReLU())
        self.scales = nn.ParameterList([torch.ones(2), torch.ones(2)])
        self.shifts = nn.ParameterDict({"x": torch.ones(2), "y": torch.ones(2)})
        self.empty = nn.ModuleList()

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        for module in self.named.values():
            x = module(x)
        x = self.own(self.seq(x))
        for scale in self.scales:
            x = x * scale
        for shift in self.shifts.values():
            x = x + shift
        return x


@pytest.fixture
def net(load: Load) -> Any:
    return load("Collections")


@pytest.fixture
def counterpart(net: Any) -> Any:
    """Return the same tree in PyTorch."""
    made = Counterpart()
    made.load_state_dict(net.state_dict())
    return made


def _found(look: Callable[[Any], Any], model: Any) -> object:
    """Return the result of a look-up, with names in place of modules and parameters; or the exception's type."""
    names = {item: path for path, item in (*model.named_modules(), *model.named_parameters())}

    def described(item: Any) -> object:
        if item in names if isinstance(item, (nn.Module, nn.Parameter)) else False:
            return names[item]
        if isinstance(item, (nn.ModuleList, nn.Sequential)):
            return type(item).__name__, [(name, names[child]) for name, child in item.named_children()]
        if isinstance(item, nn.ParameterList):
            return type(item).__name__, [names[child] for child in item]
        return [described(part) for part in item] if isinstance(item, (list, tuple)) else item

    try:
        return described(look(model))
    except (IndexError, KeyError, TypeError, AttributeError) as error:
        return type(error)


@pytest.mark.parametrize(
    "look",
    [
        lambda m: [m.layers[0], m.layers[-1], m.layers[torch.tensor(1)]],
        lambda m: [len(m.layers), len(m.named), len(m.seq), len(m.own), len(m.scales), len(m.shifts), len(m.empty)],
        lambda m: [bool(m.layers), bool(m.empty)],
        lambda m: [*m.layers, *m.seq, *m.own, *m.scales],
        lambda m: list(reversed(m.layers)),
        lambda m: [m.layers[0] in m.layers, m.seq[0] in m.layers, "first" in m.named, "third" in m.named, "x" in m.shifts],
        lambda m: m.layers[1:],
        lambda m: m.layers[::-2],
        lambda m: m.seq[:1],
        lambda m: m.own[-1:],
        lambda m: m.scales[1:],
        lambda m: [m.seq[1], m.seq[-2], m.own[0], m.scales[-1]],
        lambda m: [m.named["second"], m.shifts["y"]],
        lambda m: [*m.named],
        lambda m: [list(m.named.keys()), list(m.named.values()), list(m.named.items())],
        lambda m: [list(m.shifts.keys()), list(m.shifts.values()), list(m.shifts.items())],
        lambda m: [sorted(dir(m.layers)), sorted(vars(m.scales)), sorted(vars(m.shifts))],
        lambda m: [type(m.layers), type(m.named), type(m.seq), type(m.scales), type(m.shifts)],
        lambda m: [repr(m.layers), repr(m.named), repr(m.seq), repr(m.scales), repr(m.shifts)],
        lambda m: list(m.state_dict()),
        lambda m: m.layers[3],
        lambda m: m.layers[-4],
        lambda m: m.seq[2],
        lambda m: m.scales[2],
        lambda m: m.empty[0],
        lambda m: m.layers["0"],
        lambda m: m.layers[0.5],
        lambda m: m.named["third"],
        lambda m: m.shifts["z"],
    ],
)  # fmt: skip
def test_as_in_pytorch(net: Any, counterpart: Any, look: Callable[[Any], Any]) -> None:
    assert _found(look, net) == _found(look, counterpart)


def _linear(seed: int, inputs: int = 2, outputs: int = 2) -> nn.Linear:
    torch.manual_seed(seed)
    return nn.Linear(inputs, outputs)


class Doubling(nn.Module):
    def forward(self, x: Any) -> Any:
        return 2 * x


def _slice(m: Any) -> None:
    m.layers = m.layers[:1]


def _rebuilt(m: Any) -> None:
    m.layers = nn.ModuleList([m.layers[2], _linear(5), m.layers[0]])


def _widened(m: Any) -> None:
    m.layers[0], m.layers[1] = _linear(1, 2, 6), _linear(2, 6, 2)


def _items(m: Any) -> None:
    m.named["third"] = _linear(3)
    m.named["first"] = Doubling()
    m.named.update({"fourth": nn.Tanh()})


def _deleted_whole(m: Any) -> None:
    del m.layers[0:2]
    del m.seq[0]
    m.shifts.pop("x")


CHANGES: dict[str, Callable[[Any], object]] = {
    "append": lambda m: m.layers.append(_linear(1)),
    "extend": lambda m: m.layers.extend([_linear(1), _linear(2)]),
    "insert": lambda m: m.layers.insert(1, _linear(1)),
    "pop": lambda m: m.layers.pop(1),
    "delete": lambda m: m.layers.__delitem__(0),
    "delete several": _deleted_whole,
    "slice": _slice,
    "rebuilt": _rebuilt,
    "widened": _widened,
    "replace": lambda m: m.layers.__setitem__(-1, _linear(4)),
    "same twice": lambda m: m.layers.append(m.layers[0]),
    "plus": lambda m: m.layers.__iadd__([_linear(1)]),
    "dict": _items,
    "dict clear": lambda m: m.named.clear(),
    "dict pop": lambda m: m.named.pop("first"),
    "sequential append": lambda m: m.seq.append(_linear(1)),
    "sequential inserted": lambda m: setattr(m, "seq", nn.Sequential(Doubling(), *m.seq)),
    "sequential slice": lambda m: setattr(m, "seq", m.seq[1:]),
    "sequential pop": lambda m: m.seq.pop(0),
    "own append": lambda m: m.own.append(_linear(1)),
    "own replaced": lambda m: m.own.__setitem__(1, nn.Sigmoid()),
    "own slice": lambda m: setattr(m, "own", m.own[:1]),
    "parameters append": lambda m: m.scales.append(torch.full((2,), 3.0)),
    "parameters extend": lambda m: m.scales.extend([torch.ones(2), torch.full((2,), 4.0)]),
    "parameter replaced": lambda m: m.scales.__setitem__(1, torch.full((2,), 5.0)),
    "parameters slice": lambda m: setattr(m, "scales", m.scales[:1]),
    "parameters new": lambda m: setattr(m, "scales", nn.ParameterList([torch.full((2,), 6.0)])),
    "parameter dict": lambda m: m.shifts.update({"z": nn.Parameter(torch.full((2,), 7.0)), "x": nn.Parameter(torch.ones(2))}),
    "parameter dict pop": lambda m: m.shifts.pop("y"),
    "parameter dict clear": lambda m: m.shifts.clear(),
}  # fmt: skip


@pytest.mark.parametrize("collected", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_what_python_changes_c_sharp_sees(net: Any, counterpart: Any, change: str, collected: bool) -> None:
    """What was replaced is replaced, while the old object lives and when it is gone."""
    assert torch.equal(net(X), counterpart(X))
    kept = [net.layers, net.seq, net.own, net.scales, *net.layers, *net.seq, *net.scales, net.named["first"]]
    for model in (net, counterpart):
        CHANGES[change](model)
    if collected:
        del kept
        gc.collect()
    assert torch.equal(net(X), counterpart(X))
    lists = ("layers", "named", "seq", "own", "scales", "shifts", "empty")
    assert net.Counts == tuple(len(getattr(counterpart, name)) for name in lists)
    assert net.Layers == " ".join(f"{layer.in_features}>{layer.out_features}" for layer in counterpart.layers)
    assert net.Named.split() == list(counterpart.named)
    assert net.Shifts.split() == list(counterpart.shifts)
    assert sorted(net.Tree.split()) == sorted(
        path for path, _ in counterpart.named_modules(remove_duplicate=False) if path
    )
    assert repr(net.layers) == repr(counterpart.layers)
    assert list(net.state_dict()) == list(counterpart.state_dict())
    for train in (False, True):
        net.train(train)
        counterpart.train(train)
        assert torch.equal(net(X), counterpart(X))


@pytest.mark.parametrize("change", CHANGES)
def test_gradients_and_hooks_after_a_change(net: Any, counterpart: Any, change: str) -> None:
    """Each entry's hooks fire once, in PyTorch's order, and its parameters get PyTorch's gradients (O-1, B-1)."""
    seen: dict[int, list[str]] = {id(net): [], id(counterpart): []}
    for model in (net, counterpart):
        CHANGES[change](model)
        events = seen[id(model)]
        for path, module in model.named_modules():
            module.register_forward_pre_hook(lambda *_, e=events, p=path: e.append(f"pre {p}"))
            module.register_forward_hook(lambda *_, e=events, p=path: e.append(f"post {p}"))
        model(X).sum().backward()
    assert seen[id(net)] == seen[id(counterpart)]
    expected = dict(counterpart.named_parameters())
    for path, parameter in net.named_parameters():
        other = expected[path].grad
        assert (parameter.grad is None) == (other is None)
        assert other is None or torch.equal(parameter.grad, other), path


def test_modules_of_the_models_own_classes(load: Load) -> None:
    """A mirrored module that is moved is C#'s own object; a copy and one of Python's are called."""
    net = load("Steps")
    first, second, third = net.h
    net.h = nn.ModuleList([third, first])
    del second
    gc.collect()
    assert torch.equal(net(X), first(third(X)))
    assert (first.Calls, third.Calls) == (2, 2)
    another = copy.deepcopy(first)
    net.h.append(another)
    net.h.insert(0, Doubling())
    assert torch.equal(net(X), another(first(third(2 * X))))
    assert another.Calls == 4
    another.scale = nn.Parameter(torch.tensor([3.0, 4.0]))
    assert torch.equal(net(X), another(first(third(2 * X))))


def test_an_entry_that_is_wrapped_computes_with_its_own_parameters(load: Load) -> None:
    class Wrapper(nn.Module):
        def __init__(self, inner: nn.Module) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, x: Any) -> Any:
            return self.inner(x) + 1

    net = load("Steps")
    steps = list(net.h)
    net.h[0] = Wrapper(net.h[0])
    assert torch.equal(net(X), steps[2](steps[1](steps[0](X) + 1)))


def test_a_reference_that_c_sharp_keeps(load: Load) -> None:
    """It reaches the entry, wherever it is in its list, or what replaced it; one that was removed is an error."""
    net = load("Steps")
    first = net.h[0]
    net.UsesKept = True
    net.h.insert(0, Doubling())
    assert torch.equal(net(X), first(X))
    net.h = net.h[1:]
    net.h[0] = Doubling()
    assert torch.equal(net(X), 2 * X)
    net.h = net.h[1:]
    with pytest.raises(AttributeError, match=r"'h\.0' was deleted in Python"):
        net(X)


@pytest.mark.parametrize("name", ["seq", "own"])
def test_an_entry_that_is_none(net: Any, name: str) -> None:
    """A Sequential does not go on without it, as PyTorch's does not."""
    setattr(getattr(net, name), next(iter(getattr(net, name)._modules)), None)
    with pytest.raises(TypeError, match="None"):
        net(X)


def test_a_list_that_is_gone(load: Load) -> None:
    net = load("Steps")
    del net.h
    with pytest.raises(AttributeError, match="module 'h' was deleted in Python"):
        net(X)


def test_what_c_sharp_changes_python_sees(load: Load) -> None:
    net = load("Growing")
    net(X)
    old = net.layers[0]
    net.Change = "append"
    y = net(X)
    assert [type(layer) for layer in net.layers] == [nn.Linear, nn.ReLU, nn.Linear]
    assert net.layers[0] is old
    assert list(net.named) == ["first", "second"]
    assert type(net.named["second"]).__name__ == "Step"
    assert repr(net.seq[1]) == repr(nn.Sequential(nn.Linear(2, 2), nn.Tanh()))
    assert list(net.seq._modules) == [
        "0",
        "last",
    ]
    assert torch.equal(net.scales[1], torch.full((2,), 3.0))
    assert torch.equal(net.shifts["y"], torch.full((2,), 5.0))

    def expected() -> Any:
        x = X
        for module in (*net.layers, *net.named.values(), net.seq):
            x = module(x)
        for scale in net.scales:
            x = x * scale
        for shift in net.shifts.values():
            x = x + shift
        return x

    assert torch.equal(y, expected())
    assert torch.equal(net(X), y)
    assert len(list(net.parameters())) == len({id(parameter) for parameter in net.parameters()}) == 17
    net(X).sum().backward()
    assert all(parameter.grad is not None for parameter in net.parameters())
    net.double()
    assert net(X.double()).dtype is torch.float64
    net.float()
    net.layers[2].weight = nn.Parameter(torch.eye(2))
    assert torch.equal(net(X), expected())
    net.Change = "replace"
    net(X)
    assert type(net.layers[0]) is nn.Tanh
    assert type(net.named["first"]) is nn.Sigmoid
    assert torch.equal(net.scales[0], torch.full((2,), 7.0))
    assert torch.equal(net(X), expected())
    net.Change = "remove"
    net(X)
    assert [type(layer) for layer in net.layers] == [nn.ReLU, nn.Linear]
    assert list(net.named) == ["second"]
    assert len(net.scales) == 1
    assert not net.shifts
    assert torch.equal(net(X), expected())


def test_a_change_in_c_sharp_that_fails_changes_nothing(load: Load) -> None:
    net = load("Growing")
    y = net(X)
    net.Change = "itself"
    with pytest.raises(ValueError, match="contains itself"):
        net(X)
    assert len(net.layers) == 2
    net.Change = ""
    assert torch.equal(net(X), y)


def test_c_sharp_adds_to_what_python_replaced(load: Load) -> None:
    net = load("Growing")
    net.layers = nn.ModuleList([Doubling()])
    net.scales = nn.ParameterList([torch.full((2,), 2.0), torch.full((2,), 4.0)])
    net.Change = "append"
    y = net(X)
    assert [type(layer) for layer in net.layers] == [Doubling, nn.Linear]
    assert len(net.scales) == 3
    assert torch.equal(net(X), y)


def test_types_of_entries(load: Load) -> None:
    """C# has an object of the list's type for each: of another list, of several arguments; where it cannot, it says so."""

    class Adding(nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return x + y

    net = load("Kinds")
    layer = _linear(1)
    net.nested.append(nn.ModuleList([layer, Doubling()]))
    net.pairs.append(Adding())
    assert torch.equal(net(X), 4 * layer(net.nested[0][0](X)))
    net.nested[1].append(layer)
    assert torch.equal(net(X), 2 * layer(2 * layer(net.nested[0][0](X))))
    net.kinds.append(Doubling())
    assert net(X) is not None
    net.What = "kinds"
    with pytest.raises(
        bridge.DotNetError, match="C# has no proxy class for the Doubling in its ModuleList: Kind is abstract"
    ):
        net(X)


@pytest.mark.parametrize("change", CHANGES)
def test_copies_and_pickles_of_a_changed_model(net: Any, counterpart: Any, change: str) -> None:
    """A copy has its own collections (I-1)."""
    for model in (net, counterpart):
        model(X)
        CHANGES[change](model)
    copied = copy.deepcopy(net)
    read = pickle.loads(pickle.dumps(net))
    y = counterpart(X)
    for made in (copied, read):
        assert torch.equal(made(X), y)
        assert made.Counts == net.Counts
        made.layers.append(nn.Linear(2, 2))
        with torch.no_grad():
            for parameter in made.parameters():
                parameter.zero_()
    assert torch.equal(net(X), y)
    assert len(copied.layers) == len(read.layers) == len(net.layers) + 1


def test_a_collection_alone_is_pytorchs(net: Any) -> None:
    """A copy or a pickle of a built-in collection is a plain module."""
    for made in (copy.deepcopy(net.seq), pickle.loads(pickle.dumps(net.seq))):
        assert type(made) is nn.Sequential
        assert not bridge.mirror.is_mirror(made)
        assert torch.equal(made(X), net.seq(X))
        made.append(nn.ReLU())
    assert len(net.seq) == 2
    assert net.Counts[2] == 2
    x = torch.ones(1, 2)
    assert torch.equal(net.seq[:1](x), net.seq.conv(x))
    assert torch.equal(net.own[:1](x), net.own.a(x))


def test_a_hooked_sequential_is_pytorchs(net: Any, counterpart: Any) -> None:
    """Hooks of a changed Sequential and of its entries, called from C# (C-6)."""
    for model in (net, counterpart):
        model.seq.append(_linear(1))
        model.seq.register_forward_hook(lambda module, args, result: result + len(module))
        model.seq[2].register_forward_pre_hook(lambda module, args: (args[0] * 2,))
    assert torch.equal(net(X), counterpart(X))


def test_nothing_is_kept_of_what_left(net: Any, live_counts: Counts) -> None:
    """What Python took out of a list is freed as any other object of Python's, and C#'s objects with it (H-2)."""
    import weakref

    from bridge.clr import start

    net(X)
    before = live_counts()["modules"]
    gone = weakref.ref(net.layers.append(_linear(1))[3])
    net(X)
    assert start().exports.live_counts()["modules"] == before + 1
    net.layers.pop(3)
    net(X)
    gc.collect()
    assert gone() is None
    assert start().exports.live_counts()["modules"] == before


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("wraps", [False, True])
def test_a_list_in_whose_place_is_none(load: Load, wraps: bool, kept: bool) -> None:
    """PyTorch raises TypeError when its forward walks it; the error names it, and modes are still set. An entry that C# kept goes on."""

    class Wrapper(nn.Module):
        def __init__(self, inner: nn.Module) -> None:
            super().__init__()
            self.inner = inner

    net = load("Steps")
    old, first = net.h, net.h[0]
    expected = net(X)
    net.h = Wrapper(old) if wraps else nn.Identity()
    if not kept:
        del old
        gc.collect()
    for _ in range(2):
        with pytest.raises(
            TypeError,
            match=r"^C# enumerates 'h', which is of class (Wrapper|Identity) in Python, not a collection of modules$",
        ):
            net(X)
    net.eval()
    net.UsesKept = True
    assert torch.equal(net(X), first(X))
    net.UsesKept = False
    if kept:
        net.h = old
        assert torch.equal(net(X), expected)
