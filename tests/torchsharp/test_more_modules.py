"""The rest of Bridge.Torch's modules against their torch.nn counterparts: initial values, state, outputs, gradients, masks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge

_MORE = """/// <summary>A transposed convolution that is asked for a size.</summary>
public sealed class Sized : Module<Tensor, Tensor>
{
    private readonly ConvTranspose2d layer = ConvTranspose2d(4, 3, 3, stride: 3, padding: 1);
    private readonly long[] size;

    public Sized(long[] size) : base(nameof(Sized))
    {
        this.size = size;
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => layer.forward(input, size.Length == 0 ? null : size);
}

/// <summary>Children of two types, called as the class says.</summary>
public sealed class Mixed : Sequential<Tensor, (Tensor, Tensor)>
{
    public Mixed() : base(("first", Linear(4, 3)), ("second", new Split()))
    {
        append(ReLU());
        RegisterComponents();
    }

    public override (Tensor, Tensor) forward(Tensor input)
    {
        var (left, right) = ((Split)this[1]).call(((Linear)this[0]).call(input));
        return (((ReLU)this[Count - 1]).call(left), right);
    }
}

/// <summary>Arguments of any number up to six, one a layer.</summary>
public sealed class Chain2 : Sequential<Tensor, double, Tensor>
{
    public Chain2() : base(("only", Linear(4, 3))) => RegisterComponents();

    public override Tensor forward(Tensor a, double b) => ((Linear)this[0]).call(a) * b;
}

public sealed class Chain3 : Sequential<Tensor, Tensor, Tensor, Tensor>
{
    public Chain3() : base(Linear(4, 3), ReLU()) => RegisterComponents();

    public override Tensor forward(Tensor a, Tensor b, Tensor c) => ((ReLU)this[1]).call(((Linear)this[0]).call(a) + b * c);
}

public sealed class Chain6 : Sequential<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, (Tensor, long)>
{
    public Chain6() : base(Linear(4, 3)) => append("last", ReLU()).append(Tanh());

    public override (Tensor, long) forward(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f) =>
        (((Tanh)this[2]).call(((ReLU)this[1]).call(((Linear)this[0]).call(a + b + c + d + e + f))), Count);
}

/// <summary>One in, two out.</summary>
public sealed class Split : Module<Tensor, (Tensor, Tensor)>
{
    public Split() : base(nameof(Split)) { }

    public override (Tensor, Tensor) forward(Tensor input) => (input * 2, input * 3);
}
"""

LINES = ((2, 4, 9), (4, 11))
IMAGES = ((2, 4, 9, 8), (4, 7, 9))
VOLUMES = ((2, 4, 5, 6, 4), (4, 4, 5, 5))
ANY = ((3, 4), (2, 4, 5), (4, 2, 3, 2))
WORDS = ((3, 4), (7,), (), (0, 2))


@dataclass(frozen=True)
class Case:
    """C#'s factory call, PyTorch's, and the shapes of inputs; ``rows`` of a table that integers index."""

