"""The operator table (dotnet/src/Bridge.Torch/Operators): every row against PyTorch's result and gradient."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from operator_rows import (
    ONE,
    Row,
    drawn,
    first,
    functional,
    functions,
    losses,
    math,
    members,
    modules,
    pointwise,
    reductions,
    shapes,
    surface,
    torch_functions,
)

from bridge import DotNetError

OPERATORS = Path(__file__).resolve().parents[2] / "dotnet" / "src" / "Bridge.Torch" / "Operators"
ROWS: dict[str, Row] = {
    **first.ROWS,
    **math.ROWS,
    **reductions.ROWS,
    **shapes.ROWS,
    **functions.ROWS,
    **modules.ROWS,
    **torch_functions.ROWS,
    **functional.ROWS,
    **losses.ROWS,
    **pointwise.ROWS,
    **members.ROWS,
    **drawn.ROWS,
}
#: Rows that run where something follows the call function by function, and what they are in Python.
FOLLOWED: dict[str, tuple[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]]] = {
    "Tensor aten::add.Tensor": ("a.add(b, 0.5)", lambda a, b: a.add(b, alpha=0.5)),
    "Tensor aten::add.Scalar #alpha": ("a.add(3, 0.5)", lambda a, b: a.add(3, alpha=0.5)),
    "Tensor aten::add.Scalar": ("a.add(3)", lambda a, b: a + 3),
    "Tensor aten::sub.Tensor": ("a.sub(b)", lambda a, b: a - b),
    "Tensor aten::sub.Scalar": ("a.sub(1.5)", lambda a, b: a - 1.5),
    "Tensor aten::mul.Scalar": ("a.mul(1.5)", lambda a, b: a * 1.5),
    "Tensor aten::div.Scalar": ("a.div(3)", lambda a, b: a / 3),
    "Tensor aten::eq.Scalar": ("a.eq(0.5)", lambda a, b: a.eq(0.5)),
    "Tensor aten::ne.Scalar": ("a.ne(0.5)", lambda a, b: a.ne(0.5)),
    "Tensor aten::gt.Scalar": ("a.gt(0.5)", lambda a, b: a.gt(0.5)),
    "Tensor aten::ge.Scalar": ("a.ge(0.5)", lambda a, b: a.ge(0.5)),
    "Tensor aten::lt.Scalar": ("a.lt(0.5)", lambda a, b: a.lt(0.5)),
    "Tensor aten::le.Scalar": ("a.le(0.5)", lambda a, b: a.le(0.5)),
    "Tensor aten::add_.Scalar #alpha": ("a.add_(3, 0.5)", lambda a, b: a.add_(3, alpha=0.5)),
    "Tensor aten::add_.Scalar": ("a.add_(3)", lambda a, b: a.add_(3)),
    "Tensor aten::sub_.Scalar": ("a.sub_(1.5)", lambda a, b: a.sub_(1.5)),
    "Tensor aten::mul_.Scalar": ("a.mul_(1.5)", lambda a, b: a.mul_(1.5)),
    "Tensor aten::div_.Scalar": ("a.div_(3)", lambda a, b: a.div_(3)),
    "torch aten::arange": ("torch.arange(4, dtype: ScalarType.Float32)", lambda a, b: torch.arange(4, dtype=torch.float32)),
}  # fmt: skip
# libtorch's, or TorchSharp's own before libtorch is called.
REFUSALS = ("System.Runtime.InteropServices.ExternalException", "System.ArgumentException")
DRAWS = 3
_ROW = re.compile(r'\[Aten\("(?P<aten>[^"]+)",.*?\)\]\s*(?:public|private|internal)[^;]*;', re.DOTALL)


def declared() -> list[str]:
    """Return every row of the table, as ``class overload``."""
    rows = list(surface.listed(OPERATORS.parent))
    for file in sorted(OPERATORS.rglob("*.cs")):
        text = file.read_text(encoding="utf-8")
        classes = [(found.start(), found[1]) for found in re.finditer(r"partial class (\w+)", text)]
        for found in _ROW.finditer(text):
            inside = [name for start, name in classes if start < found.start()][-1]
            rows.append(f"{inside} {found['aten']}")
    return rows


def test_every_row_of_the_table_has_a_case() -> None:
    rows = declared()
    assert len(rows) == len(set(rows)), "two rows of one class run one overload: name the cases apart"
    written = sum(file.read_text(encoding="utf-8").count("[Aten(") for file in OPERATORS.rglob("*.cs"))
    assert len(rows) - len(surface.listed(OPERATORS.parent)) == written > 50
    # A row may have several cases: what follows '#' distinguishes them.
    named = {name.partition(" #")[0] for name in (*ROWS, *FOLLOWED)}
    assert named <= set(rows)
    untested = surface.untested(OPERATORS.parent, {row for row in rows if row not in named})
    assert not untested, "neither in rows/ nor used by an expression of surface/"


@pytest.fixture(scope="session")
def run(expressions: Callable[..., Any]) -> Any:
    followed = {f"{name} followed": code for name, (code, _) in FOLLOWED.items()}
    return expressions({name: row.code for name, row in ROWS.items()} | followed | {"alias()": "a.alias()"})


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")
@pytest.mark.filterwarnings("ignore:.*degrees of freedom is <= 0")
@pytest.mark.parametrize("name", ROWS)
def test_a_row_equals_pytorch(name: str, run: Any, draw: Any, bits_equal: Any) -> None:
    row = ROWS[name]
    if name == "Tensor aten::cholesky" and not hasattr(torch.ops.aten, "cholesky"):
        with pytest.raises(DotNetError, match="cholesky"):
            run(name, [torch.eye(2)])
        return
    proved, gradients = 0, 0
    for dtype in row.dtypes:
        for seed in range(3, 3 + DRAWS):
            tensors, n = row.inputs(draw(seed, dtype))
            for wanted in (False, True) if dtype.is_floating_point else (False,):
                result = _against(name, row, run, tensors, n, wanted, bits_equal)
                proved += result is not None
                gradients += bool(result)
    # Not vacuous: where PyTorch refuses a type or a shape, so did C#; but most of what was drawn must have run.
    assert proved >= len(row.dtypes) * DRAWS // 3 or row.dtypes == ONE
    assert proved > 0
    without = not row.gradient or name.split("::")[1].split(".")[0] in first.WITHOUT_GRADIENT
    assert gradients > 0 or without or (name in first.ROWS and name.startswith("torch "))


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_row_that_is_followed_is_pythons_function(
    name: str, run: Any, bits_equal: Any, function_mode: Callable[[], Any]
) -> None:
    a, b = torch.tensor([-1.0, 0.5, 2.0]), torch.tensor([3.0, 0.5, -2.0])
    ours, theirs = a.clone(), a.clone()  # some of them change it
    with function_mode() as expected:
        wanted = FOLLOWED[name][1](theirs, b)
    with function_mode() as seen:
        result = run(f"{name} followed", [ours, b])
    assert bits_equal(result, wanted)
    # What else is seen is how the arguments cross.
    assert seen.names[-1:] == expected.names


def _against(name: str, row: Row, run: Any, tensors: Any, n: Any, wanted: bool, bits_equal: Any) -> bool | None:
    """Run both; return None if both refuse, otherwise whether a gradient was compared."""
    where = f"{name} {[None if t is None else (tuple(t.shape), t.dtype) for t in tensors]} n={list(n)} grad={wanted}"
    ours, theirs = _copies(tensors, wanted), _copies(tensors, wanted)
    # torch.manual_seed formats the stack for each accelerator that is not in use: half of this file's time.
    torch.default_generator.manual_seed(5)
    expected = _outcome(lambda: row.counterpart(*theirs[1], n=n, r=row.reals))
    if isinstance(expected, str):
        with pytest.raises(DotNetError) as caught:
            run(name, ours[1], n, row.reals)
        assert caught.value.dotnet_type in REFUSALS, where
        assert expected[:60] in caught.value.dotnet_message, where
        return None
    torch.default_generator.manual_seed(5)
    result = run(name, ours[1], n, row.reals)
    assert bits_equal(result, expected), where
    assert result.requires_grad == expected.requires_grad, where
    assert _node(result) == _node(expected), where
    for mine, other in zip(ours[1], theirs[1], strict=True):  # what was changed in place
        assert bits_equal(mine, other), where
        assert (result is mine) == (expected is other), where
    if not expected.requires_grad:
        return False
    flow = torch.randn(expected.shape, generator=torch.Generator().manual_seed(7)).to(expected.dtype)
    try:
        expected.backward(flow)
    except RuntimeError as error:  # what PyTorch has no derivative of, or what was overwritten in place
        with pytest.raises(type(error), match=re.escape(str(error)[:40])):
            result.backward(flow)
        return False
    result.backward(flow)
    for mine, other in zip(ours[0], theirs[0], strict=True):
        assert bits_equal(None if mine is None else mine.grad, None if other is None else other.grad), where
    return any(leaf is not None and leaf.grad is not None for leaf in ours[0])


def _node(tensor: torch.Tensor) -> tuple[str, int]:
    """Return the name and the number of inputs of the operator's autograd node."""
    node = tensor.grad_fn
    return ("", 0) if node is None else (node.name(), len(node.next_functions))


