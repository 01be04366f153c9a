"""Objects, addresses and offsets of CPython and torch that .NET needs."""

from __future__ import annotations

import ctypes
import operator
import sys
from collections import OrderedDict
from collections.abc import Callable
from functools import cache, reduce
from typing import Any, Final

import torch
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.utils._python_dispatch import _disable_current_modes

from bridge.clr.call import boundary
from bridge.clr.errors import StartError
from bridge.clr.start import libraries

# libtorch's functions that tell whether a mode or trace is active. Their names are those in ``boundary.json``.
_MODE_FUNCTIONS: Final = ("any_modes", "function_mode", "trace_state")


def objects() -> dict[str, object]:
    """Return the objects of Python and torch that .NET needs, by the names under ``imports`` in ``boundary.json``."""
    return {
        "Exception": Exception,
        "SystemError": SystemError,
        "Tensor": torch.Tensor,
        "None": None,
        "True": True,
        "False": False,
        "Float": float,
        "OrderedDict": OrderedDict,
        "Parameter": torch.nn.Parameter,
        "not_implemented": NotImplemented,
        "function_modes": torch._C._len_torch_function_stack,
        "dispatch_modes": torch._C._len_torch_dispatch_stack,
        "tracing_state": torch._C._get_tracing_state,
    }


def numbers() -> dict[str, int]:
    """Return the addresses of functions, offsets of fields and other numbers that .NET needs, by their names in ``boundary.json``.

    CPython functions that are newer than this Python are left out. Raises StartError if the object layout of Python or torch is unknown.
    """
    found = {
        entry["name"]: ctypes.cast(getattr(ctypes.pythonapi, entry["name"]), ctypes.c_void_p).value or 0
        for entry in boundary.manifest()["imports"]["functions"]
        if sys.version_info >= tuple(map(int, entry.get("since", "3").split(".")))
    }
    return found | {
        "impl_offset": impl_offset(),
        "count_offset": count_offset(),
        "type_offset": type_offset(),
        "class_version_offset": class_version_offset(),
        "version_offset": version_offset(),
        "attributes_offset": attributes_offset(),
        "order_offset": order_offset(),
        "watcher_number": -1,  # set later by ``bridge.mirror.synchronization.dirty_tracking`` from Python 3.14 on
        "call_slot": call_slot()[1],
        "wrapped_offset": wrapped_number()[0],
        "wrapped_mask": wrapped_number()[1],
        **mode_function_addresses(),
    }


def mode_function_addresses() -> dict[str, int]:
    """Return the addresses of libtorch's functions that tell whether modes or a trace are active on a thread.

    The address is 0 if the library is not found or does not export the function. C# then calls PyTorch's Python function, which takes ten
    times as long.
    """
    functions = {name: libraries.function(name) for name in _MODE_FUNCTIONS}
    return {name: ctypes.cast(function, ctypes.c_void_p).value or 0 for name, function in functions.items()}


def type_offset() -> int:
    """Return the byte offset, in an object, of the pointer to its type. Raises StartError if the offset cannot be found."""
    probes: tuple[object, ...] = (object(), 1, "", [], torch.Tensor)
    for offset in range(0, object.__basicsize__, 8):
        if all(ctypes.c_int64.from_address(id(probe) + offset).value == id(type(probe)) for probe in probes):
            return offset
    raise StartError(f"Python {sys.version.split()[0]} has an unknown object layout and is not supported.")


def impl_offset() -> int:
    """Return the byte offset, in Python's tensor object, of the TensorImpl pointer, which is the value of ``_cdata``.

    .NET reads the pointer at each use, since ``torch.utils.swap_tensors`` changes it. Raises StartError if the offset cannot be found.
    """
    probes = [torch.empty(0), torch.nn.Parameter(torch.empty(2)), torch.empty(1, dtype=torch.int64)]
    for offset in range(object.__basicsize__, torch.Tensor.__basicsize__, 8):
        if all(ctypes.c_int64.from_address(id(probe) + offset).value == probe._cdata for probe in probes):
            return offset
    raise StartError(f"torch {torch.__version__} has an unknown tensor layout and is not supported.")


