"""The operator table (dotnet/src/Bridge.Torch/Operators): every row against PyTorch's result and gradient."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional as F

from bridge import DotNetError

OPERATORS = Path(__file__).resolve().parents[2] / "dotnet" / "src" / "Bridge.Torch" / "Operators"
_ROW = re.compile(r'\[Aten\("(?P<aten>[^"]+)",.*?\)\]\s*(?:public|private|internal)[^;]*;', re.DOTALL)

FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
ALL = (*FLOATS, torch.int64, torch.int32, torch.uint8, torch.bool)
#: Element types by libtorch's numbers.
NUMBERS = {
    0: torch.uint8, 3: torch.int32, 4: torch.int64, 5: torch.float16,
    6: torch.float32, 7: torch.float64, 11: torch.bool, 15: torch.bfloat16,
}  # fmt: skip
DEVICES = ("cpu", "meta")
ONE = (torch.float32,)
UNARY = ("relu", "relu_", "sigmoid", "tanh", "exp", "neg", "reciprocal", "abs", "sqrt", "max", "min", "all")
BINARY = ("mul", "mul_", "div", "eq", "gt", "lt")
FACTORIES = ("zeros", "ones", "rand", "randn")
#: Results without a gradient, by nature.
WITHOUT_GRADIENT = {
    *("alias", "is_leaf", "detach", "zero_", "fill_", "uniform_", "normal_", "set_data", "diff", "eq", "gt", "lt", "equal", "all"),
}  # fmt: skip
DRAWS = 8

Inputs = tuple[Sequence[torch.Tensor | None], Sequence[int]]


@dataclass(frozen=True)
class Row:
    """One row's case: the C# expression, PyTorch's ``twin(a, b, …, n=numbers, r=reals)``, and what they get.

    ``gradient`` is false where the result has none by nature.
    """

    code: str
    twin: Callable[..., torch.Tensor]
    inputs: Callable[[Any], Inputs]
    dtypes: tuple[torch.dtype, ...] = ALL
    reals: tuple[float, ...] = ()
    gradient: bool = True


def one(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape())], []


def two(draw: Any) -> Inputs:
    return draw.pair(), []


def same(draw: Any) -> Inputs:
    """Two tensors of one shape, equal every second time."""
    first = draw.tensor(*draw.shape())
    return [first, first.clone() if draw.whole(0, 1) else draw.tensor(*first.shape)], []


def into(draw: Any) -> Inputs:
    """A target, and a source that broadcasts to it, of another type at times."""
    target, source = draw.pair()
    return [target, source.to(torch.float32) if draw.whole(0, 1) else source], []


def with_dims(count: int, low: int = 1) -> Callable[[Any], Inputs]:
    """A tensor and ``count`` of its dimensions, negative ones among them."""

    def make(draw: Any) -> Inputs:
        shape = draw.shape(low)
        rank = max(len(shape), 1)
        return [draw.tensor(*shape)], [draw.whole(-rank, rank - 1) for _ in range(count)]

    return make


def typed(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape())], [draw.random.choice([-1, *NUMBERS])]


def to_type(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape())], [draw.random.choice([*NUMBERS])]


def factory(draw: Any) -> Inputs:
    return [], [draw.whole(0, 4), draw.whole(1, 4), draw.random.choice([-1, 5, 6, 7, 15]), draw.whole(0, 1)]


def viewed(draw: Any) -> Inputs:
    """24 elements and sizes, the last of which do not fit."""
    return [draw.tensor(2, 3, 4)], draw.random.choice([[6, 4], [-1], [4, 6], [2, 12], [5, 5]])


def expanded(draw: Any) -> Inputs:
    return [draw.tensor(draw.random.choice([1, 3]), 1)], [draw.whole(0, 2), 3, draw.whole(1, 4)]


def flat(draw: Any) -> Inputs:
    """Up to three dimensions: t() takes two."""
    return [draw.tensor(*draw.shape(0, 3))], []


def filled(draw: Any) -> Inputs:
    return [draw.tensor(*draw.shape()), draw.tensor()], []


def ranged(draw: Any) -> Inputs:
    tensors, (first, last) = with_dims(2, 1)(draw)
    rank = tensors[0].dim()
    return tensors, sorted((first % rank, last % rank))


def permuted(draw: Any) -> Inputs:
    shape = draw.shape(1)
    order = list(range(len(shape)))
    draw.random.shuffle(order)
    return [draw.tensor(*shape)], order


def sliced(draw: Any) -> Inputs:
    tensors, (dim,) = with_dims(1)(draw)
    return tensors, [dim, draw.whole(-3, 3), draw.whole(-3, 9), draw.whole(1, 3)]


def selected(draw: Any) -> Inputs:
    tensors, (dim,) = with_dims(1)(draw)
    return tensors, [dim, draw.whole(-1, 0)]


def products(draw: Any) -> Inputs:
    rows, middle, columns, batch = (draw.whole(1, 5) for _ in range(4))
    left = draw.random.choice([(middle,), (rows, middle), (batch, rows, middle)])
    right = draw.random.choice([(middle,), (middle, columns), (batch, middle, columns)])
    return [draw.tensor(*left), draw.tensor(*right)], []


def prelu(draw: Any) -> Inputs:
    shape = draw.shape(2)
    return [draw.tensor(*shape), draw.tensor(draw.random.choice([1, shape[1]]))], []


def softmax(draw: Any) -> Inputs:
    tensors, (dim,) = with_dims(1)(draw)
    return tensors, [dim, draw.random.choice([-1, 6, 7])]


def linear(draw: Any) -> Inputs:
    inside, outside = draw.whole(1, 6), draw.whole(1, 6)
    bias = draw.tensor(outside) if draw.whole(0, 1) else None
    return [draw.tensor(*draw.shape(0, 3), inside), draw.tensor(outside, inside), bias], []


def images(draw: Any, channels: int) -> torch.Tensor:
    """[N, C, H, W] or [C, H, W]."""
    return draw.tensor(*([draw.whole(1, 3)] if draw.whole(0, 2) else []), channels, draw.whole(6, 9), draw.whole(6, 9))


def conv(draw: Any) -> Inputs:
    groups, of, to = draw.whole(1, 2), draw.whole(1, 2), draw.whole(1, 2)
    kernel = (draw.whole(1, 3), draw.whole(1, 3))
    bias = draw.tensor(groups * to) if draw.whole(0, 1) else None
    numbers = [
        draw.whole(1, 2),
        draw.whole(1, 2),
        draw.whole(0, 2),
        draw.whole(0, 2),
        draw.whole(1, 2),
        draw.whole(1, 2),
        groups,
    ]
    return [images(draw, groups * of), draw.tensor(groups * to, of, *kernel), bias], numbers


def pool(draw: Any) -> Inputs:
    sizes = [draw.whole(2, 3), draw.whole(2, 3), draw.whole(1, 3), draw.whole(1, 3), draw.whole(0, 1), draw.whole(0, 1)]
    return [images(draw, draw.whole(1, 3))], [*sizes, draw.whole(1, 2), draw.whole(1, 2), draw.whole(0, 1)]


def norm(draw: Any) -> Inputs:
    channels = draw.whole(1, 3)
    training = draw.whole(0, 1)
    statistics: list[torch.Tensor | None] = [draw.tensor(channels), draw.tensor(channels).abs()]
    affine: list[torch.Tensor | None] = [draw.tensor(channels), draw.tensor(channels)]
    if training and draw.whole(0, 1):
        statistics = [None, None]
    if draw.whole(0, 1):
        affine = [None, None]
    return [draw.tensor(draw.whole(2, 3), channels, 3, 4), *statistics, *affine], [training]


def padded(draw: Any) -> Inputs:
    return [draw.tensor(draw.whole(1, 2), draw.whole(1, 2), draw.whole(4, 6), draw.whole(4, 6))], [
        draw.whole(0, 3) for _ in range(4)
    ]


def kind(number: int) -> torch.dtype | None:
    return None if number < 0 else NUMBERS[number]


def made(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    return lambda *, n, r: function(n[0], n[1], dtype=kind(n[2]), device=DEVICES[n[3]])


def plain(name: str) -> Callable[..., torch.Tensor]:
    """The method of that name on all the tensors."""
    return lambda a, *rest, n, r: getattr(a, name)(*rest)


def spread(name: str) -> Callable[..., torch.Tensor]:
    """The method of that name with the numbers."""
    return lambda a, n, r: getattr(a, name)(*n)


def said(name: str) -> Row:
    """A truth value, as the size of a tensor."""

    def twin(a: torch.Tensor, n: Any, r: Any) -> torch.Tensor:
        return torch.ones(int(getattr(a, name)), int(getattr(a * 2.0, name)))

    return Row(f"ones([a.{name} ? 1 : 0, (a * 2.0).{name} ? 1 : 0])", twin, one)


_FACTORY = "([n[0], n[1]], Type(2), Place(3))"
_CONV = "functional.conv2d(a, b, c, [n[0], n[1]], [n[2], n[3]], [n[4], n[5]], n[6])"
_POOL = "functional.max_pool2d(a, [n[0], n[1]], [n[2], n[3]], [n[4], n[5]], [n[6], n[7]], n[8] == 1)"

ROWS: dict[str, Row] = {
    # Two rows that nobody may call: they are what these two properties run.
    "Tensor aten::alias": said("requires_grad"),
    "Tensor aten::is_leaf": said("is_leaf"),
    "Tensor aten::clone": Row("a.clone()", plain("clone"), one),
    "Tensor aten::detach": Row("a.detach()", plain("detach"), one),
    "Tensor aten::contiguous": Row("a.contiguous()", plain("contiguous"), one),
    "Tensor aten::copy_": Row("a.copy_(b)", plain("copy_"), into),
    "Tensor aten::set_data": Row("Assigned(a, b)", lambda a, b, n, r: torch.ops.aten.set_data(a, b) or a, same),
    "Tensor aten::zero_": Row("a.zero_()", plain("zero_"), one),
    "Tensor aten::fill_.Tensor": Row("a.fill_(b)", lambda a, b, n, r: torch.ops.aten.fill_.Tensor(a, b), filled),
    "Tensor aten::uniform_": Row("a.uniform_(r[0], r[1])", lambda a, n, r: a.uniform_(*r), one, FLOATS, reals=(-1.5, 2.25)),
    "Tensor aten::normal_": Row("a.normal_(r[0], r[1])", lambda a, n, r: a.normal_(*r), one, FLOATS, reals=(0.5, 3.0)),
    "Tensor aten::view": Row("a.view(n)", spread("view"), viewed),
    "Tensor aten::reshape": Row("a.reshape(n)", spread("reshape"), viewed),
    "Tensor aten::flatten.using_ints": Row("a.flatten(n[0], n[1])", spread("flatten"), ranged),
    "Tensor aten::permute": Row("a.permute(n)", spread("permute"), permuted),
    "Tensor aten::transpose.int": Row("a.transpose(n[0], n[1])", spread("transpose"), with_dims(2)),
    "Tensor aten::t": Row("a.t()", plain("t"), flat),
    "Tensor aten::unsqueeze": Row("a.unsqueeze(n[0])", spread("unsqueeze"), with_dims(1)),
    "Tensor aten::squeeze": Row("a.squeeze()", plain("squeeze"), one),
    "Tensor aten::squeeze.dim": Row("a.squeeze(n[0])", spread("squeeze"), with_dims(1)),
    "Tensor aten::expand": Row("a.expand(n)", spread("expand"), expanded),
    "Tensor aten::slice.Tensor": Row("a.slice(n[0], n[1], n[2], n[3])", lambda a, n, r: torch.ops.aten.slice.Tensor(a, *n), sliced),
    "Tensor aten::select.int": Row("a.select(n[0], n[1])", lambda a, n, r: torch.ops.aten.select.int(a, *n), selected),
    **{f"Tensor aten::{name}": Row(f"a.{name}()", plain(name), one) for name in UNARY},
    "Tensor aten::prelu": Row("a.prelu(b)", plain("prelu"), prelu, FLOATS),
    "Tensor aten::softmax.int": Row("a.softmax(n[0], Type(1))", lambda a, n, r: torch.softmax(a, n[0], dtype=kind(n[1])), softmax),
    "Tensor aten::matmul": Row("a.matmul(b)", plain("matmul"), products),
    **{f"Tensor aten::{name}.Tensor": Row(f"a.{name}(b)", plain(name), two) for name in BINARY},
    # The only way to subtract whole numbers that takes no Scalar; nobody may call it but sub.
    "Tensor aten::diff": Row("a.sub(b)", plain("sub"), two, (torch.int64, torch.int32, torch.uint8)),
    "Tensor aten::sum": Row("a.sum(Type(0))", lambda a, n, r: a.sum(dtype=kind(n[0])), typed),
    "Tensor aten::mean": Row("a.mean(Type(0))", lambda a, n, r: a.mean(dtype=kind(n[0])), typed),
    "Tensor aten::equal": Row("ones([a.equal(b) ? 1 : 0])", lambda a, b, n, r: torch.ones(int(a.equal(b))), same),
    "Tensor aten::to.dtype": Row("a.to_type((ScalarType)(sbyte)n[0])", lambda a, n, r: a.to(NUMBERS[n[0]]), to_type),
    "Tensor aten::to.device": Row("a.to((ScalarType)(sbyte)n[0], CPU)", lambda a, n, r: a.to("cpu", NUMBERS[n[0]]), to_type),
    **{f"torch aten::{name}": Row(name + _FACTORY, made(getattr(torch, name)), factory, ONE) for name in FACTORIES},
    "torch aten::empty.memory_format": Row(
        "empty" + _FACTORY + ".zero_()", lambda n, r: made(torch.empty)(n=n, r=r).zero_(), factory, ONE
    ),
    "functional aten::linear": Row("functional.linear(a, b, c)", lambda a, b, c, n, r: F.linear(a, b, c), linear),
    "functional aten::relu": Row("functional.relu(a)", lambda a, n, r: F.relu(a), one),
    "functional aten::prelu": Row("functional.prelu(a, b)", lambda a, b, n, r: F.prelu(a, b), prelu, FLOATS),
    "functional aten::softmax.int": Row(
        "functional.softmax(a, n[0], Type(1))", lambda a, n, r: F.softmax(a, n[0], dtype=kind(n[1])), softmax
    ),
    "functional aten::conv2d": Row(_CONV, lambda a, b, c, n, r: F.conv2d(a, b, c, n[:2], n[2:4], n[4:6], n[6]), conv, FLOATS),
    "functional aten::conv2d.padding": Row(
        "functional.conv2d_padding(a, b, c, null, n[2] == 1 ? Padding.Same : Padding.Valid, [n[4], n[5]], n[6])",
        lambda a, b, c, n, r: F.conv2d(a, b, c, 1, "same" if n[2] == 1 else "valid", n[4:6], n[6]), conv, FLOATS,
    ),
    "functional aten::pad": Row(
        'functional.Pad(a, n, (n[0] % 3) switch { 0 => "reflect", 1 => "replicate", _ => "circular" })',
        lambda a, n, r: F.pad(a, tuple(n), ("reflect", "replicate", "circular")[n[0] % 3]), padded, FLOATS,
    ),
    "functional aten::max_pool2d": Row(_POOL, lambda a, n, r: F.max_pool2d(a, n[:2], n[2:4], n[4:6], n[6:8], bool(n[8])), pool, FLOATS),
    "functional aten::batch_norm": Row(
        "functional.batch_norm(a, b, c, d, e, n[0] == 1, r[0], r[1])",
        lambda a, b, c, d, e, n, r: torch.batch_norm(a, d, e, b, c, bool(n[0]), r[0], r[1], True), norm, FLOATS, reals=(0.25, 1e-3),
    ),
}  # fmt: skip


def _rows(name: str) -> dict[str, Row]:
    """The cases of a file in rows/, which finds what stands above as ``operator_rows``."""
    sys.modules["operator_rows"] = sys.modules[__name__]
    spec = importlib.util.spec_from_file_location(
        f"operator_rows_{name}", Path(__file__).parent / "rows" / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Row] = module.ROWS
    return found


ROWS |= _rows("modules")


def declared() -> list[str]:
    """Every row of the table, as ``class overload``."""
    rows = []
    for file in sorted(OPERATORS.glob("*.cs")):
        text = file.read_text(encoding="utf-8")
        classes = [(found.start(), found[1]) for found in re.finditer(r"partial class (\w+)", text)]
        for found in _ROW.finditer(text):
            inside = [name for start, name in classes if start < found.start()][-1]
            rows.append(f"{inside} {found['aten']}")
    return rows


def test_every_row_of_the_table_has_a_case() -> None:
    rows = declared()
    assert len(rows) == len(set(rows)), "two rows of one class run one overload: name the cases apart"
    assert len(rows) == sum(file.read_text(encoding="utf-8").count("[Aten(") for file in OPERATORS.glob("*.cs")) > 50
    assert set(rows) == set(ROWS)


@pytest.fixture(scope="session")
def run(expressions: Callable[..., Any]) -> Any:
    return expressions({name: row.code for name, row in ROWS.items()} | {"alias()": "a.alias()"})


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")
@pytest.mark.parametrize("name", ROWS)
def test_a_row_equals_pytorch(name: str, run: Any, draw: Any, bits_equal: Any) -> None:
    row = ROWS[name]
    proved, gradients = 0, 0
    for dtype in row.dtypes:
        for seed in range(DRAWS):
            tensors, n = row.inputs(draw(seed, dtype))
            for wanted in (False, True) if dtype.is_floating_point else (False,):
                result = _against(name, row, run, tensors, n, wanted, bits_equal)
                proved += result is not None
                gradients += bool(result)
    # Not vacuous: where PyTorch refuses a type or a shape, so did C#; but most of what was drawn must have run.
    assert proved >= len(row.dtypes) * DRAWS // 3 or row.dtypes == ONE
    assert proved > 0
    assert (
        gradients > 0
        or not row.gradient
        or name.startswith("torch ")
        or name.split("::")[1].split(".")[0] in WITHOUT_GRADIENT
    )


def _against(name: str, row: Row, run: Any, tensors: Any, n: Any, wanted: bool, bits_equal: Any) -> bool | None:
    """Runs both. None: PyTorch refuses and so does C#; otherwise, whether a gradient was compared."""
    where = f"{name} {[None if t is None else (tuple(t.shape), t.dtype) for t in tensors]} n={list(n)} grad={wanted}"
    ours, theirs = _copies(tensors, wanted), _copies(tensors, wanted)
    torch.manual_seed(5)
    expected = _outcome(lambda: row.twin(*theirs[1], n=n, r=row.reals))
    if isinstance(expected, str):
        with pytest.raises(DotNetError) as caught:
            run(name, ours[1], n, row.reals)
        assert caught.value.dotnet_type == "Bridge.Torch.TorchException", where
        assert expected[:60] in caught.value.dotnet_message, where
        return None
    torch.manual_seed(5)
    result = run(name, ours[1], n, row.reals)
    assert bits_equal(result, expected), where
    assert result.requires_grad == expected.requires_grad, where
    assert type(result.grad_fn) is type(expected.grad_fn), where
    for mine, other in zip(ours[1], theirs[1], strict=True):  # what was changed in place
        assert bits_equal(mine, other), where
        assert (result is mine) == (expected is other), where
    if not expected.requires_grad:
        return False
    flow = torch.randn(expected.shape, generator=torch.Generator().manual_seed(7)).to(expected.dtype)
    expected.backward(flow)
    result.backward(flow)
    for mine, other in zip(ours[0], theirs[0], strict=True):
        assert bits_equal(None if mine is None else mine.grad, None if other is None else other.grad), where
    return any(leaf is not None and leaf.grad is not None for leaf in ours[0])