    code: str
    counterpart: Callable[[], nn.Module]
    shapes: tuple[tuple[int, ...], ...] = ANY
    rows: int = 0


CASES = {
    "dropout": Case("Dropout()", lambda: nn.Dropout(), (*ANY, (40, 40))),
    "dropout some": Case("Dropout(0.1)", lambda: nn.Dropout(0.1), (*ANY, (40, 40))),
    "dropout none": Case("Dropout(0)", lambda: nn.Dropout(0)),
    "dropout all": Case("Dropout(1)", lambda: nn.Dropout(1)),
    "dropout in place": Case("Dropout(0.3, inplace: true)", lambda: nn.Dropout(0.3, inplace=True), (*ANY, (40, 40))),
    "dropout2d": Case("Dropout2d(0.4)", lambda: nn.Dropout2d(0.4), ((3, 8, 2, 4),)),
    "dropout2d in place": Case("Dropout2d(0.4, true)", lambda: nn.Dropout2d(0.4, True), ((3, 8, 2, 4),)),
    "layer norm": Case("LayerNorm(4)", lambda: nn.LayerNorm(4), ((3, 4), (2, 3, 4), (4,))),
    "layer norm wide": Case("LayerNorm([3, 4], eps: 1e-3)", lambda: nn.LayerNorm((3, 4), 1e-3), ((3, 4), (5, 3, 4))),
    "layer norm plain": Case("LayerNorm(4, elementwise_affine: false)", lambda: nn.LayerNorm(4, elementwise_affine=False), ((3, 4),)),
    "layer norm no bias": Case("LayerNorm(4, bias: false)", lambda: nn.LayerNorm(4, bias=False), ((3, 4),)),
    "layer norm double": Case("LayerNorm(4, dtype: float64)", lambda: nn.LayerNorm(4, dtype=torch.float64), ((3, 4),)),
    "group norm": Case("GroupNorm(2, 4)", lambda: nn.GroupNorm(2, 4), ((3, 4), (2, 4, 5), (2, 4, 3, 3))),
    "group norm each": Case("GroupNorm(4, 4, eps: 1e-3)", lambda: nn.GroupNorm(4, 4, 1e-3), ((2, 4, 5),)),
    "group norm plain": Case("GroupNorm(1, 4, affine: false)", lambda: nn.GroupNorm(1, 4, affine=False), ((2, 4, 5),)),
    "norm1d": Case("BatchNorm1d(4)", lambda: nn.BatchNorm1d(4), ((5, 4), (3, 4, 6))),
    "norm1d plain": Case("BatchNorm1d(4, affine: false)", lambda: nn.BatchNorm1d(4, affine=False), ((5, 4), (3, 4, 6))),
    "norm1d momentum": Case("BatchNorm1d(4, 1e-3, 0.3)", lambda: nn.BatchNorm1d(4, 1e-3, 0.3), ((5, 4), (3, 4, 6))),
    "norm3d": Case("BatchNorm3d(4)", lambda: nn.BatchNorm3d(4), ((3, 4, 2, 3, 4),)),
    "norm3d untracked": Case(
        "BatchNorm3d(4, track_running_stats: false)", lambda: nn.BatchNorm3d(4, track_running_stats=False), ((3, 4, 2, 3, 4),)
    ),
    "upsample": Case("Upsample(scale_factor: [2.0])", lambda: nn.Upsample(scale_factor=2.0), (*LINES[:1], *IMAGES[:1], *VOLUMES[:1])),
    "upsample to a size": Case("Upsample([5, 13])", lambda: nn.Upsample((5, 13)), IMAGES[:1]),
    "upsample linear": Case(
        "Upsample([13], mode: UpsampleMode.Linear)", lambda: nn.Upsample(13, mode="linear"), LINES[:1]
    ),
    "upsample bilinear": Case(
        "Upsample(scale_factor: [2.0, 1.5], mode: UpsampleMode.Bilinear, align_corners: true)",
        lambda: nn.Upsample(scale_factor=(2.0, 1.5), mode="bilinear", align_corners=True), IMAGES[:1],
    ),
    "upsample bicubic": Case(
        "Upsample(scale_factor: [1.7], mode: UpsampleMode.Bicubic, recompute_scale_factor: true)",
        lambda: nn.Upsample(scale_factor=1.7, mode="bicubic", recompute_scale_factor=True), IMAGES[:1],
    ),
    "upsample trilinear": Case(
        "Upsample(scale_factor: [2.0], mode: UpsampleMode.Trilinear)", lambda: nn.Upsample(scale_factor=2.0, mode="trilinear"), VOLUMES[:1]
    ),
    "embedding": Case("Embedding(7, 3)", lambda: nn.Embedding(7, 3), WORDS, 7),
    "embedding padding": Case("Embedding(7, 3, padding_idx: 2)", lambda: nn.Embedding(7, 3, 2), WORDS, 7),
    "embedding padding from the end": Case("Embedding(7, 3, -1)", lambda: nn.Embedding(7, 3, -1), WORDS, 7),
    "embedding by frequency": Case(
        "Embedding(7, 3, scale_grad_by_freq: true)", lambda: nn.Embedding(7, 3, scale_grad_by_freq=True), ((3, 9),), 7
    ),
    "embedding double": Case("Embedding(7, 3, dtype: float64)", lambda: nn.Embedding(7, 3, dtype=torch.float64), WORDS, 7),
    "embedding pretrained": Case(
        "Embedding_from_pretrained(rand([5, 3]))", lambda: nn.Embedding.from_pretrained(torch.rand(5, 3)), WORDS, 5
    ),
    "embedding pretrained, trained on": Case(
        "Embedding_from_pretrained(rand([5, 3]), freeze: false, padding_idx: 1)",
        lambda: nn.Embedding.from_pretrained(torch.rand(5, 3), freeze=False, padding_idx=1), WORDS, 5,
    ),
    "gelu": Case("GELU()", lambda: nn.GELU(), (*ANY, (4, 33))),
    "gelu tanh": Case("GELU(TorchSharp.Modules.GELU.Approximate.tanh)", lambda: nn.GELU("tanh"), (*ANY, (4, 33))),
    "silu": Case("SiLU()", lambda: nn.SiLU()),
    "silu in place": Case("SiLU(true)", lambda: nn.SiLU(True)),
    "celu": Case("CELU()", lambda: nn.CELU(), (*ANY, (), (0, 3), (4, 33))),
    "celu soft": Case("CELU(2.5)", lambda: nn.CELU(2.5), (*ANY, (4, 33))),
    "celu in place": Case("CELU(0.5, inplace: true)", lambda: nn.CELU(0.5, True), (*ANY, (4, 33))),
    "sigmoid": Case("Sigmoid()", lambda: nn.Sigmoid()),
    "tanh": Case("Tanh()", lambda: nn.Tanh()),
    "leaky": Case("LeakyReLU()", lambda: nn.LeakyReLU(), (*ANY, (), (0, 3), (4, 33))),
    "leaky steep": Case("LeakyReLU(0.3)", lambda: nn.LeakyReLU(0.3), (*ANY, (), (4, 33))),
    "leaky in place": Case("LeakyReLU(0.2, inplace: true)", lambda: nn.LeakyReLU(0.2, True), (*ANY, (4, 33))),
    "log softmax": Case("LogSoftmax(1)", lambda: nn.LogSoftmax(1)),
    "log softmax last": Case("LogSoftmax(-1)", lambda: nn.LogSoftmax(-1)),
    "identity": Case("Identity()", lambda: nn.Identity()),
    "average": Case("AvgPool2d(2)", lambda: nn.AvgPool2d(2), IMAGES),
    "average padded": Case("AvgPool2d(3, 2, 1, ceil_mode: true)", lambda: nn.AvgPool2d(3, 2, 1, ceil_mode=True), IMAGES),
    "average without border": Case(
        "AvgPool2d((3, 2), (2, 1), (1, 1), count_include_pad: false)",
        lambda: nn.AvgPool2d((3, 2), (2, 1), (1, 1), count_include_pad=False), IMAGES,
    ),
    "average by five": Case("AvgPool2d([2, 3], divisor_override: 5)", lambda: nn.AvgPool2d((2, 3), divisor_override=5), IMAGES),
    "adaptive": Case("AdaptiveAvgPool2d(1)", lambda: nn.AdaptiveAvgPool2d(1), IMAGES),
    "adaptive pair": Case("AdaptiveAvgPool2d((2, 3))", lambda: nn.AdaptiveAvgPool2d((2, 3)), IMAGES),
    "adaptive array": Case("AdaptiveAvgPool2d([5, 4])", lambda: nn.AdaptiveAvgPool2d((5, 4)), IMAGES),
    "largest": Case("MaxPool1d(2)", lambda: nn.MaxPool1d(2), LINES),
    "largest with all": Case("MaxPool1d(3, 2, 1, 2, true)", lambda: nn.MaxPool1d(3, 2, 1, 2, ceil_mode=True), LINES),
    "conv1d": Case("Conv1d(4, 6, 3)", lambda: nn.Conv1d(4, 6, 3), LINES),
    "conv1d with all": Case(
        "Conv1d(4, 6, 3, stride: 2, padding: 1, dilation: 2, groups: 2, bias: false)",
        lambda: nn.Conv1d(4, 6, 3, 2, 1, 2, 2, bias=False), LINES,
    ),
    "conv1d same": Case("Conv1d(4, 6, 3, Padding.Same, dilation: 2)", lambda: nn.Conv1d(4, 6, 3, padding="same", dilation=2), LINES),
    "conv1d valid": Case("Conv1d(4, 6, 3, Padding.Valid, 2)", lambda: nn.Conv1d(4, 6, 3, 2, padding="valid"), LINES),
    "conv3d": Case("Conv3d(4, 6, 3)", lambda: nn.Conv3d(4, 6, 3), VOLUMES),
    "conv3d with all": Case(
        "Conv3d(4, 6, (2, 3, 2), (1, 2, 1), (1, 0, 2), (2, 1, 1), groups: 2)",
        lambda: nn.Conv3d(4, 6, (2, 3, 2), (1, 2, 1), (1, 0, 2), (2, 1, 1), 2), VOLUMES,
    ),
    "conv3d same": Case("Conv3d(4, 2, 3, Padding.Same)", lambda: nn.Conv3d(4, 2, 3, padding="same"), VOLUMES),
    "conv3d valid": Case("Conv3d(4, 2, (1, 2, 3), Padding.Valid)", lambda: nn.Conv3d(4, 2, (1, 2, 3), padding="valid"), VOLUMES),
    **{
        f"conv{rank}d {mode}": Case(
            f"Conv{rank}d(4, 2, 3, padding: 1, padding_mode: PaddingModes.{mode})",
            lambda mode=mode, kind=kind: kind(4, 2, 3, padding=1, padding_mode=mode.lower()), shapes,  # type: ignore[misc]
        )
        for mode in ("Reflect", "Replicate", "Circular")
        for rank, kind, shapes in ((1, nn.Conv1d, LINES), (3, nn.Conv3d, VOLUMES))
    },
    "transposed": Case("ConvTranspose2d(4, 6, 3)", lambda: nn.ConvTranspose2d(4, 6, 3), IMAGES),
    "transposed stride": Case(
        "ConvTranspose2d(4, 6, 3, stride: 2, padding: 1, output_padding: 1)",
        lambda: nn.ConvTranspose2d(4, 6, 3, 2, 1, 1), IMAGES,
    ),
    "transposed with all": Case(
        "ConvTranspose2d(4, 6, (3, 2), (2, 3), (1, 0), (1, 2), (2, 1), groups: 2, bias: false)",
        lambda: nn.ConvTranspose2d(4, 6, (3, 2), (2, 3), (1, 0), (1, 2), 2, False, (2, 1)), IMAGES,
    ),
    "after constants": Case(
        "Sequential(PReLU(4), LayerNorm(4), LeakyReLU(), Linear(4, 3))",
        lambda: nn.Sequential(nn.PReLU(4), nn.LayerNorm(4), nn.LeakyReLU(), nn.Linear(4, 3)), ((3, 4),),
    ),
    "slice": Case(
        'Sequential(("a", Linear(4, 4)), ("b", ReLU()), ("c", Linear(4, 2)))[1..]',
        lambda: nn.Sequential(_named(a=nn.Linear(4, 4), b=nn.ReLU(), c=nn.Linear(4, 2)))[1:], ((3, 4),),
    ),
}  # fmt: skip


def _named(**modules: nn.Module) -> Any:
    from collections import OrderedDict

