"""The mirror: a torch.nn.Module whose ``forward`` is a .NET module's."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any, NoReturn

import torch
from torch import nn
from torch.compiler import is_dynamo_compiling
from torch.nn.modules import module as pytorchs
from torch.overrides import has_torch_function

from bridge.mirror import dirty_tracking
from bridge.mirror.copying import pickling, replicas
from bridge.mirror.crossing import conversion
from bridge.mirror.dirty_tracking import TRACKED, Tracked
from bridge.mirror.hooks import manual_forwards, torch_function_modes
from bridge.mirror.hooks.torch_function_modes import TENSOR
from bridge.mirror.link import Link, linked
from bridge.mirror.tree import builtins


class Mirror(torch.nn.Module):
    """A .NET module as a torch.nn.Module; made by :func:`bridge.load`, one class for each .NET type.

    Children, parameters and buffers have PyTorch's names. Calling it runs PyTorch's own dispatcher, so hooks fire in PyTorch's order
    (C-6), and ``forward`` crosses to .NET once; each child that .NET calls comes back here if anybody listens to it.
    """

    def __init__(self, link: Link) -> None:
        super().__init__()
        global _exports
        _exports = link.host.exports
        link.belong(self)

    @property
    def _link(self) -> Link:
        return linked(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """PyTorch's dispatcher, unless nothing listens or all hooks are C#'s: then C# makes the call, in the same order."""
        # CPython comes here with what C# does not take itself (see ``calling``). As few frames and look-ups as can be: after a backward,
        # which leaves none of their code in the caches, a frame takes half a microsecond. C# sees whether anything listens, records,
        # follows or replaces a step of a call (see ``is_ordinary``), and gives NotImplemented where PyTorch has to make the call.
        if not (kwargs or is_dynamo_compiling() or has_torch_function(args)):
            try:
                # Without a list and a tuple that Python would make of the arguments first.
                result = _exports.call(self, args[0]) if len(args) == 1 else _exports.call(self, *args)
            except TypeError as error:
                conversion.name(error, f"{type(self).__name__}.forward", self._link.arguments, args)
                raise
            except ValueError as error:
                conversion.refuse_tracing(error)
                raise
            if result is not NotImplemented:
                return result
        return super().__call__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the .NET module's ``forward``.

        Arguments are those of the C# method, by position or by its parameter names: tensors of any shape, dtype and device, numbers,
        strings, None, and tuples, lists and dicts (by strings) of them. Raises TypeError when they do not fit, DotNetError when C#
        throws, and whatever a hook raised. Ctrl-C waits: it is raised in the next Python hook that C# reaches, or when C# returns.
        """
        if manual_forwards.around and (begun := manual_forwards.begun()) is not None:
            with begun:
                return self._run(args, kwargs)
        return self._run(args, kwargs)

    @conversion.outside_graphs
    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            if torch_function_modes.needed(args, kwargs):
                with torch_function_modes.followed(self._link.host):
                    return self._cross(args, kwargs)
            return self._cross(args, kwargs)
        except ValueError as error:
            conversion.refuse_tracing(error)
            raise

    def _cross(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        link = self._link
        if kwargs:
            args = conversion.bind(link.arguments, link.path, args, kwargs)
        try:
            return link.host.exports.forward(link.id, *args)
        except TypeError as error:
            conversion.name(error, f"{type(self).__name__}.forward", link.arguments, args)
            raise

    def _slow_forward(self, *args: Any, **kwargs: Any) -> Any:
        """PyTorch's way to ``forward`` under ``torch.jit.trace``, where sizes that C# reads become constants: a TracerWarning says so."""
        with torch_function_modes.traced(self._link.host):
            return super()._slow_forward(*args, **kwargs)  # type: ignore[no-untyped-call]  # PyTorch's is untyped

    def __prepare_scriptable__(self) -> NoReturn:
        raise NotImplementedError(conversion.NO_SCRIPT)

    def _replicate_for_data_parallel(self) -> torch.nn.Module:
        return replicas.replica(self, super()._replicate_for_data_parallel())  # type: ignore[no-untyped-call]  # the same

    def __deepcopy__(self, memo: dict[int, Any]) -> torch.nn.Module:
        """A copy, with a .NET module of its own and copies of all that Python has (I-1).

        .NET copies the module's fields as :func:`copy.deepcopy` copies attributes: what they refer to is copied too, each object once,
        and no constructor runs. Shared with the original are static fields and what is .NET's own (threads, streams, locks), tensors
        without their graph are cloned. A C# ``HookRemover`` in a field of the copy removes nothing: the hook stays in both. Raises
        DotNetError when a C# module has a finalizer.
        """
        copied, originals = self._link.copied(True)
        pairs = []
        for old_link, new_link in originals:
            old, new = old_link.mirror(), new_link.mirror()
            # Without a mirror, a Python module is in its place, and is copied with what its parent holds.
            if old is not None and new is not None:
                memo[id(old)] = new
                # As copy.deepcopy does: should another thread replace it meanwhile, no other object may get its id.
                memo.setdefault(id(memo), []).append(old)
                if new is not old:
                    pairs.append((old, new, new_link))
        for old, new, link in pairs:
            # A parametrization makes the module's class its own.
            new.__class__ = type(old)
            for name, value in old.__dict__.items():
                if name in TRACKED:
                    new.__dict__[name] = Tracked({key: copy.deepcopy(item, memo) for key, item in value.items()}, link)
                else:
                    new.__dict__[name] = copy.deepcopy(value, memo)
        pickling.inherit(originals)
        dirty_tracking.advance()
        return copied

    def __copy__(self) -> torch.nn.Module:
        """Return a .NET module of its own with the same fields and attributes: parameters, children, hooks (I-2)."""
        copied, originals = self._link.copied(False)
        copied.__class__ = type(self)
        link = linked(copied)
        link.share(copied, vars(self))
        pickling.inherit(originals)
        dirty_tracking.advance()
        return copied

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """What makes it again: the assembly, checked by its digest, the constructor's arguments, and what Python has (see ``pickling``)."""
        return pickling.reduced(self)


