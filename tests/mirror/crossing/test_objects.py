"""Objects of a model's own classes: made in Python, passed to C#, and returned by C#. Models compiled against TorchSharp (OwnClasses.cs).

F-2 for arguments: a value fits the declared type, or the error names the parameter and both types.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.runtimes.recording import leaves

pytestmark = pytest.mark.dotnet
SOURCE = Path(__file__).parents[2] / "facade" / "OwnClasses.cs"


class Own:
    """The assembly of OwnClasses.cs on one runtime."""

    def __init__(self, path: Path, runtime: str) -> None:
        self.path, self.runtime = path, runtime

    def load(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return bridge.load(self.path, f"Own.{name}", *args, runtime=self.runtime, **kwargs)

    def new(self, name: str, *args: Any, **kwargs: Any) -> Any:
        name = name if name.endswith("[]") else f"Own.{name}"
        return bridge.new(self.path, name, *args, runtime=self.runtime, **kwargs)


_IN_PROCESS = ("dotnet", pytest.param("torchsharp-in-process", marks=pytest.mark.inprocess))


@pytest.fixture
def make_own(
    request: pytest.FixtureRequest, build_csharp: Callable[..., Path], reference: Path
) -> Callable[[str], Own]:
    def make(runtime: str) -> Own:
        if runtime != "dotnet":
            runtime += f":{request.getfixturevalue('torchsharp').parent}"
        return Own(build_csharp([SOURCE], "OwnClasses", against=[reference]), runtime)

    return make


@pytest.fixture(params=_IN_PROCESS)
def own(request: pytest.FixtureRequest, make_own: Callable[[str], Own]) -> Own:
    """Return the assembly on each runtime of this process."""
    return make_own(request.param)


@pytest.fixture(params=[*_IN_PROCESS, "torchsharp"])
def own_anywhere(request: pytest.FixtureRequest, make_own: Callable[[str], Own]) -> Own:
    """Return the assembly on each runtime. What differs in a process of TorchSharp is in tests/torchsharp/process/test_objects.py."""
    return make_own(request.param)


def test_options_are_made_by_keywords(own_anywhere: Own) -> None:
    """Of properties, init-only properties and fields; a name may be written as in Python."""
    options = own_anywhere.new("Options", vocab_size=40, Dim=3, pooling="Mean", sizes=[3, 4])
    assert (options.VocabSize, options.dim, options.Pooling, options.Sizes, options.area) == (
        40,
        3,
        "Mean",
        [3, 4],
        120,
    )
    options.vocab_size = 41
    options.Pooling = 0
    assert (options.VocabSize, options.Pooling) == (41, "Sum")
    assert options.describe("a") == "a:41x3:2"
    assert options.Describe("b", width=3) == "b:41x3:3"
    assert repr(options) == "<Own.Options: VocabSize=41, Dim=3, Area=123>"
    assert {"VocabSize", "Dim", "Pooling", "Sizes", "Activation", "Area", "Describe"} <= set(dir(options))
    assert own_anywhere.new("Options.Small", 3).VocabSize == 5


def test_a_dict_stands_for_an_object(own: Own) -> None:
    model = own.load("Encoder", {"dim": 3, "Pooling": "Mean"})
    x = torch.randn(2, 5, 3, requires_grad=True)
    output = model({"ids": x})
    expected = (x @ model.fc.weight.T + model.fc.bias).mean(1)
    assert torch.allclose(output.Hidden, expected, atol=1e-6)
    assert output.Steps == 1
    output.hidden.sum().backward()
    assert x.grad is not None
    assert model.fc.weight.grad is not None


def test_a_function_is_a_delegate(own: Own) -> None:
    options = own.new("Options", dim=3)
    options.Activation = lambda y: y * 2
    model = own.load("Encoder", options)
    x, mask = torch.randn(2, 5, 3), torch.ones(3)
    output = model(own.new("Input", x, mask))
    assert torch.allclose(output.Hidden, ((x @ model.fc.weight.T + model.fc.bias) * 2).sum(1), atol=1e-5)
    assert torch.equal(options.Activation(x), x * 2)

    def fails(_: Any) -> Any:
        raise KeyError("from Python")

    options.Activation = fails
    with pytest.raises(KeyError, match="from Python"):
        model(own.new("Input", x))


def test_a_record_holds_the_tensor_itself(own: Own) -> None:
    x = torch.randn(2, 5, 3)
    assert own.new("Input", x).Ids is x
    assert own.new("Input", ids=x).Mask is None
    assert own.new("Input", x, mask=x).Mask is x


def test_hooks_on_children_that_take_and_return_objects(own: Own) -> None:
    """C-6: what Python cannot look into passes through as it is; the results are the same, and so are gradients."""
    model = own.load("Whole", 3)
    x = torch.randn(2, 5, 3)
    expected = model(x).Hidden
    seen: list[tuple[str, list[str]]] = []
    for path, module in model.named_modules():
        module.register_forward_pre_hook(lambda module, args: None)
        module.register_forward_hook(
            lambda module, args, output, path=path: seen.append(
                (path, [type(value).__name__ for value in (*args, output)])
            )
        )
    found = model(x).Hidden
    assert torch.equal(found, expected)
    assert seen == [
        ("encoder.fc", ["Tensor", "Tensor"]),
        ("encoder", ["DotNetObject", "DotNetObject"]),
        ("gate.fc", ["Tensor", "Tensor"]),
        ("gate", ["Tensor", "DotNetObject", "Tensor"]),
        ("", ["Tensor", "DotNetObject"]),
    ]
    found.sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_a_hook_reads_and_replaces_an_object(own: Own) -> None:
    """P-2, F-1: the replacement may be another object, or a dict."""
    model = own.load("Whole", 3)
    x = torch.randn(2, 5, 3)
    handle = model.encoder.register_forward_pre_hook(lambda module, args: ({"ids": args[0].Ids * 0},))
    expected = torch.tanh(model.gate.fc(model.encoder.fc(torch.zeros(2, 5, 3)).sum(1))) + 1
    assert torch.allclose(model(x).Hidden, expected, atol=1e-6)
    handle.remove()

    def halve(module: Any, args: Any, output: Any) -> None:
        output.Hidden = output.Hidden / 2

    plain = model(x).Hidden
    model.register_forward_hook(halve)
    assert torch.equal(model(x).Hidden, plain / 2)


def test_objects_are_in_traces(own: Own) -> None:
    """The tensors, numbers and texts of their public fields and properties, in order, as those of a dataclass."""
    model = own.load("Whole", 3)
    with bridge.record(model) as recording:
        model(torch.randn(2, 5, 3))
    shapes = {
        (event.path, event.phase): [value.shape or value.kind for value in event.values] for event in recording.trace
    }
    assert shapes[("encoder", "pre")] == [(2, 5, 3), "none"]
    assert shapes[("encoder", "forward")] == [(2, 3), (2, 5, 3), "int"]
    assert shapes[("gate", "pre")] == [(2, 3), "object"]
    assert [type(leaf).__name__ for leaf in leaves(model(torch.randn(2, 5, 3)))] == ["Tensor", "Tensor", "int"]


def test_what_csharp_keeps_in_an_argument_survives_the_call(own: Own) -> None:
    model, cache = own.load("Attend"), own.new("Cache")
    x = torch.ones(1, 2)
    for count in (1, 2, 3):
        y = model(x, cache)
        assert cache.Keys.shape == (count, 2)
        assert torch.allclose(y, cache.Keys.sum(0))
    y.sum().backward()
    assert torch.equal(model.fc.bias.grad, torch.full((2,), 3.0))


def test_sequences_by_their_declared_types(own_anywhere: Own) -> None:
    one = torch.ones(1)
    assert own_anywhere.load("Sequences")(one, [1, 2], [(one, 2), (one, 3)], (4, 4, 5)).item() == 10


def test_an_array_where_csharp_declares_object(own_anywhere: Own) -> None:
    """A list would be a List of objects there."""
    model = own_anywhere.load("Unusual")
    assert str(own_anywhere.new("long[]", [1, 2])) == "System.Int64[]"
    assert model(own_anywhere.new("long[]", [1, 2])) == [1, 2]
    with pytest.raises(TypeError, match="string was given where C# declares long"):
        own_anywhere.new("long[]", ["a"])


def test_devices_dtypes_and_structs(own_anywhere: Own) -> None:
    model = own_anywhere.load("Placed", "cpu", torch.float64, {"from": 1, "to": 2}, {"pair": (3, "a")})
    assert model.weight.dtype == torch.float64
    assert model(torch.ones(2), torch.device("cpu")).tolist() == [6, 6]


def test_the_overload_that_fits_is_called(own_anywhere: Own) -> None:
    """The hooks run once, whichever overload is called (C-1)."""
    model = own_anywhere.load("Overloaded")
    x, fired = torch.ones(1, 2), []
    model.register_forward_hook(lambda *_: fired.append(1))
    plain = model(x)
    assert torch.equal(model(x, torch.zeros(2)), plain * 0)
    assert torch.equal(model(x, 3), plain.repeat(3, 1) * 0.5)
    assert torch.equal(model(x, repeat=2, scale=1), plain.repeat(2, 1))
    assert torch.equal(model(x, mask=x * 2), plain * 2)
    assert len(fired) == 5
    with pytest.raises(
        TypeError,
        match=r'\(Tensor\[1, 2\], "a"\) match no overload of Overloaded\.forward. It has: forward\(Tensor x\); .*F-2',
    ):
        model(x, "a")


def test_a_plain_module_and_other_methods(own: Own) -> None:
    model = own.load("Plain")
    x, fired = torch.ones(1, 2), []
    model.register_forward_hook(lambda *_: fired.append(1))
    y = model(x)
    assert torch.allclose(y, x @ model.fc.weight.T + model.fc.bias)
    assert fired == [1]
    assert torch.equal(model.dotnet.Generate(x, 3), model.fc(model.fc(y)))
    assert torch.equal(model.dotnet.generate(x, steps=1), y)
    model.dotnet.Generate(x, 2).sum().backward()
    assert model.fc.weight.grad is not None
    with pytest.raises(AttributeError, match="Plain has no 'Nothing'. It has: .*Generate"):
        model.dotnet.Nothing()
    assert not {"AddHook", "CallHooked", "InitializeProxy", "Link", "handle"} & {*dir(model.dotnet)}
    assert "named_parameters" in dir(model.dotnet)


def test_a_module_is_an_argument(own: Own) -> None:
    """One that ``bridge.new`` made, or that belongs to a loaded model, which then shares it (on Bridge.Torch)."""
    x = torch.ones(1, 2)
    model = own.load("Wrapper", own.new("Overloaded"))
    assert torch.equal(model(x), model.inner(x) + 1)
    assert [name for name, _ in model.named_parameters()] == ["inner.fc.weight", "inner.fc.bias"]
    if own.runtime == "dotnet":
        shared = own.load("Wrapper", model.inner)
        assert shared.inner is model.inner


def test_results_that_python_has_no_type_for(own_anywhere: Own) -> None:
    model = own_anywhere.load("Unusual")
    table = model("map")
    assert (list(table), table[1], len(table)) == ([(1, "one"), (2, "two")], "one", 2)
    assert model("enum") == "Mean"
    span = model("span")
    assert (span.From, span.To) == (1, 2)
    assert span == model("span")
    assert hash(span) == hash(model("span"))
    assert span != table
    assert model(span) == span
    assert model(model.dotnet) is model
    with pytest.raises(TypeError, match="Span is no delegate"):
        span()
    with pytest.raises(TypeError, match="Span is no collection"):
        list(span)
    with pytest.raises(AttributeError, match="C# declares 'From' of Span as read-only"):
        span.From = 3
    for refuse in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"a \.NET object \(Span\) cannot be copied or pickled"):
            refuse(span)


def test_an_object_of_another_load_is_named(own: Own) -> None:
    """An assembly is loaded again with ``forward_fires``: its classes are others."""
    options, given = own.new("Options", dim=3), own.new("Input", torch.ones(1, 1, 3))
    message = "of this load of the assembly: give bridge.new the same runtime and forward_fires as bridge.load"
    with pytest.raises(ValueError, match=f"Options is no Options for 'options' {message}"):
        own.load("Encoder", options, forward_fires=True)
    model = own.load("Encoder", {"dim": 3}, forward_fires=True)
    with pytest.raises(TypeError, match=f"Input was given where C# declares Input {message}"):
        model(given)
    assert model(own.new("Input", given.Ids, forward_fires=True)).Steps == 1


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda own: own.load("Encoder", {"dimm": 3}),
            ValueError,
            r"'options' of Own.Encoder\(Options options\): Options has no property, field or .* 'dimm'. It has: .*int Dim",
        ),
        (lambda own: own.load("Encoder", {"dim": "a"}), ValueError, "'Dim' of Options: string was given where C# declares int"),
        (lambda own: own.load("Encoder", 3), ValueError, r"It has: Encoder\(Options options\). 3 is no Options for 'options'"),
        (lambda own: own.load("Encoder", {1}), TypeError, "argument 1 has a set: cannot pass a set to .NET"),
        (lambda own: own.load("Encoder", own.new("Cache")), ValueError, "Cache is no Options for 'options'"),
        (lambda own: own.new("Inputt"), ValueError, "has no type or static method 'Own.Inputt'. Did you mean .*Input"),
        (lambda own: own.new("Shape"), ValueError, "Shape cannot be created: it is abstract"),
        (lambda own: own.new("Input"), ValueError, r"Input cannot be created from {}. Its constructors: Input\(Tensor Ids, Tensor Mask"),
        (lambda own: own.new("Options", pooling="Max"), ValueError, "Pooling has no member 'Max'. It has Sum, Mean"),
        (lambda own: own.new("Options").Nothing, AttributeError, "Own.Options has no 'Nothing'. It has: .*VocabSize"),
        (lambda own: setattr(own.new("Options"), "Area", 1), AttributeError, "C# declares 'Area' of Own.Options as read-only"),
        (lambda own: setattr(own.new("Options"), "dim", 1), AttributeError, "C# declares 'Dim' of Own.Options as read-only"),
        (lambda own: own.new("Options").describe(3), ValueError, r"Describe\(string prefix, int width = 2\). 3 is no string for 'prefix'"),
        (lambda own: own.load("Whole", 3)({"ids": 1}), TypeError, "dictionary of 1 was given where C# declares Tensor"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(own: Own, make: Callable[[Own], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(own)


def test_an_object_is_freed_with_its_last_reference(
    make_own: Callable[[str], Own], live_counts: Callable[[], dict[str, int]]
) -> None:
    """.NET's collector then frees it, with the tensors that it holds."""
    own = make_own("dotnet")
    own.new("Cache")
    before = live_counts()["tensors"]
    held = own.new("Input", torch.ones(1))
    assert live_counts()["tensors"] == before + 1
    assert held.Ids.item() == 1
    del held
    assert live_counts()["tensors"] == before


def test_a_model_with_objects_as_arguments_is_not_pickled(own: Own) -> None:
    with pytest.raises(TypeError, match="cannot be .*pickled"):
        pickle.dumps(own.load("Encoder", own.new("Options")))
    if own.runtime == "dotnet":
        assert pickle.loads(pickle.dumps(own.load("Encoder", {"dim": 3}))).fc.weight.shape == (3, 3)
