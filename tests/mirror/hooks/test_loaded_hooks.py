"""bridge.load_hook: hooks written in C#, on .NET's and on PyTorch's modules and tensors."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.mirror.loading import dotnet_runtime

Load = Callable[..., bridge.Mirror]
Hooks = Callable[..., Any]
Counts = Callable[[], dict[str, int]]


@pytest.fixture
def hook(models: Path) -> Hooks:
    """Return a function that loads a hook of LoadedHooks.cs: ``hook("Scale", 2)``."""
    return lambda name, *args: bridge.load_hook(models, f"Loaded.{name}", *args)


@pytest.fixture(params=["dotnet", "pytorch"])
def linear(request: pytest.FixtureRequest, load: Load) -> torch.nn.Module:
    """Return a linear layer of PyTorch, or of a mirror."""
    torch.manual_seed(0)
    made: Any = load("OnTensors", "look").child if request.param == "dotnet" else torch.nn.Linear(2, 2)
    return made  # type: ignore[no-any-return]


def test_forward_hooks(linear: torch.nn.Module, hook: Hooks) -> None:
    """P-2, F-2: they replace as Python's do, and are removed by their handles."""
    x = torch.ones(1, 2)
    plain = linear(x)
    with linear.register_forward_hook(hook("Scale", 2)):
        assert torch.equal(linear(x), plain * 2)
    with linear.register_forward_pre_hook(hook("ScaleInput", 0)):
        assert torch.equal(linear(x), linear.bias.reshape(1, 2))  # type: ignore[operator]
    assert torch.equal(linear(x), plain)
    with linear.register_forward_hook(hook("Named"), with_kwargs=True):
        assert torch.equal(linear(x), plain)
        assert torch.equal(linear(input=x), plain + 1)


@pytest.mark.parametrize("several", [False, True])
def test_the_compiler_leaves_them_out_of_its_graph(linear: torch.nn.Module, hook: Hooks, several: bool) -> None:
    x = torch.ones(1, 2)
    linear.register_forward_hook(hook("GradCam").OnForward if several else hook("Scale", 2))
    torch._dynamo.reset()
    assert torch.equal(torch.compile(linear, backend="eager")(x), linear(x))


@pytest.mark.parametrize("crosses", [True, False])
def test_what_a_hook_wrote_before_it_threw(linear: torch.nn.Module, hook: Hooks, crosses: bool) -> None:
    """P-5, A-3: hooks that are always called see it; where it does not cross, they see what was there, and the exception is the hook's."""
    seen: list[Any] = []
    linear.register_forward_pre_hook(hook("Writing", crosses), with_kwargs=True)
    linear.register_forward_hook(lambda *given: seen.append(given[2]), with_kwargs=True, always_call=True)
    x = torch.ones(1, 2)
    with pytest.raises(RuntimeError, match="after it wrote"):
        linear(input=x)
    assert seen == [{"input": x, "written": 1} if crosses else {"input": x}]


