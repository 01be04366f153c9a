"""What the tests of Bridge.Torch share: C# expressions as modules, and tensors drawn from a seed."""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge

#: An expression sees the tensors a to e (null where Python gave None) and the integers n and the floats r of the constructor.
_SOURCE = """#nullable disable
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Rows;

public sealed class Expression : Module<(Tensor, Tensor, Tensor, Tensor, Tensor), Tensor>
{{
    private readonly string row;
    private readonly long[] n;
    private readonly double[] r;

    public Expression(string row, long[] n, double[] r) : base(nameof(Expression)) => (this.row, this.n, this.r) = (row, n, r);

    private ScalarType? Type(int at) => n[at] < 0 ? null : (ScalarType)(sbyte)n[at];

    private static Tensor Assigned(Tensor target, Tensor source)
    {{
        target.SetData(source);
        return target;
    }}

    private static Tensor Joined(params Tensor[] parts) =>
        cat([.. System.Linq.Enumerable.Select(parts, (part, at) => part.reshape(-1).to_type(float64) * (at + 1))]);

    private static Tensor Joined((Tensor, Tensor) parts) => Joined(parts.Item1, parts.Item2);

    private static Tensor Joined((Tensor, Tensor, Tensor) parts) => Joined(parts.Item1, parts.Item2, parts.Item3);

    private static Tensor Streamed(Tensor source)
    {{
        var stream = new System.IO.MemoryStream();
        source.WriteBytesToStream(stream, 7);
        stream.Position = 0;
        var read = source.new_empty(source.shape);
        read.ReadBytesFromStream(stream, 5);
        return read;
    }}

    private static Tensor Again(Tensor leaf, Tensor flow)
    {{
        (leaf * leaf).backward([flow]);
        (leaf * leaf).sum().backward();
        return leaf.grad + 0;
    }}

    private static Tensor Graded(Tensor leaf, Tensor flow)
    {{
        if (leaf.grad is not null) throw new System.InvalidOperationException("a leaf without backward has a gradient");
        (leaf * leaf).backward([flow]);
        return leaf.grad;
    }}

    private static Tensor Given(Tensor target, Tensor value)
    {{
        target.grad = value.detach();
        return target.grad;
    }}

    private static Tensor Kept(Tensor leaf, Tensor flow)
    {{
        var middle = leaf * 2;
        middle.retain_grad();
        (middle * 1).backward([flow]);
        return middle.grad;
    }}

    private static Tensor Put(Tensor target, System.Action<Tensor> write)
    {{
        write(target);
        return target;
    }}

    private static Tensor Filled(Tensor target)
    {{
        var data = target.data<float>();
        for (var at = 0L; at < data.Count; at++) data[at] = at;
        return target;
    }}

    private static Tensor[] Twice(System.Func<Generator, Tensor> draw)
    {{
        using var generator = new Generator(7);
        return [draw(generator), draw(generator)];
    }}

    private static Tensor Restored()
    {{
        var state = get_rng_state();
        rand(5);
        set_rng_state(state);
        return rand(3);
    }}

    private static Tensor Synchronized()
    {{
        if (cuda.is_available()) cuda.synchronize();
        return ones(1);
    }}

    private static Tensor Inferred()
    {{
        var seen = new System.Collections.Generic.List<long>();
        using (inference_mode())
        {{
            seen.Add(is_inference_mode_enabled() ? 1 : 0);
            using (inference_mode(false)) seen.Add(is_inference_mode_enabled() ? 1 : 0);
            seen.Add(is_inference_mode_enabled() ? 1 : 0);
        }}

        seen.Add(is_inference_mode_enabled() ? 1 : 0);
        return tensor(seen.ToArray());
    }}

    private static Tensor Cast()
    {{
        var seen = new System.Collections.Generic.List<long>();
        void See() => seen.AddRange([is_autocast_enabled("cpu") ? 1 : 0, (long)get_autocast_dtype("cpu")]);
        using (autocast("cpu", float16))
        {{
            See();
            using (amp.autocast("cpu", enabled: false)) See();
        }}

        See();
        return tensor(seen.ToArray());
    }}

    private static Tensor Scaled(Tensor start, double rate)
    {{
        using var scaler = new amp.GradScaler("cpu", 8, growth_interval: 1);
        var parameter = new Parameter(start.detach().clone());
        using var optimizer = optim.SGD([parameter], 0.5);
        scaler.scale(parameter.square().sum() * rate).backward();
        scaler.step(optimizer);
        scaler.update();
        return Joined(parameter.detach(), tensor(scaler.get_scale()));
    }}

    private static Tensor Clipped(Tensor first, Tensor second)
    {{
        Parameter[] leaves = [new(first.detach().clone()), new(second.detach().clone())];
        (leaves[0].square().sum() + leaves[1].square().sum()).backward();
        var norm = nn.utils.clip_grad_norm_(leaves, 0.5);
        nn.utils.clip_grad_value_(leaves, 0.1);
        return Joined(leaves[0].grad, leaves[1].grad, tensor((float)norm));
    }}

    private static Tensor Seeded(long seed)
    {{
        manual_seed(seed);
        return rand(3);
    }}

    private Device Place(int at) => n[at] == 0 ? CPU : META;

    public override Tensor forward((Tensor, Tensor, Tensor, Tensor, Tensor) inputs)
    {{
        var (a, b, c, d, e) = inputs;
        switch (row)
        {{
{cases}
            default: throw new System.ArgumentException(row);
        }}
    }}
}}
"""

