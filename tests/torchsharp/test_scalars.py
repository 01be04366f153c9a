"""Tensors/Numbers/Scalar.cs: numbers beside tensors promote as Python's numbers do, and sums equal PyTorch's."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bridge import DotNetError

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
COMPLEX = (torch.complex64, torch.complex128)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
DTYPES = (*FLOATS, *COMPLEX, *INTEGERS, torch.bool)
SHAPES = ((), (7,), (2, 3), (0,))


def _members(*names: str) -> dict[str, tuple[str, Callable[[Any, Any], Any]]]:
    """Return the members that take only the number, under one name in both languages."""
    return {name: (f"a.{name}(N)", lambda a, s, name=name: getattr(a, name)(s)) for name in names}


#: C# expression with the number as ``N``, and the same in Python.
OPERATORS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "tensor + number": ("a + N", lambda a, s: a + s),
    "number + tensor": ("N + a", lambda a, s: s + a),
    "tensor - number": ("a - N", lambda a, s: a - s),
    "number - tensor": ("N - a", lambda a, s: s - a),
    "tensor * number": ("a * N", lambda a, s: a * s),
    "number * tensor": ("N * a", lambda a, s: s * a),
    "tensor / number": ("a / N", lambda a, s: a / s),
    "number / tensor": ("N / a", lambda a, s: s / a),
    "add(number)": ("a.add(N)", lambda a, s: a.add(s)),
    "sub(number)": ("a.sub(N)", lambda a, s: a.sub(s)),
    "mul(number)": ("a.mul(N)", lambda a, s: a.mul(s)),
    "div(number)": ("a.div(N)", lambda a, s: a.div(s)),
}
#: The same, of a number beside a tensor that is changed in place.
IN_PLACE: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "add_": ("a.add_(N)", lambda a, s: a.add_(s)),
    "add_ with alpha": ("a.add_(N, 3)", lambda a, s: a.add_(s, alpha=3)),
    "div_ with a mode": ("a.div_(N, RoundingMode.trunc)", lambda a, s: a.div_(s, rounding_mode="trunc")),
    "celu_": ("a.celu_(N)", lambda a, s: torch.celu_(a, s)),
    **_members(
        "sub_", "subtract_", "mul_", "div_", "true_divide_", "divide_", "floor_divide_", "remainder_", "fmod_", "pow_", "xlogy_", "fill_",
        "clamp_", "clamp_min_", "clamp_max_", "eq_", "ne_", "ge_", "gt_", "le_", "lt_",
    ),
}  # fmt: skip
#: Functions of a tensor and a number that are not operators, and what else takes one.
MORE: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "add with alpha": ("a.add(N, 3)", lambda a, s: a.add(s, alpha=3)),
    "div with a mode": ("a.div(N, RoundingMode.floor)", lambda a, s: a.div(s, rounding_mode="floor")),
    "index_put_": ("a.index_put_(N, TensorIndex.Single(0))", lambda a, s: a.__setitem__(0, s) or a),
    "tensor % number": ("a % N", lambda a, s: a % s),
    "celu": ("a.celu(N)", lambda a, s: torch.celu(a, s)),
    **_members(
        "floor_divide", "remainder", "fmod", "pow", "xlogy", "clamp", "clamp_min", "clamp_max",
        "divide", "true_divide", "multiply", "subtract", "clip", "eq", "ne", "ge", "gt", "le", "lt",
    ),
}  # fmt: skip
#: The stable ABI has no Scalar for alpha, and these do not go through Python for it (Scalar.cs): PyTorch's node, and what C#'s is.
_SUM = ("AddBackward0", ["MulBackward0", None]), ("SubBackward0", ["MulBackward0", None])
OTHERS = {
    **dict.fromkeys(("tensor + number", "number + tensor", "add(number)", "add with alpha"), _SUM),
    "number - tensor": (("RsubBackward1", ["MulBackward0"]), ("SubBackward0", [None, "MulBackward0"])),
}
#: The same, without a gradient. Tensor.Equals compares entire tensors, == each element.
COMPARISONS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "tensor == number": ("a == N", lambda a, s: a == s),
    "tensor != number": ("a != N", lambda a, s: a != s),
    "tensor < number": ("a < N", lambda a, s: a < s),
    "number < tensor": ("N < a", lambda a, s: s < a),
    "tensor >= number": ("a >= N", lambda a, s: a >= s),
    "number >= tensor": ("N >= a", lambda a, s: s >= a),
    "tensor <= number": ("a <= N", lambda a, s: a <= s),
    "tensor > number": ("a > N", lambda a, s: a > s),
}
NUMBERS: dict[str, Any] = {
    "2": 2, "-3": -3, "0": 0, "9000000000L": 9_000_000_000, "0.5": 0.5, "-1.1": -1.1, "1e300": 1e300, "0.1f": 0.10000000149011612,
    "double.NaN": math.nan, "double.PositiveInfinity": math.inf, "true": True, "false": False,
}  # fmt: skip
PAIRS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "+": ("a + b", lambda a, b: a + b),
    "-": ("a - b", lambda a, b: a - b),
    "*": ("a * b", lambda a, b: a * b),
    "/": ("a / b", lambda a, b: a / b),
    "add": ("a.add(b)", lambda a, b: a.add(b)),
    "sub": ("a.sub(b)", lambda a, b: a.sub(b)),
    "add with alpha": ("a.add(b, 3)", lambda a, b: a.add(b, alpha=3)),
}
UNARY_MINUS = "-a"
COMPLEX_ALPHAS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "complex alpha": ("a.add(b, new System.Numerics.Complex(0.5, -2))", lambda a, b: torch.add(a, b, alpha=0.5 - 2j)),
    "real complex alpha": ("add(a, b, new System.Numerics.Complex(2, 0))", lambda a, b: torch.add(a, b, alpha=2 + 0j)),
}


@pytest.fixture(scope="session")
def run(expressions: Callable[..., Any]) -> Any:
    rows = {
        f"{name}: {number}": code.replace("N", f"({number})")
        for name, (code, _) in (OPERATORS | COMPARISONS | IN_PLACE).items()
        for number in NUMBERS
    }
    rows |= {f"{name}: -1.1": code.replace("N", "(-1.1)") for name, (code, _) in MORE.items()}
    rows |= {name: code for name, (code, _) in (PAIRS | COMPLEX_ALPHAS).items()}
    return expressions(rows | {"minus": UNARY_MINUS})


def make(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(shape))
    if dtype in (*INTEGERS, torch.bool):
        low, high = (0, 2) if dtype == torch.bool else (0, 10) if dtype == torch.uint8 else (-9, 10)
        return torch.randint(low, high, shape, generator=generator).to(dtype)
    wide = torch.complex128 if dtype in COMPLEX else torch.float64
    return torch.randn(shape, generator=generator, dtype=wide).to(dtype)


def outcome(function: Callable[[], torch.Tensor]) -> torch.Tensor | str:
    """Return the result, or PyTorch's error."""
    try:
        return function()
    except RuntimeError as error:
        return str(error)