# What .NET exports, once there is a mirror.
_exports: Any = None
# The classes of C# types have a copy of it, with the signature of the C# method.
_FORWARD = Mirror.forward.__code__


def is_ordinary(mirror: torch.nn.Module) -> bool:
    """Whether the class of a mirror is called as PyTorch calls any module, with C#'s ``forward``, and PyTorch's functions are its own.

    Tools put functions of their own in the place of these. C# asks once for each state of the classes, whose versions it reads from memory.
    """
    kind: Any = type(mirror)
    return (
        getattr(kind.forward, "__code__", None) is _FORWARD
        and _is_pytorchs(nn.Module.__call__)
        and _is_pytorchs(kind._call_impl)
        and kind._compiled_call_impl is None
        and "add" not in TENSOR
    )


def _is_pytorchs(step: Any) -> bool:
    """Whether a step of a call is PyTorch's own, which may have been replaced before this was imported."""
    code = getattr(step, "__code__", None)
    return code is not None and code.co_filename == pytorchs.__file__


class _Sliced(Mirror):
    """A C# class that derives from a collection: PyTorch makes a part of one by the class's constructor, which only C# can call."""

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, slice):
            return super().__getitem__(key)  # type: ignore[misc]  # PyTorch's class is behind this one
        if isinstance(self, nn.Sequential):
            return nn.Sequential(OrderedDict(list(self._modules.items())[key]))
        part = [self[place] for place in range(*key.indices(len(self)))]  # type: ignore[arg-type]  # the same
        return nn.ParameterList(part) if isinstance(self, nn.ParameterList) else nn.ModuleList(part)


def bases(collection: str) -> tuple[type, ...]:
    """The bases of a mirror's class whose C# class derives from a collection."""
    kind = builtins.COLLECTIONS[collection]
    return (Mirror if kind in (nn.ModuleDict, nn.ParameterDict) else _Sliced, kind)
