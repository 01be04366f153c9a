"""The functions of PyTorch that run in place of TorchSharp's native ones."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.torchsharp.in_process.operators import run


def fails(*_: Any) -> None:
    raise RuntimeError("of Python")


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("matmul", (torch.ones(2, 3), torch.ones(2, 3)), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        ("cummax", (torch.ones(2), 7), "Dimension out of range (expected to be in range of [-1, 0], but got 7)"),
        ("cummin", (torch.ones(2), 7), "Dimension out of range (expected to be in range of [-1, 0], but got 7)"),
        (
            "backward",
            ([torch.ones(1)], [], False, False, []),
            "element 0 of tensors does not require grad and does not have a grad_fn",
        ),
        (
            "grad",
            ([torch.ones(2, requires_grad=True)], [torch.ones(1)], [], False, False, False),
            "grad can be implicitly created only for scalar outputs",
        ),
        ("set_num_threads", (0,), "set_num_threads expects a positive integer"),
    ],
)
def test_an_error_of_pytorch_is_returned_as_text(name: str, arguments: tuple[Any, ...], text: str) -> None:
    assert run(name, arguments) == text


def test_an_error_of_a_hook_is_raised() -> None:
    x = torch.ones(1, requires_grad=True)
    x.register_hook(fails)
    with pytest.raises(RuntimeError, match="of Python"):
        run("backward", ([x * 2], [], False, False, []))
    with pytest.raises(RuntimeError, match="of Python"):
        run("grad", ([x * 2], [x], [], False, False, False))


def test_functions_give_what_pytorch_gives() -> None:
    x, unused = torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)
    gradients = run("grad", ([x * 3], [x, unused], [torch.ones(2)], False, False, True))
    assert torch.equal(gradients[0], torch.full((2,), 3.0))
    assert gradients[1] is None
    assert run("backward", ([(x * 3).sum()], [], False, False, [])) is None
    assert x.grad is not None
    assert torch.equal(x.grad, gradients[0])
    assert all(isinstance(found, torch.Tensor) for found in run("cummax", (torch.ones(2), 0)))
