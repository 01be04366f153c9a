"""The memory of a call of a PyTorch model: the tensors that its code sees, which live until their last reference goes."""

from __future__ import annotations

import linecache
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from torch.nn.modules import module as modules
from torch.overrides import TorchFunctionMode

from bridge.compare.memory.usage import Kept, ModuleMemory
from bridge.runtimes.recording import leaves

_LIBRARIES: Final = (f"{Path(torch.__file__).parent}", f"{Path(__file__).parents[2]}", "<")


def measure(model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[ModuleMemory]:
    """Call the model without gradients, and return the memory of each call of a module, in the order in which they begin."""
    log = _Log(model, (*args, *kwargs.values()))
    handles = [
        modules.register_module_forward_pre_hook(log.begin),
        modules.register_module_forward_hook(log.end, always_call=True),
    ]
    try:
        with torch.no_grad(), log:
            model(*args, **kwargs)
    finally:
        for handle in handles:
            handle.remove()
    return [
        ModuleMemory(
            call.path,
            call.live,
            call.peak,
            # What lives now, after the call, is held by the model.
            tuple(Kept(entry.description, size, *entry.source) for entry, size in call.kept if entry.tensor() is None),
            call.ended,
        )
        for call in log.calls
    ]


@dataclass(eq=False, slots=True)
class _Call:
    path: str
    parent: _Call | None
    before: int
    live: int = 0
    peak: int = 0
    ended: int = 0
    kept: list[tuple[_Entry, int]] = field(default_factory=list)

    def is_within(self, other: _Call) -> bool:
        call: _Call | None = self
        while call is not None and call is not other:
            call = call.parent
        return call is other


@dataclass(eq=False, slots=True)
class _Entry:
    tensor: weakref.ref[torch.Tensor]
    creator: _Call
    address: int
    size: int
    description: str
    source: tuple[str, str]
    is_kept: bool = False


class _Log(TorchFunctionMode):
    """The tensors that functions of PyTorch return to Python code, while the model is called."""

    def __init__(self, model: torch.nn.Module, given: Iterable[Any]) -> None:
        super().__init__()
        self.calls: list[_Call] = []
        self._innermost: _Call | None = None
        self._paths = {module: path for path, module in model.named_modules()}
        self._entries: dict[int, _Entry] = {}
        self._memory: dict[int, int] = {}
        self._bytes = 0
        self._ended = 0
        tensors = [*model.parameters(), *model.buffers(), *_tensors(given)]
        self._given = {address for address, _ in map(_storage, tensors) if address}

    def begin(self, module: torch.nn.Module, _: Any) -> None:
        call = _Call(self._paths.get(module, f"?{type(module).__name__}"), self._innermost, self._bytes)
        self.calls.append(call)
        self._innermost = call

    def end(self, _: torch.nn.Module, __: Any, result: Any) -> None:
        call = self._innermost
        assert call is not None
        self._innermost = call.parent
        call.ended = self._ended = self._ended + 1
        returned = {id(tensor) for tensor in _tensors(result)}
        with torch._C.DisableTorchFunction():
            counted = {_storage(tensor)[0] for tensor in _tensors(result)} | self._given
        for key, entry in self._entries.items():
            if not entry.creator.is_within(call):
                continue
            call.live += 1
            if key not in returned and not entry.is_kept:
                entry.is_kept = True
                call.kept.append((entry, 0 if entry.address in counted else entry.size))
                counted.add(entry.address)

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call the function, and note the tensors that it creates."""
        result = func(*args, **(kwargs or {}))
        if self._innermost is not None:
            known = {id(tensor) for tensor in _tensors((args, kwargs or {}))}
            for tensor in _tensors(result):
                if id(tensor) not in known and id(tensor) not in self._entries:
                    self._add(tensor, self._innermost)
        return result

    def _add(self, tensor: torch.Tensor, creator: _Call) -> None:
        address, size = _storage(tensor)
        text = f"{str(tensor.dtype)[6:]} {list(tensor.shape)}"
        self._entries[id(tensor)] = entry = _Entry(weakref.ref(tensor), creator, address, size, text, _location())
        weakref.finalize(tensor, self._drop, id(tensor), entry).atexit = False
        if address and address not in self._given:
            if not self._memory.get(address):
                self._bytes += size
            self._memory[address] = self._memory.get(address, 0) + 1
        call: _Call | None = creator
        while call is not None:
            call.peak = max(call.peak, self._bytes - call.before)
            call = call.parent

    def _drop(self, key: int, entry: _Entry) -> None:
        if self._entries.get(key) is entry:
            del self._entries[key]
        if (count := self._memory.get(entry.address, 0)) > 1:
            self._memory[entry.address] = count - 1
        elif count:
            del self._memory[entry.address]
            self._bytes -= entry.size


def _tensors(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in leaves(list(value) if isinstance(value, set) else value) if isinstance(leaf, torch.Tensor)]


def _storage(tensor: torch.Tensor) -> tuple[int, int]:
    """Return the address and the size of a tensor's memory; zeros where it has none of its own."""
    if tensor.layout is not torch.strided or tensor.device.type == "meta":
        return 0, 0
    storage = tensor.untyped_storage()
    return storage.data_ptr(), storage.nbytes()


def _location() -> tuple[str, str]:
    """Return file and line of the innermost frame of the user's code, and the text of the line."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame = frame.f_back
    if frame is None:
        return "", ""
    file, number = frame.f_code.co_filename, frame.f_lineno
    return f"{Path(file).name}:{number}", linecache.getline(file, number).strip()