def _outcome(function: Callable[[], torch.Tensor]) -> torch.Tensor | str:
    """The result, or the first line of what PyTorch refuses it with."""
    try:
        return function()
    except (RuntimeError, IndexError) as error:
        return str(error).splitlines()[0]


def _copies(tensors: Any, wanted: bool) -> tuple[list[Any], list[Any]]:
    """(leaves, what is given): operators that change their argument in place need one that is no leaf."""
    leaves = [None if t is None else t.clone().requires_grad_(wanted and t.is_floating_point()) for t in tensors]
    return leaves, [None if leaf is None else leaf.clone() for leaf in leaves]


@pytest.mark.parametrize(
    ("name", "shapes", "n", "text"),
    [
        ("Tensor aten::matmul", [(2, 3), (2, 3)], [], "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        ("Tensor aten::mul.Tensor", [(2,), (3,)], [], "must match the size of tensor b (3) at non-singleton dimension 0"),
        ("Tensor aten::view", [(2, 3)], [4, 4], "shape '[4, 4]' is invalid for input of size 6"),
        ("Tensor aten::transpose.int", [(2, 3)], [0, 2], "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        ("functional aten::linear", [(2, 3), (4, 5)], [], "mat1 and mat2 shapes cannot be multiplied (2x3 and 5x4)"),
        ("functional aten::conv2d", [(1, 3, 8, 8), (4, 2, 3, 3)], [1, 1, 0, 0, 1, 1, 1], "expected input[1, 3, 8, 8] to have 2 channels"),
    ],
)  # fmt: skip
def test_wrong_shapes_give_the_words_of_libtorch_and_the_process_lives_on(
    run: Any, name: str, shapes: list[tuple[int, ...]], n: list[int], text: str
) -> None:
    for _ in range(20):  # a failed call must not spoil the next one
        with pytest.raises(DotNetError) as caught:
            run(name, [torch.ones(shape) for shape in shapes], n)
        assert caught.value.dotnet_type == "Bridge.Torch.TorchException"
        assert name.split()[1] in caught.value.dotnet_message
        assert text in caught.value.dotnet_message
    assert run("Tensor aten::neg", [torch.ones(2)]).tolist() == [-1, -1]


def test_a_missing_tensor_is_named_before_libtorch_is_called(run: Any) -> None:
    with pytest.raises(DotNetError, match=r"aten::matmul: argument 'other': a tensor is needed, null was given"):
        run("Tensor aten::matmul", [torch.ones(2)])


def test_an_alias_is_the_very_tensor(run: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    assert run("alias()", [x]) is x