@pytest.mark.parametrize("name", [*OPERATORS, *COMPARISONS])
def test_a_number_promotes_as_in_python(name: str, run: Any, bits_equal: Any) -> None:
    problems, proved = [], 0
    for number, value in NUMBERS.items():
        for dtype in DTYPES:
            for shape in SHAPES:
                x = make(shape, dtype)
                where = f"{name}: {number} {dtype} {shape}"
                expected = outcome(lambda x=x, value=value: (OPERATORS | COMPARISONS)[name][1](x, value))  # type: ignore[misc]
                if isinstance(expected, str):  # what PyTorch refuses is refused
                    if shape != SHAPES[0]:  # for its dtype; an exception of .NET takes a millisecond
                        continue
                    assert "bool" in expected or "not implemented" in expected, where
                    with pytest.raises(DotNetError):
                        run(f"{name}: {number}", [x])
                    continue
                result = run(f"{name}: {number}", [x])
                proved += 1
                if result.dtype != expected.dtype:
                    problems.append(f"{where}: {result.dtype}, not {expected.dtype}")
                elif not bits_equal(result, expected):
                    problems.append(f"{where}: {result}, not {expected}")
    assert not problems, "\n".join(problems)
    assert proved > 300


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_number_changes_a_tensor_as_in_python(name: str, run: Any, bits_equal: Any) -> None:
    problems, proved = [], 0
    for number, value in NUMBERS.items():
        for dtype in DTYPES:
            for shape in SHAPES:
                ours, theirs = make(shape, dtype), make(shape, dtype)
                where = f"{name}: {number} {dtype} {shape}"
                expected = outcome(lambda x=theirs, value=value: IN_PLACE[name][1](x, value))  # type: ignore[misc]
                if isinstance(expected, str) and shape != SHAPES[0]:
                    continue
                try:
                    result = run(f"{name}: {number}", [ours])
                except DotNetError as error:
                    if not isinstance(expected, str):
                        problems.append(f"{where}: {error}")
                    continue
                proved += 1
                if isinstance(expected, str):
                    problems.append(f"{where}: {result}, but PyTorch refuses it: {expected}")
                elif result is not ours or not bits_equal(result, expected):
                    problems.append(f"{where}: {result}, not {expected}")
    assert not problems, "\n".join(problems)
    assert proved > 100


