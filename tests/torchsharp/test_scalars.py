"""Tensors/Scalar.cs: numbers beside tensors promote as Python's numbers do, and sums equal PyTorch's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge import DotNetError

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
COMPLEX = (torch.complex64, torch.complex128)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
DTYPES = (*FLOATS, *COMPLEX, *INTEGERS, torch.bool)
SHAPES = ((), (7,), (2, 3), (0,))

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


@pytest.fixture(scope="session")
def run(expressions: Callable[..., Any]) -> Any:
    rows = {
        f"{name}: {number}": code.replace("N", f"({number})")
        for name, (code, _) in (OPERATORS | COMPARISONS).items()
        for number in NUMBERS
    }
    rows |= {name: code for name, (code, _) in PAIRS.items()}
    return expressions(rows | {"minus": UNARY_MINUS})


def make(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(shape))
    if dtype in (*INTEGERS, torch.bool):
        low, high = (0, 2) if dtype == torch.bool else (0, 10) if dtype == torch.uint8 else (-9, 10)
        return torch.randint(low, high, shape, generator=generator).to(dtype)
    wide = torch.complex128 if dtype in COMPLEX else torch.float64
    return torch.randn(shape, generator=generator, dtype=wide).to(dtype)


def outcome(function: Callable[[], torch.Tensor]) -> torch.Tensor | str:
    """The result, or what PyTorch refuses it with."""
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
                    assert "bool" in expected or "not implemented" in expected, where
                    with pytest.raises(DotNetError):
                        run(f"{name}: {number}", [x])
                    continue
                result = run(f"{name}: {number}", [x])
                proved += 1
                if result.dtype != expected.dtype:
                    problems.append(f"{where}: {result.dtype}, not {expected.dtype}")
                elif not close(result, expected, bits_equal):
                    problems.append(f"{where}: {result}, not {expected}")
    assert not problems, "\n".join(problems)
    assert proved > 300


def close(result: torch.Tensor, expected: torch.Tensor, bits_equal: Any) -> bool:
    """Bit-equal; where the tensor has no dimension or is complex a number is rounded to its type first (stable-abi 3.3)."""
    if bits_equal(result, expected):
        return True
    inexact = expected.is_floating_point() or expected.is_complex()
    rounded = inexact and (expected.dim() == 0 or expected.is_complex())
    return rounded and torch.allclose(result, expected, rtol=torch.finfo(expected.dtype).eps * 2, equal_nan=True)


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
                    with pytest.raises(DotNetError, match="bool|ComplexHalf"):
                        run(name, [a, b])
                    continue
                result = run(name, [a, b])
                proved += 1
                if not bits_equal(result, expected):
                    problems.append(f"{where}: {result} {result.stride()}, not {expected} {expected.stride()}")
    assert not problems, "\n".join(problems[:40])
    assert proved > 500


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