_CASE = """using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace {name};

/// <summary>One module of each case, called as a child.</summary>
public sealed class Case : Module<Tensor, Tensor>
{{
    private readonly Module<Tensor, Tensor> layer;

    public Case(string kind) : base(nameof(Case))
    {{
        layer = kind switch
        {{
{arms}
            _ => throw new System.ArgumentException(kind),
        }};
        RegisterComponents();
    }}

    public override Tensor forward(Tensor input) => layer.call(input);
}}

"""

Run = Callable[..., torch.Tensor]


def _load_rows() -> None:
    """Load the cases in rows/ as the package ``operator_rows``."""
    place = Path(__file__).with_name("rows")
    spec = importlib.util.spec_from_file_location(
        "operator_rows", place / "__init__.py", submodule_search_locations=[str(place)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)


_load_rows()


@pytest.fixture(scope="session")
def expressions(build_csharp: Callable[..., Path]) -> Callable[[Mapping[str, str]], Run]:
    """Return ``expressions({"name": "a.relu()"})``, which compiles C# expressions and returns a function to run them.

    The function is ``run(name, tensors, n=(), r=())``. The assembly has the name of the xunit tests, to which Bridge.Torch shows its
    internal rows.
    """

    def make(rows: Mapping[str, str]) -> Run:
        cases = "\n".join(f'            case "{name}": return {code};' for name, code in rows.items())
        assembly = build_csharp({"Rows.cs": _SOURCE.format(cases=cases)}, "Bridge.Torch.Tests")

        @lru_cache(maxsize=8)  # a row is run many times, and loading takes longer than most
        def model(name: str, n: tuple[int, ...], r: tuple[float, ...]) -> Any:
            return bridge.load(assembly, "Rows.Expression", name, list(n), list(r))

        def run(
            name: str, tensors: Sequence[torch.Tensor | None], n: Sequence[int] = (), r: Sequence[float] = ()
        ) -> Any:
            padded = (*tensors, *[None] * (5 - len(tensors)))
            return model(name, tuple(n), tuple(r))(padded)

        return run

    return make


@pytest.fixture(autouse=True)
def _one_thread(one_thread: None) -> None: ...


class Draw:
    """Shapes, tensors and numbers from a seed. Odd seeds mix NaN, infinities and -0.0 into floating tensors."""

    def __init__(self, seed: int, dtype: torch.dtype) -> None:
        self.random = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.dtype = dtype
        self.special = seed % 2 == 1

    def integer(self, low: int, high: int) -> int:
        """Draw an integer from low to high, both included."""
        return self.random.randint(low, high)

    def shape(self, low: int = 0, high: int = 4, *, empty: bool = True) -> tuple[int, ...]:
        """Draw ``low`` to ``high`` sizes; sometimes one is 0."""
        sizes = [self.integer(1, 5) for _ in range(self.integer(low, high))]
        if empty and sizes and self.integer(0, 9) == 0:
            sizes[self.integer(0, len(sizes) - 1)] = 0
        return tuple(sizes)

    def tensor(self, *shape: int, dtype: torch.dtype | None = None) -> torch.Tensor:
        """Draw elements; every second tensor of two dimensions or more is stored transposed."""
        kind = dtype or self.dtype
        turned = len(shape) > 1 and self.integer(0, 1) == 1
        sizes = (*shape[:-2], shape[-1], shape[-2]) if turned else shape
        if kind.is_floating_point:
            made = torch.randn(sizes, generator=self.generator, dtype=torch.float64).to(kind)
            if self.special and made.numel() > 3:
                flat = made.view(-1)
                for value in (float("nan"), float("inf"), -float("inf"), -0.0):
                    flat[self.integer(0, flat.numel() - 1)] = value
        else:
            low, high = (0, 2) if kind == torch.bool else (0, 9) if kind == torch.uint8 else (-9, 10)
            made = torch.randint(low, high, sizes, generator=self.generator).to(kind)
        return made.transpose(-1, -2) if turned else made

    def pair(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Draw two tensors whose shapes broadcast."""
        shape = self.shape()
        other = tuple(1 if self.integer(0, 2) == 0 else size for size in shape[self.integer(0, len(shape)) :])
        return self.tensor(*shape), self.tensor(*other)


@pytest.fixture(scope="session")
def draw() -> type[Draw]:
    """Return the class Draw."""
    return Draw


def _bits(tensor: torch.Tensor) -> Any:
    if tensor.is_meta or not tensor.numel():
        return []
    data = tensor.detach().resolve_neg().clone(memory_format=torch.contiguous_format).view(-1)
    if data.is_complex():
        data = torch.view_as_real(data).view(-1)
    if data.is_floating_point():
        data = torch.where(data.isnan(), torch.nan, data)  # a NaN's sign and payload mean nothing
    return data.view(torch.uint8).tolist()


def _strides(tensor: torch.Tensor) -> Any:
    return [stride for stride, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1 and tensor.numel()]


@pytest.fixture(scope="session")
def bits_equal() -> Callable[[torch.Tensor | None, torch.Tensor | None], bool]:
    """Return whether shape, dtype, device, strides and bits are equal; any NaN equals any NaN, and None equals None."""

    def equal(a: torch.Tensor | None, b: torch.Tensor | None) -> bool:
        if a is None or b is None:
            return a is b
        if (a.shape, a.dtype, a.device, _strides(a)) != (b.shape, b.dtype, b.device, _strides(b)):
            return False
        return bool(_bits(a) == _bits(b))

    return equal


class Counterpart(nn.Module):
    """A module in PyTorch, as the child that it is in C#."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> Any:
        return self.layer(x)


@pytest.fixture(scope="session")
def case_assembly(build_csharp: Callable[..., Path]) -> Callable[..., Path]:
    """Return ``case_assembly("Cases", {"relu": "ReLU()"}, more)``, which compiles ``Cases.Case(kind)`` with ``more`` C#."""

    def make(name: str, codes: Mapping[str, str], more: str = "", *files: Path) -> Path:
        arms = "\n".join(f'            "{kind}" => {code},' for kind, code in codes.items())
        sources = {file.name: "#nullable disable\n" + file.read_text(encoding="utf-8") for file in files}
        return build_csharp({f"{name}.cs": _CASE.format(name=name, arms=arms) + more, **sources}, name)

    return make


@pytest.fixture(scope="session")
def seeded_pair() -> Callable[[Path, str, Callable[[], nn.Module]], tuple[nn.Module, nn.Module]]:
    """Return ``seeded_pair(assembly, kind, counterpart)``: the C# case and its counterpart, made from one seed."""

    def make(assembly: Path, kind: str, counterpart: Callable[[], nn.Module]) -> tuple[nn.Module, nn.Module]:
        torch.default_generator.manual_seed(11)
        ours = bridge.load(assembly, f"{assembly.stem}.Case", kind)
        drawn = torch.get_rng_state()
        torch.default_generator.manual_seed(11)
        theirs = Counterpart(counterpart())
        assert torch.equal(drawn, torch.get_rng_state()), "what is made next would begin otherwise"
        return ours, theirs

    return make


@pytest.fixture(scope="session")
def same_state(bits_equal: Callable[..., bool]) -> Callable[[nn.Module, nn.Module], None]:
    """Return ``same_state(ours, counterpart)``, which checks walks, types, names and values in order."""

    def check(ours: nn.Module, counterpart: nn.Module) -> None:
        mine, other = ours.state_dict(), counterpart.state_dict()
        assert list(mine) == list(other)
        for key in other:
            assert bits_equal(mine[key], other[key]), key
        for walk in ("named_modules", "named_parameters", "named_buffers", "named_children"):
            assert [key for key, _ in getattr(ours, walk)()] == [key for key, _ in getattr(counterpart, walk)()], walk
        assert [type(m).__name__ for m in ours.modules()][1:] == [type(m).__name__ for m in counterpart.modules()][1:]
        assert [p.requires_grad for p in ours.parameters()] == [p.requires_grad for p in counterpart.parameters()]

    return check


@pytest.fixture(scope="session")
def same_weights() -> Callable[[nn.Module, nn.Module, Draw], None]:
    """Return ``same_weights(ours, counterpart, draw)``, which sets equal weights that differ from each other."""

    def give(ours: nn.Module, counterpart: nn.Module, draw: Draw) -> None:
        values = {
            key: value
            if value.dtype == torch.int64
            else draw.tensor(*value.shape, dtype=torch.float32).nan_to_num(0.5, 2.0, -2.0)
            for key, value in counterpart.state_dict().items()
        }
        values |= {key: value.abs() + 0.1 for key, value in values.items() if key.endswith("running_var")}
        ours.load_state_dict(values)
        counterpart.load_state_dict(values)

    return give


@pytest.fixture(scope="session")
def step(bits_equal: Callable[..., bool]) -> Callable[[nn.Module, nn.Module, torch.Tensor, str], None]:
    """Return ``step(ours, counterpart, x, where)``: a call and a backward from one seed, compared bit for bit."""

    def run(ours: nn.Module, counterpart: nn.Module, x: torch.Tensor, where: str) -> None:
        leaves = [x.clone().requires_grad_(x.is_floating_point()) for _ in range(2)]
        given = [leaf.clone() for leaf in leaves]  # for what runs in place
        ours.zero_grad()
        counterpart.zero_grad()
        torch.default_generator.manual_seed(5)
        expected = counterpart(given[1])
        after = torch.get_rng_state()
        torch.default_generator.manual_seed(5)
        result = ours(given[0])
        assert bits_equal(torch.get_rng_state(), after), where
        assert bits_equal(result, expected), where
        assert bits_equal(*given), where
        assert (result is given[0]) == (expected is given[1]), where
        assert result.requires_grad == expected.requires_grad, where
        if not expected.requires_grad:
            return
        flow = torch.randn(expected.shape, generator=torch.Generator().manual_seed(3)).to(expected.dtype)
        expected.backward(flow)
        result.backward(flow)
        assert bits_equal(leaves[0].grad, leaves[1].grad), where
        for (key, mine), (_, other) in zip(ours.named_parameters(), counterpart.named_parameters(), strict=True):
            assert bits_equal(mine.grad, other.grad), (where, key)
        assert any(leaf.grad is not None for leaf in (leaves[1], *counterpart.parameters())), where

    return run


@pytest.fixture(scope="session")
def compare_steps(
    bits_equal: Callable[..., bool], same_weights: Callable[..., None], step: Callable[..., None]
) -> Callable[..., None]:
    """Return ``compare_steps(pair, inputs)``, which compares steps and running statistics, for each float type, training or not."""

    def compare(pair: Callable[[], tuple[nn.Module, nn.Module]], inputs: Callable[..., list[torch.Tensor]]) -> None:
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
            for training in (True, False):
                ours, counterpart = pair()
                same_weights(ours, counterpart, Draw(3, dtype))
                ours.to(dtype).train(training)
                counterpart.to(dtype).train(training)
                given = inputs(dtype)
                assert given
                for x in given:
                    step(ours, counterpart, x, f"{dtype} {tuple(x.shape)} training={training}")
                for key, value in counterpart.state_dict().items():  # running statistics after several batches
                    assert bits_equal(ours.state_dict()[key], value), (key, dtype, training)

    return compare