@pytest.mark.parametrize("name", [*OPERATORS, *COMPARISONS, *IN_PLACE, *MORE])
def test_a_number_is_in_the_graph_as_in_python(name: str, run: Any) -> None:
    """L-4: what autograd sees of a number is the node of PyTorch's own operator, with as many inputs."""
    leaf = make((4, 3), torch.float32).requires_grad_()
    _, counterpart = (OPERATORS | COMPARISONS | IN_PLACE | MORE)[name]
    expected = graph(counterpart(leaf * 1, -1.1))
    if name in OTHERS:
        assert expected[0] == OTHERS[name][0]
        expected[0] = OTHERS[name][1]
    if name == "index_put_" and len(expected[0][1]) == 1:
        expected[0][1].append(None)  # torch 2.15 fills with the number, C# copies a tensor that needs no gradient
    assert graph(run(f"{name}: -1.1", [leaf * 1])) == expected


class _PassingMode(TorchDispatchMode):
    """A mode that calls each operator unchanged."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", [*OPERATORS, *COMPARISONS, *IN_PLACE, *MORE])
def test_a_mode_does_not_change_a_result(name: str, run: Any, bits_equal: Any) -> None:
    """I-18: C# calls PyTorch's public functions under a mode; PyTorch passes a wrapped number to them as a number of Python."""
    for dtype in (torch.float32, torch.float16):
        for shape in ((4, 3),) if name == "index_put_" else ((), (4, 3)):
            expected = run(f"{name}: -1.1", [make(shape, dtype)])
            with _PassingMode():
                result = run(f"{name}: -1.1", [make(shape, dtype)])
            assert result.dtype == expected.dtype
            assert bits_equal(result, expected)


@pytest.mark.parametrize("name", [*OPERATORS, *COMPARISONS, *IN_PLACE, *MORE])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_a_number_is_not_saved_as_a_tensor(name: str, dtype: torch.dtype, run: Any) -> None:
    """I-18: the hooks of saved tensors, so a checkpoint too, see what they see of PyTorch's own operator."""
    seen: list[list[tuple[torch.Size, torch.dtype]]] = []
    for call in ((OPERATORS | COMPARISONS | IN_PLACE | MORE)[name][1], lambda x, _: run(f"{name}: -1.1", [x])):
        x = make((4, 3), dtype).requires_grad_() * 1
        saved: list[tuple[torch.Size, torch.dtype]] = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda tensor, saved=saved: saved.append((tensor.shape, tensor.dtype)) or tensor, lambda tensor: tensor
        ):
            call(x, -1.1)
        seen.append(saved)
    assert seen[1] == seen[0]


def test_every_member_that_takes_a_number_is_among_them() -> None:
    """Rows of the table are compared with PyTorch's node too (test_operators); these are the members that are none."""
    source = Path(__file__).resolve().parents[2] / "dotnet" / "src" / "Bridge.Torch"
    text = "".join(file.read_text(encoding="utf-8") for file in source.glob("[OT]*ors/**/*.cs"))
    members = set(re.findall(r"public Tensor (\w+)\(Scalar\??\s", text))
    assert len(members) > 15
    # TorchSharp's cross takes a number, of which PyTorch has none.
    tried = re.findall(r"a\.(\w+)\(N", "\n".join(code for code, _ in (OPERATORS | IN_PLACE | MORE).values()))
    assert members - {"cross"} <= set(tried)