def _outcome(function: Callable[[], torch.Tensor]) -> torch.Tensor | str:
    """Return the result, or the first line of PyTorch's error."""
    try:
        return function()
    except (RuntimeError, IndexError) as error:
        return str(error).splitlines()[0]


def _copies(tensors: Any, wanted: bool) -> tuple[list[Any], list[Any]]:
    """Return the leaves and the arguments, which are no leaves for operators that change their argument in place."""
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
        assert caught.value.dotnet_type == "System.Runtime.InteropServices.ExternalException"
        assert name.split()[1] in caught.value.dotnet_message
        assert text in caught.value.dotnet_message
    assert run("Tensor aten::neg", [torch.ones(2)]).tolist() == [-1, -1]


def test_a_missing_tensor_is_named_before_libtorch_is_called(run: Any) -> None:
    with pytest.raises(DotNetError, match=r"aten::matmul: argument 'other' is null; a tensor is needed"):
        run("Tensor aten::matmul", [torch.ones(2)])


def test_an_alias_is_the_very_tensor(run: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    assert run("alias()", [x]) is x


def test_the_page_of_operators_is_what_the_table_gives(tools: Callable[[str], Any]) -> None:
    script = tools("operators")
    assert len(script.rows()) == len(declared())
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "stale: python tools/operators.py"