@cache
def wrapped_number() -> tuple[int, int]:
    """Return the byte offset in a TensorImpl, and the mask in that byte, of the wrapped-number flag; (0, 0) if the flag cannot be found.

    PyTorch sets the flag on the tensor that it makes of the 2 in ``x * 2``. The result then has the dtype of ``x``, and
    ``saved_tensors_hooks`` do not see the 2. If the flag cannot be found, these hooks see the numbers that C# passes to operators. Such a
    number is then also rounded to the other operand's dtype if that operand is floating-point and has no dimensions.
    """
    # Modes are disabled, since the first model may be loaded in any mode.
    with (
        temporarily_clear_interpreter_stack(), _disable_current_modes(), torch._C.DisableTorchFunction(),
        torch.inference_mode(False), torch.enable_grad(),
    ):  # fmt: skip
        return _wrapped_number()


def _wrapped_number() -> tuple[int, int]:
    weight = torch.ones(1, requires_grad=True)
    # So many products that no other bit, such as a bit of a pointer, is by chance set in all wrapped numbers and in no other tensor.
    products = [weight * number for number in (True, 0.5, *range(30))]
    numbers = [getattr(product.grad_fn, "_saved_other", None) for product in products]
    if not all(isinstance(number, torch.Tensor) for number in numbers):
        return 0, 0
    scalars = [torch.zeros((), dtype=dtype) for dtype in (torch.bool, torch.int64, torch.float64)]
    tensors = [*products, weight, *scalars, torch.ones(3, 4).t(), torch.empty(2, device="meta")]
    size = 192  # bytes; a TensorImpl is larger

    def read(tensor: Any) -> int:
        return int.from_bytes((ctypes.c_ubyte * size).from_address(tensor._cdata), "little")

    bits = reduce(operator.and_, map(read, numbers)) & ~reduce(operator.or_, map(read, tensors))
    if bits.bit_count() != 1:
        return 0, 0
    position = bits.bit_length() - 1
    return position // 8, 1 << position % 8


@cache
def count_offset() -> int:
    """Return the byte offset, in a dict or OrderedDict, of the number of entries.

    .NET reads the number in the hook dictionaries, to see whether a module has hooks. Raises StartError if the layout is unknown.
    """
    for kind in (dict, OrderedDict):
        probe: dict[int, int] = kind()
        word = ctypes.c_int64.from_address(id(probe) + object.__basicsize__)
        seen = [word.value]
        for key in range(3):
            probe[key] = key
            seen.append(word.value)
        del probe[1]
        seen.append(word.value)
        probe.clear()
        seen.append(word.value)
        if seen != [0, 1, 2, 3, 2, 0]:
            raise StartError(f"Python {sys.version.split()[0]} has an unknown dictionary layout and is not supported.")
    return object.__basicsize__


@cache
def version_offset() -> int:
    """Return the byte offset, in a dictionary, of the version that every write changes (PEP 509); 0 from Python 3.14 on.

    Python 3.14 has no versions: a dictionary watcher reports writes instead (``bridge.mirror.synchronization.dirty_tracking``). Raises
    StartError if an older Python has an unknown layout.
    """
    if sys.version_info >= (3, 14):
        return 0

    class Probe:
        def __init__(self) -> None:
            self.a = 0

    probe = Probe()
    separate_attributes(probe)
    word = ctypes.c_uint64.from_address(id(probe.__dict__) + count_offset() + 8)
    seen = [word.value]
    writes: tuple[Callable[[], object], ...] = (
        lambda: setattr(probe, "a", 1),
        lambda: setattr(probe, "b", 1),
        lambda: object.__setattr__(probe, "a", 2),
        lambda: probe.__dict__.update(a=3),
        lambda: delattr(probe, "b"),
    )
    for write in writes:
        write()
        seen.append(word.value)
    if len(set(seen)) != len(seen):
        raise StartError(f"Python {sys.version.split()[0]} has an unknown dictionary layout and is not supported.")
    return count_offset() + 8


