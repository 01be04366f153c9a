"""Python's access to .NET objects of a model's own classes: options, inputs, results, records, structs and delegates."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

import torch
from torch.fx import Proxy

from bridge.clr import DotNetRuntime
from bridge.clr.call import boundary
from bridge.clr.errors import DotNetError
from bridge.mirror.crossing.conversion import to_number

#: The C# types of values that :func:`repr` shows.
_SHOWN = frozenset(
    {"bool", "byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "decimal", "string"}
)


@dataclass(frozen=True, slots=True)
class ObjectAccess:
    """The functions that read and call the .NET objects of one runtime, by the objects' handles.

    Attributes:
        describe: Returns the description of the object's type (``ObjectMembers.Describe`` in C#).
        get: Returns the value of a field or property.
        set: Sets a field or property.
        call: Calls a method, or the object if the name is empty, with a tuple and a dictionary of arguments.
        items: Returns the items of a collection.
        text: Returns the result of ``ToString``.
        equal: Returns whether two objects are equal.
        hash: Returns the result of ``GetHashCode``.
        release: Frees a handle.
        in_this_process: Whether C# in this process can take the objects as arguments.
    """

    describe: Callable[[int], str]
    get: Callable[[int, str], Any]
    set: Callable[[int, str, Any], Any]
    call: Callable[[int, str, tuple[Any, ...], dict[str, Any]], Any]
    items: Callable[[int], Any]
    text: Callable[[int], str]
    equal: Callable[[int, int], bool]
    hash: Callable[[int], int]
    release: Callable[[int], Any]
    in_this_process: bool = True


class DotNetObject:
    """A .NET object that Python holds: made by :func:`bridge.new`, returned by a model, or a C# module itself (``model.dotnet``).

    Its public and internal fields and properties are attributes, and its methods can be called; names may be written as in C# or as in
    Python (``VocabSize`` or ``vocab_size``). A delegate can be called, and a collection can be iterated. A C# method to
    which this object is passed gets the .NET object.
    """

    __slots__ = ("__weakref__", "_access", "_handle", "_type_name")

    def __init__(self, access: ObjectAccess, handle: int, type_name: str) -> None:
        object.__setattr__(self, "_access", access)
        object.__setattr__(self, "_handle", handle)
        object.__setattr__(self, "_type_name", type_name)
        weakref.finalize(self, access.release, handle).atexit = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        kind = self._describe()
        if (value := _resolve(kind.values, name)) is not None:
            return self._access.get(self._handle, value)
        if (method := _resolve(kind.methods, name)) is not None:
            return _method(self, method, kind.methods[method])
        raise AttributeError(f"{self._type_name} has no '{name}'. It has: {', '.join(dir(self)) or 'no members'}")

    def __setattr__(self, name: str, value: Any) -> None:
        kind = self._describe()
        found = _resolve(kind.values, name)
        if found is None:
            raise AttributeError(f"{self._type_name} has no field or property '{name}' to set")
        if not kind.values[found][1]:
            raise AttributeError(f"C# declares '{found}' of {self._type_name} as read-only")
        self._access.set(self._handle, found, value)

    def __dir__(self) -> list[str]:
        kind = self._describe()
        return sorted({*kind.values, *(name for name in kind.methods if not name.endswith("_Item"))})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self._describe().is_callable:
            raise TypeError(f"{self._type_name} is no delegate: call one of its methods")
        return self._access.call(self._handle, "", args, kwargs)

    def __iter__(self) -> Iterator[Any]:
        if not self._describe().is_iterable:
            raise TypeError(f"{self._type_name} is no collection")
        return iter(self._access.items(self._handle))

    def __len__(self) -> int:
        if not self._describe().is_iterable:
            raise TypeError(f"{self._type_name} is no collection")
        return len(self._access.items(self._handle))

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: Any) -> Any:
        return self._access.call(self._handle, "get_Item", (key,), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        self._access.call(self._handle, "set_Item", (key, value), {})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DotNetObject) or other._access is not self._access:
            return NotImplemented
        return bool(self._access.equal(self._handle, other._handle))

    def __hash__(self) -> int:
        return int(self._access.hash(self._handle))

    def __str__(self) -> str:
        return str(self._access.text(self._handle))

    def __repr__(self) -> str:
        shown = []
        for name, (type_name, _) in self._describe().values.items():
            if type_name.removesuffix("?") in _SHOWN:
                try:
                    shown.append(f"{name}={self._access.get(self._handle, name)!r}")
                except DotNetError:  # code of a property threw: its value cannot be shown
                    shown.append(f"{name}=…")
        return f"<{self._type_name}{': ' if shown else ''}{', '.join(shown)}>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"a .NET object ({self._type_name}) cannot be copied or pickled")

    def _describe(self) -> _Kind:
        return _parse(self._access.describe(self._handle))


@dataclass(frozen=True, slots=True)
class _Kind:
    """The members of a .NET type.

    Attributes:
        values: The C# type of each field and property, and whether the field or property can be set.
        methods: The signatures of the overloads of each method.
        data: The names of the fields and properties that a trace records.
        is_callable: Whether the type is a delegate.
        is_iterable: Whether the type is a collection.
    """

    values: dict[str, tuple[str, bool]]
    methods: dict[str, tuple[str, ...]]
    data: tuple[str, ...]
    is_callable: bool
    is_iterable: bool


def data_of(value: DotNetObject) -> dict[str, Any]:
    """Return the values that a trace records of an object, by name: those of its public fields and auto-properties."""
    return {name: value._access.get(value._handle, name) for name in value._describe().data}


@cache
def _parse(description: str) -> _Kind:
    read = json.loads(description)
    return _Kind(
        {name: (type_name, writable) for name, type_name, writable in read["values"]},
        {name: tuple(signatures) for name, signatures in read["methods"].items()},
        tuple(read["data"]),
        read["callable"],
        read["iterable"],
    )


def _resolve(names: Collection[str], given: str) -> str | None:
    """Return ``given`` if it is in ``names``, else the name that differs only in case and underscores.

    Returns None if there is no such name, or several.
    """
    if given in names:
        return given
    near = [name for name in names if _fold(name) == _fold(given)]
    return near[0] if len(near) == 1 else None


def _fold(name: str) -> str:
    return name.replace("_", "").casefold()


def _method(target: DotNetObject, name: str, signatures: tuple[str, ...]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return target._access.call(target._handle, name, args, kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = "\n".join(signatures)
    return call


@cache
def access(runtime: DotNetRuntime) -> ObjectAccess:
    """Return the access to objects of models that run on Bridge.Torch."""
    exports = runtime.exports
    # The lambdas look up the functions at each call, since a forked child replaces them.
    return ObjectAccess(
        describe=lambda handle: exports.describe_object(handle),
        get=lambda handle, name: exports.get_from_object(handle, name),
        set=lambda handle, name, value: exports.set_on_object(handle, name, value),
        call=lambda handle, name, args, kwargs: exports.call_object(handle, name, args, kwargs),
        items=lambda handle: exports.items_of_object(handle),
        text=lambda handle: exports.text_of_object(handle),
        equal=lambda first, second: exports.equal_objects(first, second),
        hash=lambda handle: exports.hash_of_object(handle),
        release=lambda handle: exports.release_object(handle),
    )


def wrap(runtime: DotNetRuntime, find_mirror: Callable[[int], Any], handle: int, type_name: str, module: int) -> Any:
    """Return the mirror of a .NET object, or a :class:`DotNetObject` if the object has no mirror. Called by .NET."""
    held = DotNetObject(access(runtime), handle, type_name)
    mirror = find_mirror(module) if module else None
    return held if mirror is None else mirror


def to_plain(runtime: DotNetRuntime, module_id: Callable[[torch.nn.Module], int | None], item: object) -> Any:
    """Convert an object that .NET cannot read itself; return None if it cannot be passed. Called by .NET.

    The scalars of :func:`to_scalar` become numbers and text. Any other object that can be passed becomes a tuple: the handle of a .NET
    object, and a Python object that keeps the handle valid. The .NET object is the object that a :class:`DotNetObject` holds, the C# module
    of a ``torch.nn.Module``, or, for any other callable except classes, tensors and proxies of ``torch.fx``, a new object that calls it.
    """
    scalar = to_scalar(item)
    if scalar is not None:
        return scalar
    if isinstance(item, DotNetObject):
        return (item._handle, item) if item._access.in_this_process else None
    module = module_id(item) if isinstance(item, torch.nn.Module) else None
    if module is not None:
        held = module_object(runtime, module, type(item).__name__)
    elif callable(item) and not isinstance(item, (type, Proxy, torch.Tensor)):
        held = DotNetObject(access(runtime), runtime.exports.hold_function(item), "a Python function")
    else:
        return None
    return held._handle, held


def to_scalar(item: object) -> bool | int | float | str | None:
    """Return the name of a device, libtorch's number of a dtype, or the result of :func:`to_number` for any other object."""
    if isinstance(item, torch.device):
        return str(item)
    return _dtypes().get(item) if isinstance(item, torch.dtype) else to_number(item)


@cache
def _dtypes() -> dict[torch.dtype, int]:
    return {getattr(torch, name): code for code, name in boundary.dtypes().items() if hasattr(torch, name)}


def module_object(runtime: DotNetRuntime, module: int, type_name: str) -> DotNetObject:
    """Return the .NET object of a module."""
    return DotNetObject(access(runtime), runtime.exports.hold_module(module), type_name)


def hold(runtime: DotNetRuntime, value: Any) -> DotNetObject:
    """Return the .NET object for any value that can be passed to C#, such as a tensor.

    Raises the exceptions of :func:`.conversion.raise_unconvertible` for other values.
    """
    return DotNetObject(access(runtime), runtime.exports.hold_value(value), type(value).__name__)
