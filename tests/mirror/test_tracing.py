"""What follows a model in other ways than by running it: what works, and what is refused in one sentence."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import bridge

pytestmark = [
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Guards may run slower:RuntimeWarning"),  # PyTorch's own, of Python 3.13.0
]
Load = Callable[..., bridge.Mirror]
X = torch.ones(2, 3)


@pytest.mark.filterwarnings("ignore:`torch.jit.trace(_method)?` is deprecated:FutureWarning")  # torch 2.15
def test_sizes_become_constants_with_a_warning(load: Load) -> None:
    """``jit.trace`` cannot see what C# does with numbers; the warning names the method, also a hook's."""
    for what in ("shape", "size", "numel", "LINQ", "item"):
        model = load("Shaped", what)
        with pytest.warns(torch.jit.TracerWarning, match=r"C# reads sizes or elements of tensors in Shaped\.forward"):
            torch.jit.trace(model, X, check_trace=False)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model(X)
    with pytest.warns(torch.jit.TracerWarning, match=r"C# reads sizes or elements of tensors in Hooked\.\.ctor:"):
        torch.jit.trace(load("Hooked", "constructor"), X[:, :2], check_trace=False)


def test_what_reads_none_is_traced_without_a_warning(load: Load, models: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", torch.jit.TracerWarning)
        hooked = load("Pair")
        for module in hooked.modules():
            module.register_forward_hook(bridge.load_hook(models, "Loaded.Scale", 2))
        for model, x in (
            (load("Pair"), X),
            (load("Normed"), X[:, :2]),
            (load("Shaped", "nothing"), X),
            (hooked, X),
        ):
            traced = torch.jit.trace(model.eval(), x)
            other = torch.cat([x, x * 2])
            assert torch.equal(traced(other), model(other))


@pytest.mark.parametrize("inside", [False, True])
def test_what_cannot_follow_says_what_can(load: Load, inside: bool) -> None:
    pair = load("Pair")
    model: Any = torch.nn.Sequential(pair, torch.nn.ReLU()) if inside else pair
    works = r"torch\.export\.export.*|torch\.jit\.trace.*"
    with pytest.raises(NotImplementedError, match=rf"^torch\.fx\.symbolic_trace .* use ({works})"):
        torch.fx.symbolic_trace(model)
    with pytest.raises(NotImplementedError, match=rf"^torch\.jit\.script .* use ({works})"):
        torch.jit.script(model)
    torch._dynamo.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported, match=rf"fullgraph=True cannot work; use .*({works})"):
        torch.compile(model, backend="eager", fullgraph=True)(X)
    torch._dynamo.reset()
    assert torch.equal(torch.compile(model, backend="eager")(X), model(X))
    assert torch.equal(make_fx(model)(X)(X), model(X))


class PathTracer(torch.fx.Tracer):
    """Traces as torchvision's create_feature_extractor does: it runs itself what is no leaf, and notes the paths."""

    def __init__(self, leaves: tuple[type[torch.nn.Module], ...] = ()) -> None:
        super().__init__()
        self.leaves = leaves
        self.paths: list[str] = []

    def is_leaf_module(self, m: torch.nn.Module, module_qualified_name: str) -> bool:
        return isinstance(m, self.leaves) or super().is_leaf_module(m, module_qualified_name)

    def call_module(self, m: torch.nn.Module, forward: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        path = self.path_of_module(m)
        self.paths.append(path)
        if self.is_leaf_module(m, path):
            return self.create_proxy("call_module", path, args, kwargs)
        return forward(*args, **kwargs)


@pytest.mark.parametrize("training", [False, True])
def test_a_feature_extractor_is_refused_in_the_same_sentence(load: Load, training: bool) -> None:
    """Also below Python's modules; where the C# module is a leaf, the graph has it as one node."""
    pair = load("Pair")
    for model in (pair, torch.nn.Sequential(torch.nn.Linear(3, 3), pair, torch.nn.ReLU())):
        model.train(training)
        with pytest.raises(
            NotImplementedError, match=r"^torch\.fx\.symbolic_trace and tools that are built on it cannot trace .* use "
        ):
            PathTracer().trace(model)
    tracer = PathTracer((bridge.Mirror,))
    graph = torch.fx.GraphModule(model, tracer.trace(model))
    assert tracer.paths == ["0", "1", "2"]
    assert torch.equal(graph(X), model(X))


def test_a_leaf_of_the_tracer(load: Load) -> None:
    class Tracer(torch.fx.Tracer):
        def is_leaf_module(self, module: torch.nn.Module, name: str) -> bool:
            return isinstance(module, bridge.Mirror) or super().is_leaf_module(module, name)

    model = torch.nn.Sequential(load("Pair"), torch.nn.ReLU())
    graph = torch.fx.GraphModule(model, Tracer().trace(model))
    assert torch.equal(graph(X), model(X))


def test_a_built_in_alone_is_followed_as_pytorchs(load: Load) -> None:
    """It is PyTorch's own module, so nothing refuses it, whatever it keeps for C#."""
    model: Any = load("Listed").eval()
    conv, x = model.conv, torch.ones(1, 2, 4)
    model(x)
    torch._dynamo.reset()
    for follow in (
        torch.fx.symbolic_trace,
        torch.jit.script,
        lambda module: torch.compile(module, backend="eager", fullgraph=True),
        lambda module: torch.export.export(module, (x,)).module(),
    ):
        assert torch.equal(follow(conv)(x), conv(x))
