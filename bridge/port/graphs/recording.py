"""The recording of one run: the first call of each module of the model's own classes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from bridge.port.graphs.record import Record
from bridge.port.graphs.sizes import plain, tracked
from bridge.port.observe.custom_gradients import custom_kinds
from bridge.port.observe.state import keep_state

#: Functions that return values of a tensor to Python: a forward that depends on these values may run other statements for another input.
_TELLING: Final = frozenset({"item", "tolist", "__bool__", "__int__", "__float__", "__index__", "equal", "allclose"})


class _Recording(TorchFunctionMode):
    def __init__(self, stack: list[Record | None]) -> None:
        super().__init__()
        self._stack = stack

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = dict(kwargs or {})
        result = func(*plain(args), **plain(given))
        record = self._stack[-1]
        if record is None or record.failed:
            return result
        name = str(getattr(func, "__name__", ""))
        if (name == "__get__" and func.__self__.__name__ == "shape") or name in ("size", "numel"):
            return _sizes(record, args[0], name, result, *args[1:], **given)
        if _has_tensor(result) or name == "__setitem__":
            record.guarded(lambda: record.ran(func, args, given, result))
        elif name == "__len__":
            record.escape(_outside_torch(sys._getframe(1)))
        elif name in _TELLING:
            record.failed = f"what it does depends on the values of a tensor ({name})"
        return result


def _sizes(record: Record, tensor: torch.Tensor, name: str, result: Any, dim: Any = 0) -> Any:
    found: list[Any] = []

    def write() -> None:
        for place, size in enumerate(tensor.shape):
            shape = record.note(ast.Attribute(record.expression(tensor), "shape", ast.Load()), tensor.shape)
            node = ast.Subscript(shape, ast.Constant(place), ast.Load())
            found.append(tracked(size, record, record.note(node, size)))

    record.guarded(write)
    if record.failed:
        return result
    if name == "numel":
        whole: Any = 1
        for size in found:
            whole = whole * size
        return whole
    return torch.Size(found) if isinstance(result, torch.Size) else found[int(dim)]


def _outside_torch(frame: FrameType) -> FrameType:
    """Return the innermost frame of a function that is not PyTorch's."""
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "torch":
        frame = frame.f_back
    return frame


def _has_tensor(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_has_tensor, value))
    return isinstance(value, torch.Tensor)


def record(model: nn.Module, arguments: Mapping[str, Any], own: Callable[[type], bool]) -> dict[nn.Module, Record]:
    """Run the model once in eval mode, and return the first call of each module of the model's own classes, as statements."""
    found: dict[nn.Module, Record] = {}
    with torch.no_grad(), torch.random.fork_rng(devices=()), keep_state(model):
        given = {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in arguments.items()}
        model.eval()
        stack: list[Record | None] = [None]
        with _calls(stack, found, set(model.modules()), own), _custom_functions(stack), _Recording(stack):
            model(**given)
    return found


@contextmanager
def _calls(
    stack: list[Record | None], found: dict[nn.Module, Record], modules: set[nn.Module], own: Callable[[type], bool]
) -> Iterator[None]:
    original = nn.Module.__call__

    def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        outer = stack[-1]
        made = None
        if module in modules and own(type(module)) and module not in found:
            with torch._C.DisableTorchFunction():
                made = found[module] = Record(module, plain(args), plain(kwargs))
        stack.append(made)
        try:
            result = original(module, *plain(args), **plain(kwargs))
        finally:
            stack.pop()
        if made is not None:
            made.guarded(lambda: made.finish(result))
        if outer is not None and not outer.failed:
            outer.guarded(lambda: outer.called(module, args, kwargs, result))
        return result

    nn.Module.__call__ = call  # type: ignore[method-assign]  # for as long as one run is recorded
    try:
        yield
    finally:
        nn.Module.__call__ = original  # type: ignore[method-assign]  # as it was


@contextmanager
def _custom_functions(stack: list[Record | None]) -> Iterator[None]:
    """Let a call of a custom ``torch.autograd.Function`` fail the record: its operators have other gradients."""
    originals = {kind: vars(kind)["forward"] for kind in custom_kinds() if "forward" in vars(kind)}

    def noting(kind: type, forward: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            record = stack[-1]
            if record is not None and not record.failed:
                record.failed = f"the gradients of {kind.__name__}, which its backward computes"
            return forward(*args, **kwargs)

        return staticmethod(run)

    for kind, forward in originals.items():
        kind.forward = noting(kind, getattr(forward, "__func__", forward))
    try:
        yield
    finally:
        for kind, forward in originals.items():
            kind.forward = forward