    return OrderedDict(modules)


@pytest.fixture(scope="session")
def assembly(case_assembly: Callable[..., Path]) -> Path:
    extra = {  # made by tests that look at them alone
        "max norm": "Embedding(7, 3, max_norm: 1.0, norm_type: 1.5)",
        "sparse": "Embedding(7, 3, sparse: true)",
        "bad dropout": "Dropout(1.5)",
        "bad groups": "GroupNorm(3, 4)",
        "bad padding": "Embedding(7, 3, 7)",
        "bad table": "Embedding_from_pretrained(rand([5]))",
        "bad mode": "ConvTranspose2d(1, 1, 3, padding_mode: PaddingModes.Reflect)",
    }
    return case_assembly("More", {name: case.code for name, case in CASES.items()} | extra, _MORE)


@pytest.fixture
def pair(assembly: Path, seeded_pair: Callable[..., Any]) -> Callable[..., tuple[nn.Module, nn.Module]]:
    """Return ``pair(name, counterpart)``: the C# module and PyTorch's, made from one seed."""
    return lambda name, counterpart=None: seeded_pair(assembly, name, counterpart or CASES[name].counterpart)


def _input(case: Case, draw: Any, shape: tuple[int, ...]) -> torch.Tensor:
    if not case.rows:
        made: torch.Tensor = draw.tensor(*shape)
        return made
    dtype = draw.random.choice([torch.int64, torch.int32])
    return torch.randint(0, case.rows, shape, generator=draw.generator, dtype=dtype)


@pytest.mark.parametrize("name", CASES)
def test_initial_values_and_state_equal_those_of_the_counterpart(name: str, pair: Any, same_state: Any) -> None:
    same_state(*pair(name))


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")
@pytest.mark.parametrize("name", CASES)
def test_outputs_and_gradients_equal_those_of_the_counterpart(
    name: str, pair: Any, draw: Any, compare_steps: Any
) -> None:
    case, factor = CASES[name], 1 if name in SPECIAL else 2
    shapes = case.shapes * 2
    compare_steps(
        lambda: pair(name),
        lambda dtype: [_input(case, draw(factor * seed, dtype), shape) for seed, shape in enumerate(shapes)],
    )


#: Compared with NaN, infinities and -0.0 among the elements too.
SPECIAL = (
    "leaky",
    "leaky steep",
    "leaky in place",
    "gelu",
    "gelu tanh",
    "silu",
    "celu",
    "celu soft",
    "celu in place",
    "sigmoid",
    "tanh",
    "identity",
    "dropout in place",
)


def test_a_dropout_mask_is_drawn_anew_by_each_call_and_not_in_evaluation(pair: Any) -> None:
    ours, _ = pair("dropout")
    x = torch.ones(40, 40)
    first, second = ours(x), ours(x)
    assert not torch.equal(first, second)
    assert first.unique().tolist() == [0, 2]
    assert torch.equal(ours.eval()(x), x)


def test_an_embedding_renormalizes_the_rows_it_looks_up(pair: Any, bits_equal: Any) -> None:
    ours, counterpart = pair("max norm", lambda: nn.Embedding(7, 3, max_norm=1.0, norm_type=1.5))
    before = counterpart.layer.weight.detach().clone()
    words = torch.tensor([[1, 5], [5, 6]])
    assert bits_equal(ours(words), counterpart(words))
    assert bits_equal(ours.layer.weight, counterpart.layer.weight)
    assert not torch.equal(counterpart.layer.weight, before)


def test_a_sparse_embedding_has_a_sparse_gradient(pair: Any, bits_equal: Any) -> None:
    ours, counterpart = pair("sparse", lambda: nn.Embedding(7, 3, sparse=True))
    words = torch.tensor([[1, 5], [5, 6]])
    for model in (ours, counterpart):
        model(words).sum().backward()
    assert ours.layer.weight.grad.is_sparse
    assert bits_equal(ours.layer.weight.grad.coalesce().indices(), counterpart.layer.weight.grad.coalesce().indices())
    assert bits_equal(ours.layer.weight.grad.to_dense(), counterpart.layer.weight.grad.to_dense())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bad dropout", "Dropout: p must be a probability from 0 to 1, it is 1.5"),
        ("bad groups", "GroupNorm: 4 channels cannot be split into 3 groups"),
        ("bad padding", "padding_idx 7 is not one of the 7 rows"),
        ("bad table", r"takes \[rows, length\], not \[5\]"),
        ("bad mode", "only the padding mode 'Zeros' is supported"),
    ],
)
def test_arguments_that_make_no_sense_are_named(name: str, text: str, pair: Any) -> None:
    with pytest.raises(bridge.DotNetError, match=text):
        pair(name, nn.Identity)