@cache
def class_version_offset() -> int:
    """Return the byte offset, in a class, of its 32-bit version tag; 0 if the offset cannot be found.

    A change of the class or of a base sets the tag to 0, and the next attribute lookup assigns a new one. C# compares the tag to detect a
    changed class. Without the offset, C# calls Python at each module call.
    """

    class Base:
        a = 0

    class Probe(Base):
        pass

    size: Any = type.__basicsize__  # for mypy it is a property
    words = range(object.__basicsize__, size, 4)

    def read() -> list[int]:
        return [ctypes.c_uint32.from_address(id(Probe) + offset).value for offset in words]

    def look_up() -> list[int]:
        hasattr(Probe, "a")  # gives the class a version
        return read()

    seen = [look_up(), look_up()]
    changed = []
    changes: tuple[Callable[[], object], ...] = (
        lambda: setattr(Probe, "b", 1),
        lambda: setattr(Base, "a", 1),
        lambda: delattr(Probe, "b"),
    )
    for change in changes:
        change()
        changed.append(read())
        seen.append(look_up())
    for number, offset in enumerate(words):
        versions = [state[number] for state in seen]
        if versions[0] == versions[1] and len({0, *versions}) == 5 and not any(state[number] for state in changed):
            return offset
    return 0


@cache
def call_slot() -> tuple[int, int]:
    """Return the byte offset of ``tp_call`` in a class, and the address that CPython stores there for a class with ``__call__``.

    Returns (0, 0) if the offset cannot be found. Calls of C# modules then run ``__call__`` (``bridge.mirror.crossing.call_slot``).
    """

    class Plain:
        pass

    class Called:
        def __call__(self) -> None: ...

    class Other:
        def __call__(self) -> int:
            return 1

    def read(kind: type, offset: int) -> int:
        return ctypes.c_int64.from_address(id(kind) + offset).value

    size: Any = type.__basicsize__  # for mypy it is a property
    known = {offset: read(Called, offset) for offset in range(object.__basicsize__, size, 8)}
    found = [at for at, function in known.items() if read(Plain, at) == 0 != function == read(Other, at)]
    call = Called.__call__
    del Called.__call__
    found = [at for at in found if read(Called, at) == 0]
    Called.__call__ = call  # type: ignore[method-assign]  # CPython must then restore the slot too
    found = [at for at in found if read(Called, at) == known[at]]
    return (found[0], known[found[0]]) if len(found) == 1 else (0, 0)


@cache
def attributes_offset() -> int:
    """Return the byte offset, in a module, of the pointer to its ``__dict__``: negative, since the pointer precedes the object.

    .NET reads the pointer to detect that the dictionary was replaced. Raises StartError if the offset cannot be found.
    """
    # Modules without parameters, so that the user's registration hooks do not run.
    probes = [torch.nn.Module(), torch.nn.Identity(), torch.nn.ReLU()]
    for offset in range(-32, 0, 8):
        words = [ctypes.c_int64.from_address(id(probe) + offset) for probe in probes]
        for _ in range(2):
            for probe in probes:
                probe.__dict__ = dict(probe.__dict__)
            if any(word.value != id(probe.__dict__) for word, probe in zip(words, probes, strict=True)):
                break
        else:
            return offset
    raise StartError(f"Python {sys.version.split()[0]} has an unknown object layout and is not supported.")


@cache
def order_offset() -> int:
    """Return the byte offset, in an OrderedDict, of the counter that each change of the order increments.

    .NET needs the counter, since ``move_to_end`` changes neither the number of entries nor the version. Raises StartError if the counter
    cannot be found.
    """
    probe = OrderedDict(a=1, b=2, c=3)
    words = range(dict.__basicsize__, OrderedDict.__basicsize__, 8)
    seen = []
    for key in ("a", "b", "a"):
        seen.append([ctypes.c_int64.from_address(id(probe) + offset).value for offset in words])
        probe.move_to_end(key)
    for offset, found in zip(words, zip(*seen, strict=True), strict=True):
        # The small numbers distinguish the counter from addresses.
        if 0 < found[0] < found[1] < found[2] < 100:
            return offset
    raise StartError(f"Python {sys.version.split()[0]} has an unknown dictionary layout and is not supported.")


def separate_attributes(item: object) -> None:
    """Store an object's attributes in a separate ``__dict__``.

    From Python 3.13 on, attributes may be stored inline in the object. Writes to inline attributes neither change the dictionary's version
    nor call watchers.
    """
    if sys.version_info >= (3, 13):
        item.__dict__ = dict(item.__dict__)