def graph(tensor: torch.Tensor) -> list[tuple[str, list[str | None]]]:
    """Return the autograd nodes down to the leaves, nearest first, with the names of their inputs."""
    found, nodes = [], [tensor.grad_fn]
    for node in nodes:
        inputs = [] if node is None else [child for child, _ in node.next_functions]
        found.append(
            ("" if node is None else node.name(), [None if child is None else child.name() for child in inputs])
        )
        nodes += [child for child in inputs if child is not None]
    return found


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("name", PAIRS)
def test_two_tensors_promote_as_in_python(name: str, run: Any, bits_equal: Any) -> None:
    problems, proved = [], 0
    for left in DTYPES:
        for right in DTYPES:
            for shapes in (((3,), (3,)), ((), ()), ((2, 3), ()), ((), (3,)), ((2, 1), (3,)), ((0,), (1,))):
                a, b = make(shapes[0], left), make(shapes[1], right)
                where = f"{name} {left} {right} {shapes}"
                expected = outcome(lambda a=a, b=b: PAIRS[name][1](a, b))  # type: ignore[misc]
                if isinstance(expected, str):
                    with pytest.raises(DotNetError, match="bool|ComplexHalf|BComplex32"):
                        run(name, [a, b])
                    continue
                result = run(name, [a, b])
                proved += 1
                if not bits_equal(result, expected):
                    problems.append(f"{where}: {result} {result.stride()}, not {expected} {expected.stride()}")
    assert not problems, "\n".join(problems[:40])
    assert proved > 500


@pytest.mark.parametrize("name", COMPLEX_ALPHAS)
def test_a_complex_alpha_keeps_its_imaginary_part(name: str, run: Any) -> None:
    proved = 0
    for left in DTYPES:
        for right in DTYPES:
            for shapes in (((3,), (3,)), ((2, 3), ()), ((), (3,)), ((2, 1), (3,))):
                a, b = make(shapes[0], left), make(shapes[1], right)
                expected = outcome(functools.partial(COMPLEX_ALPHAS[name][1], a, b))
                if isinstance(expected, str):
                    with pytest.raises(DotNetError, match="alpha must"):
                        run(name, [a, b])
                    continue
                torch.testing.assert_close(run(name, [a, b]), expected)
                proved += 1
    assert proved > 100


def test_gradients_beside_a_complex_alpha_equal_those_of_pytorch(run: Any) -> None:
    ours = [make((3,), torch.complex64).requires_grad_() for _ in range(2)]
    theirs = [x.detach().clone().requires_grad_() for x in ours]
    run("complex alpha", ours).abs().sum().backward()
    COMPLEX_ALPHAS["complex alpha"][1](*theirs).abs().sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a.grad, b.grad)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_wrap_as_in_python(dtype: torch.dtype, run: Any, bits_equal: Any) -> None:
    limits = torch.iinfo(dtype)
    a = torch.tensor([limits.max, limits.min, limits.max, 0], dtype=dtype)
    b = torch.tensor([limits.max, limits.min, 1, limits.min], dtype=dtype)
    for name in ("+", "-", "*"):
        assert bits_equal(run(name, [a, b]), PAIRS[name][1](a, b))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [*PAIRS, "minus"])
def test_gradients_equal_those_of_pytorch(name: str, dtype: torch.dtype, run: Any, bits_equal: Any) -> None:
    count = 1 if name == "minus" else 2
    ours = [make(shape, dtype).requires_grad_() for shape in ((4, 3), (3,))][:count]
    theirs = [x.detach().clone().requires_grad_() for x in ours]
    expected = -theirs[0] if name == "minus" else PAIRS[name][1](*theirs)
    result = run(name, ours)
    flow = make((4, 3), dtype)
    result.backward(flow)
    expected.backward(flow)
    assert all(bits_equal(a.grad, b.grad) for a, b in zip(ours, theirs, strict=True))
    assert all(a.grad is not None for a in ours)


@pytest.mark.parametrize("name", OPERATORS)
def test_gradients_beside_a_number_equal_those_of_pytorch(name: str, run: Any, bits_equal: Any) -> None:
    for dtype in FLOATS:
        ours = make((4, 3), dtype).requires_grad_()
        theirs = ours.detach().clone().requires_grad_()
        run(f"{name}: -1.1", [ours]).backward(make((4, 3), dtype))
        OPERATORS[name][1](theirs, -1.1).backward(make((4, 3), dtype))
        assert ours.grad is not None
        assert bits_equal(ours.grad, theirs.grad), dtype