@pytest.mark.parametrize(("name", "shape"), [("norm1d", (2, 4, 3, 3)), ("norm3d", (2, 4, 3, 3))])
def test_batch_norms_refuse_another_rank(name: str, shape: tuple[int, ...], pair: Any) -> None:
    ours, counterpart = pair(name)
    with pytest.raises(ValueError, match="expected"):
        counterpart(torch.ones(shape))
    with pytest.raises(bridge.DotNetError, match=r"BatchNorm[13]d takes \[N, C"):
        ours(torch.ones(shape))


@pytest.mark.parametrize("size", [[], [19, 22], [21, 24], [2, 3, 20, 23]])
def test_a_transposed_convolution_gives_the_size_it_is_asked_for(
    size: list[int], assembly: Path, bits_equal: Any
) -> None:
    torch.manual_seed(1)
    ours = bridge.load(assembly, "More.Sized", size)
    torch.manual_seed(1)
    counterpart = nn.ConvTranspose2d(4, 3, 3, 3, 1)
    x = torch.randn(2, 4, 7, 8)
    assert bits_equal(ours(x), counterpart(x, output_size=size or None))


@pytest.mark.parametrize(
    ("size", "text"), [([22, 24], "number 0 can be 19 to 21"), ([1, 2, 3], "has 3 numbers, it must have 2 or 4")]
)
def test_a_transposed_convolution_refuses_other_sizes(size: list[int], text: str, assembly: Path) -> None:
    with pytest.raises(bridge.DotNetError, match=text):
        bridge.load(assembly, "More.Sized", size)(torch.randn(2, 4, 7, 8))