@pytest.mark.parametrize("kind", ["register_full_backward_hook", "register_backward_hook"])
def test_backward_hooks(linear: torch.nn.Module, hook: Hooks, kind: str) -> None:
    """B-12, L-6"""
    x = torch.ones(1, 2, requires_grad=True)
    linear(x).sum().backward()
    assert x.grad is not None
    plain, x.grad = x.grad, None
    getattr(linear, kind)(hook("ScaleGradients", 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        linear(x).sum().backward()
    assert torch.equal(x.grad, plain * 4)


def test_full_backward_pre_hooks(linear: torch.nn.Module, hook: Hooks) -> None:
    """B-13"""
    x = torch.ones(1, 2, requires_grad=True)
    linear.register_full_backward_pre_hook(hook("ScaleOutputGradients", 3))
    linear(x).sum().backward()
    assert x.grad is not None
    assert torch.allclose(x.grad, linear.weight.sum(0, keepdim=True) * 3)  # type: ignore[operator]


def test_tensor_hooks(linear: torch.nn.Module, hook: Hooks) -> None:
    """T-2, Q-2: static methods."""
    weight = linear.weight
    assert isinstance(weight, torch.nn.Parameter)
    handle = weight.register_hook(hook("Functions.Double"))
    weight.register_post_accumulate_grad_hook(hook("Functions.DoubleInPlace"))
    linear(torch.ones(1, 2)).sum().backward()
    assert torch.equal(weight.grad, torch.full((2, 2), 4.0))  # type: ignore[arg-type]
    handle.remove()
    weight.grad = None
    linear(torch.ones(1, 2)).sum().backward()
    assert torch.equal(weight.grad, torch.full((2, 2), 2.0))  # type: ignore[arg-type]


def test_one_object_of_several_hooks(linear: torch.nn.Module, hook: Hooks) -> None:
    """Grad-CAM: its hooks share the object, whose public values Python reads."""
    cam = hook("GradCam")
    assert cam.Heatmap is None
    linear.register_forward_hook(cam.OnForward)
    linear.register_full_backward_hook(cam.OnBackward)
    x = torch.ones(1, 2, requires_grad=True)
    y = linear(x)
    (y * 3).sum().backward()
    assert torch.equal(cam.Heatmap, y.detach() * 3)
    assert cam.Calls == 1
    assert cam.Seen == "Linear: weight[2x2], bias[2]"
    with pytest.raises(TypeError, match="has the hooks 'OnForward', 'OnBackward': register one of these methods"):
        cam(linear, (), None)
    with pytest.raises(
        AttributeError, match=r"Loaded.GradCam has no 'onforward'; it has: OnForward, OnBackward, Calls, Heatmap, Seen"
    ):
        cam.onforward  # noqa: B018  # the read is what is tested


def test_a_view_of_a_pytorch_module(hook: Hooks) -> None:
    """Names, classes, training flag and parameters; the same module is the same object, and is let go of."""
    walker = hook("Walker")
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    torch.nn.init.ones_(net[0].weight)  # type: ignore[arg-type]
    net.register_forward_hook(walker)
    net(torch.ones(1, 2))
    assert not walker.Same
    net.eval()(torch.ones(1, 2))
    assert walker.Same
    assert walker.Seen == "0=Linear 1=ReLU training=False"
    assert walker.Weight == "4.0"


def test_buffers_of_a_pytorch_module(hook: Hooks) -> None:
    """Those that are not persistent are left out on demand."""
    walker = hook("Walker")
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(2, affine=False))
    for module in (net, net[0]):
        module.register_buffer("scratch", torch.ones(1), persistent=False)
    net.register_forward_hook(walker)
    net(torch.ones(2, 2))
    kept = "0.running_mean 0.running_var 0.num_batches_tracked"
    assert walker.Buffers == f"scratch {kept} 0.scratch; {kept}; "


def test_exceptions_are_dotnets(linear: torch.nn.Module, hook: Hooks) -> None:
    """T-9"""
    linear.weight.register_hook(hook("Functions.Throw"))  # type: ignore[operator]
    with pytest.raises(bridge.DotNetError, match="from a loaded hook"):
        linear(torch.ones(1, 2)).sum().backward()


def test_the_wrong_kind(linear: torch.nn.Module, hook: Hooks) -> None:
    """G-1: registering checks nothing; the call says what the hook takes."""
    linear.register_forward_pre_hook(hook("Scale", 2))
    with pytest.raises(
        TypeError, match=r"Loaded.Scale.OnOutput takes \(module, args, output\), but it was called with 2 arguments"
    ):
        linear(torch.ones(1, 2))
    linear.register_forward_pre_hook(hook("Functions.Double"), prepend=True)
    with pytest.raises(TypeError, match=r"Loaded.Functions.Double takes \(grad\), but it was called with 2 arguments"):
        linear(torch.ones(1, 2))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Nope", "Loaded.Nope is not a hook: name a class with a public method that takes"),
        ("Functions.Nothing", "Loaded.Functions.Nothing is not a hook: name a public static method that takes"),
        ("GradCamm", "has no type 'Loaded.GradCamm'. Did you mean Loaded.GradCam?"),
    ],
)
def test_what_is_no_hook(hook: Hooks, name: str, words: str) -> None:
    with pytest.raises(bridge.DotNetError) as caught:
        hook(name)
    assert words in str(caught.value)
    with pytest.raises(bridge.DotNetError, match="match no constructor of Loaded.Scale"):
        hook("Scale", "two")


@pytest.mark.parametrize(("name", "kind"), [("Functions", "class"), ("Functions.Double", "method")])
def test_what_is_static_takes_no_arguments(hook: Hooks, name: str, kind: str) -> None:
    with pytest.raises(
        bridge.DotNetError, match=f"Loaded.{name} is a static {kind}: it takes no constructor arguments"
    ):
        hook(name, 1)


def test_copies_share_it_and_pickles_refuse(hook: Hooks) -> None:
    """I-1"""
    net = torch.nn.Linear(2, 2)
    net.register_forward_hook(hook("Scale", 2))
    x = torch.ones(1, 2)
    assert torch.equal(copy.deepcopy(net)(x), net(x))
    with pytest.raises(TypeError, match="cannot be pickled; load it again with bridge.load_hook"):
        pickle.dumps(net)


def test_nothing_stays(hook: Hooks, live_counts: Counts) -> None:
    """.NET lets go of a hook, of its object and of the view of a module when Python does."""

    def live() -> int:
        gc.collect()
        return dotnet_runtime().exports.live_counts()["hooks"]  # type: ignore[no-any-return]

    before = live_counts()["hooks"]
    net = torch.nn.Linear(2, 2)
    net.register_forward_hook(hook("Scale", 2))
    net(torch.ones(1, 2))
    assert live() == before + 2
    del net
    assert live() == before


@pytest.mark.sdk
def test_a_source_file(tmp_path: Path, build_csharp: Callable[..., Path]) -> None:
    """The .cs form that bridge.load takes."""
    file = tmp_path / "Twice.cs"
    file.write_text(
        "using TorchSharp; public class Twice { public torch.Tensor Run(torch.nn.Module m, object[] a, torch.Tensor y) => y * 2; }"
    )
    net = torch.nn.Linear(2, 2)
    plain = net(torch.ones(1, 2))
    net.register_forward_hook(bridge.load_hook(file, "Twice"))
    assert torch.equal(net(torch.ones(1, 2)), plain * 2)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no file"):
        bridge.load_hook(tmp_path / "None.dll", "A")


def test_what_hooks_were_given_is_freed(hook: Hooks) -> None:
    """.NET's collector does not see the memory behind tensors, and nothing but hooks enters .NET here."""
    net = torch.nn.Identity()
    net.register_forward_hook(hook("Looks"))
    storages: list[weakref.ref[torch.Tensor]] = []
    for _ in range(100):
        x = torch.zeros(4 << 20)  # 16 MB
        storages.append(weakref.ref(x))
        net(x)
    # A tensor that .NET has a handle of keeps its Python object.
    assert sum(reference() is not None for reference in storages) < 60
