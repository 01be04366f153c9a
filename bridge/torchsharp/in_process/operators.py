"""Functions of PyTorch that run in place of TorchSharp's native ones, which would end the process instead of reporting an error."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch


def _backward(
    tensors: list[Any], gradients: list[Any], retain_graph: bool, create_graph: bool, inputs: list[Any]
) -> None:
    torch.autograd.backward(tensors, gradients or None, retain_graph, create_graph, inputs=inputs or None)


def _grad(outputs: list[Any], inputs: list[Any], gradients: list[Any], retain: bool, create: bool, unused: bool) -> Any:
    return torch.autograd.grad(outputs, inputs, gradients or None, retain, create, allow_unused=unused)


def _matmul(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return torch.matmul(left, right)


def _cummax(tensor: torch.Tensor, dimension: int) -> Any:
    return tuple(torch.cummax(tensor, dimension))


def _cummin(tensor: torch.Tensor, dimension: int) -> Any:
    return tuple(torch.cummin(tensor, dimension))


def _set_num_threads(number: int) -> None:
    torch.set_num_threads(number)


def _set_num_interop_threads(number: int) -> None:
    torch.set_num_interop_threads(number)


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "backward": _backward,
    "grad": _grad,
    "matmul": _matmul,
    "cummax": _cummax,
    "cummin": _cummin,
    "set_num_threads": _set_num_threads,
    "set_num_interop_threads": _set_num_interop_threads,
}
_OWN_FILES: Final = (__file__, str(Path(torch.__file__).parent / "autograd"))


def run(name: str, arguments: tuple[Any, ...]) -> Any:
    """Run the function of this name. Return its result, or the text of a RuntimeError or IndexError of PyTorch itself. Called by .NET.

    Other errors are raised: errors of other classes, including subclasses of these two, and errors of Python code that the function runs,
    such as hooks.
    """
    try:
        return _FUNCTIONS[name](*arguments)
    except (RuntimeError, IndexError) as error:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        if type(error) not in (RuntimeError, IndexError) or not frame.f_code.co_filename.startswith(_OWN_FILES):
            raise
        return str(error)


def fail(rethrow: Callable[[int], Any], number: int) -> int:
    """Make the first of the next nodes raise a C# exception if it runs. Return the number of gradients that the running node must return.

    Called by .NET in the node of a C# autograd function. If the function itself threw the exception, the process would end. If this
    backward pass does not run the next node, the exception is lost.
    """
    task = torch._C._current_graph_task_id()
    nodes = [node for node, _ in torch._C._current_autograd_node().next_functions]

    def raise_exception(_: Any) -> None:
        handle.remove()
        if torch._C._current_graph_task_id() == task:
            rethrow(number)

    for node in nodes:
        if node is not None:
            handle = node.register_prehook(raise_exception)
            break
    return len(nodes)