def test_a_sequential_of_any_types_calls_its_children_as_it_says(assembly: Path) -> None:
    ours = bridge.load(assembly, "More.Mixed")
    assert [name for name, _ in ours.named_modules()] == ["", "first", "second", "2"]
    fired: list[str] = []
    for name, child in ours.named_children():
        child.register_forward_hook(lambda *_, name=name: fired.append(name))
    x = torch.randn(2, 4)
    left, right = ours(x)
    linear = torch.nn.functional.linear(x, ours.first.weight, ours.first.bias)
    assert torch.equal(left, (linear * 2).relu())
    assert torch.equal(right, linear * 3)
    assert fired == ["first", "second", "2"]


def test_a_sequential_takes_up_to_six_arguments(assembly: Path) -> None:
    a = torch.randn(2, 4)
    for name, rest, children in (
        ("Chain2", (2.5,), ["only"]),
        ("Chain3", (torch.randn(2, 3), torch.randn(2, 3)), ["0", "1"]),
        ("Chain6", (a,) * 5, ["0", "last", "2"]),
    ):
        ours = bridge.load(assembly, f"More.{name}")
        assert [child for child, _ in ours.named_children()] == children
        assert len(ours) == len(children)
        linear = ours[0]
        found = ours(a, *rest)
        if name == "Chain2":
            assert torch.equal(found, linear(a) * 2.5)
        elif name == "Chain3":
            assert torch.equal(found, (linear(a) + rest[0] * rest[1]).relu())
        else:
            assert torch.equal(found[0], linear(a + a + a + a + a + a).relu().tanh())
            assert found[1] == 3


def test_a_slice_shares_the_modules_and_no_hook(pair: Any) -> None:
    """I-15: the children's hooks fire, since they are the same modules."""
    ours, _ = pair("slice")
    fired: list[str] = []
    for name, module in ours.layer.named_modules():
        module.register_forward_hook(lambda *_, name=name: fired.append(name))
    ours(torch.randn(3, 4))
    assert fired == ["b", "c", ""]
