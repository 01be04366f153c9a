"""Members of TorchSharp, a line each: compiled against TorchSharp's signatures, run by the facade, against PyTorch.

``surface/*.tsv``: a C# expression and, after a tab, the same in PyTorch; nothing there means ``torch.`` and the C# expression. Each
sees the tensors of ``_inputs``. All of them are one assembly and run in one process.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest
import torch
import torch.nn.functional as F
from operator_rows import surface

import bridge

_SOURCE = Path(__file__).with_name("surface") / "Surface.cs"
CASES = surface.cases()


def _inputs() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)

    def drawn(*shape: int) -> torch.Tensor:
        return torch.rand(shape, generator=generator)

    m = drawn(3, 3)
    return {
        "x": drawn(3, 4) * 0.8 + 0.1,
        "y": drawn(3, 4) * 0.8 + 0.1,
        "a": torch.randn(2, 3, 4, generator=generator),
        "m": m @ m.T + 3 * torch.eye(3),
        "n": torch.randn(2, 3, 3, generator=generator) + 3 * torch.eye(3),
        "v": torch.tensor([0.1, 0.3, 0.5, 0.7, 0.9]),
        "w": torch.randn(5, generator=generator),
        "i": torch.tensor([2, 0, 1, 2, 1]),
        "j": torch.randint(1, 9, (3, 4), generator=generator),
        "k": torch.randint(1, 9, (3, 4), generator=generator),
        "b": drawn(3, 4) > 0.5,
        "z": torch.complex(drawn(3, 4), drawn(3, 4)),
        "h": torch.randn(2, 3, 6, 6, generator=generator),
        "u": torch.randn(1, 2, 6, 6, 6, generator=generator),
    }


NAMES = tuple(_inputs())


@pytest.fixture(scope="module")
def built(build_csharp: Callable[..., Path], reference: Path) -> Any:
    """Return the C# module with all expressions, or the compiler's errors."""
    given = ", ".join(f"Tensor {name}" for name in NAMES)
    methods = [f"    private static object C{at}({given}) => Flat({case.code});" for at, case in enumerate(CASES)]
    table = "\n".join(
        [f"    private static readonly Case[] Cases = [{', '.join(f'C{at}' for at in range(len(CASES)))}];", *methods]
    )
    call = ", ".join(f"given[{at}]" for at in range(len(NAMES)))
    text = _SOURCE.read_text(encoding="utf-8")
    text = text.replace("/*parameters*/", given).replace("/*cases*/", table).replace("/*arguments*/", call)
    try:
        assembly = build_csharp({"Surface.cs": text}, "Surface", against=[reference])
    except pytest.fail.Exception as failed:
        return _SaidOnce(_in_tables(str(failed), text.splitlines()))
    return bridge.load(assembly, "Surface.Expressions")


@pytest.fixture
def run(built: Any) -> Callable[[int, Sequence[torch.Tensor]], Any]:
    """Return ``run(number, inputs)``, which runs the C# expression of that case."""
    if isinstance(built, _SaidOnce):
        built.end()
    return lambda number, inputs: built(number, list(inputs))


class _SaidOnce:
    """Why nothing runs: the first test of a process fails with it, the others are skipped."""

    def __init__(self, text: str) -> None:
        self.text, self.said = text, False

    def end(self) -> NoReturn:
        if self.said:
            pytest.skip("the C# of Surface does not compile")
        self.said = True
        pytest.fail(self.text, pytrace=False)


def _in_tables(text: str, source: Sequence[str]) -> str:
    """Replace lines of the generated C# by lines of the tables in the compiler's text."""

    def place(found: re.Match[str]) -> str:
        method = re.match(r" *private static object C(\d+)\(", source[int(found[1]) - 1])
        return f"{CASES[int(method[1])].place}" if method else found[0]

    return re.sub(r"Surface\.cs\((\d+),\d+\)", place, text)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.dotnet
@pytest.mark.parametrize("number", range(len(CASES)), ids=[case.code for case in CASES])
def test_a_member_equals_pytorch(number: int, run: Callable[..., Any], bits_equal: Callable[..., bool]) -> None:
    case = CASES[number]
    if case.code.startswith("cholesky(") and not hasattr(torch.ops.aten, "cholesky"):
        pytest.skip("torch 2.15 and newer have linalg.cholesky alone")
    leaves = [_leaves(), _leaves()]
    given = [[leaf.clone() for leaf in side.values()] for side in leaves]
    torch.default_generator.manual_seed(5)
    expected = _flat(eval(case.counterpart, {"torch": torch, "F": F, **dict(zip(NAMES, given[1], strict=True))}))
    torch.default_generator.manual_seed(5)
    result = run(number, given[0])
    assert len(result) == len(expected)
    for mine, other in zip(result, expected, strict=True):
        if isinstance(other, torch.Tensor):
            assert bits_equal(mine, other)
        else:
            # A text has the system's ends of lines, unless the case names them.
            own_lines = isinstance(other, str) and "\r" not in other
            assert mine == (other.replace("\n", os.linesep) if own_lines else other)
    for name, mine, other in zip(NAMES, *given, strict=True):
        assert bits_equal(mine, other), f"{name} was changed otherwise"
    if _backward(result) == _backward(expected) is True:
        for name in NAMES:
            assert bits_equal(leaves[0][name].grad, leaves[1][name].grad), f"the gradient of {name}"


def _leaves() -> dict[str, torch.Tensor]:
    return {
        name: tensor.requires_grad_(tensor.is_floating_point() or tensor.is_complex())
        for name, tensor in _inputs().items()
    }


def _flat(value: Any) -> list[Any]:
    """Return tensors and numbers in order, as Flat does in C#."""
    if isinstance(value, (tuple, list)):
        return [part for item in value for part in _flat(item)]
    return [value]


def _backward(results: Sequence[Any]) -> bool | str:
    """Run backward from all of them; return PyTorch's error, or False if no input has a gradient."""
    roots = [part for part in results if isinstance(part, torch.Tensor) and part.requires_grad]
    flows = [torch.linspace(0.5, 1.5, root.numel()).reshape(root.shape).to(root.dtype) for root in roots]
    try:
        torch.autograd.backward(roots, flows)
    except (RuntimeError, NotImplementedError) as error:
        return str(error)
    return bool(roots)
