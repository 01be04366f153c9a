"""The class Mirror: a torch.nn.Module whose ``forward`` runs the ``forward`` of a .NET module.

Codes such as C-6 are clauses of the contract (docs/contract.md).
"""

from __future__ import annotations

import copy
import os
from collections import OrderedDict
from pathlib import Path
from typing import Any, NoReturn

import torch
from torch import nn
from torch.compiler import is_dynamo_compiling
from torch.nn.modules import module as torch_module
from torch.overrides import has_torch_function

from bridge.mirror.copying import pickling, replicas
from bridge.mirror.crossing import conversion, objects
from bridge.mirror.hooks import direct_forwards, torch_function_modes
from bridge.mirror.hooks.torch_function_modes import NO_ARGUMENTS, TENSOR_NAMESPACE
from bridge.mirror.link import Link, linked
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.synchronization.dirty_tracking import MODULE_DICTS, TrackedDict
from bridge.mirror.tree import builtins


class Mirror(torch.nn.Module):
    """A .NET module as a torch.nn.Module, created by :func:`bridge.load`. Each .NET type has its own Python class.

    Children, parameters and buffers have the names that they have in C#, but a second child of the same name in a Sequential is renamed.
    Hooks fire in PyTorch's order (C-6), whether PyTorch's dispatcher or C#'s runs the call. C# code calls a child directly, or through the
    child's mirror if Python hooks, backward hooks, global hooks or a replaced method require it. A lone Python forward hook does not.
    """

    def __init__(self, link: Link) -> None:
        super().__init__()
        global _exports
        _exports = link.runtime.exports
        link.attach(self)

    @property
    def _link(self) -> Link:
        return linked(self)

    @property
    def dotnet(self) -> objects.DotNetObject:
        """Return the C# module itself, whose public and internal members can be used: ``model.dotnet.Generate(x)``."""
        link = self._link
        return objects.module_object(link.runtime, link.id, type(self).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module by C#'s dispatcher if it can run the call, else by PyTorch's. Both run hooks in the same order."""
        # If the class has .NET's function in ``tp_call`` (``crossing.call_slot``), a call enters this method only if .NET passes it on.
        # ``_exports.call`` checks for hooks, recorders, dispatch modes, tracing and replaced call methods (``is_ordinary``), and returns
        # NotImplemented if PyTorch must make the call.
        if not (kwargs or is_dynamo_compiling() or has_torch_function(args or NO_ARGUMENTS)):
            try:
                # Unpacking ``*args`` would create a list and a tuple.
                result = _exports.call(self, args[0]) if len(args) == 1 else _exports.call(self, *args)
            except TypeError as error:
                conversion.add_parameter_name(error, self._link.signature, self._link.arguments, args)
                raise
            except ValueError as error:
                conversion.raise_for_fx(error)
                raise
            if result is not NotImplemented:
                return result
        return super().__call__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the .NET module's ``forward``.

        The arguments are those of the C# method, by position or by parameter name: tensors of any shape, dtype and device, numbers,
        strings, None, devices, dtypes, functions, C# modules and objects, and tuples, lists and dicts (with string keys) of these. Raises
        TypeError when the arguments do not fit, NotImplementedError under ``torch.fx.symbolic_trace``, DotNetError when C# throws, and any
        exception that a hook raises. Ctrl-C raises KeyboardInterrupt in the next Python hook that C# calls, or when C# returns.
        """
        if direct_forwards.listeners and (stack := direct_forwards.begin()) is not None:
            with stack:
                return self._run(args, kwargs)
        return self._run(args, kwargs)

    @conversion.outside_graphs
    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            if torch_function_modes.are_active(args, kwargs):
                with torch_function_modes.dispatch_through_python(self._link.runtime):
                    return self._run_csharp(args, kwargs)
            return self._run_csharp(args, kwargs)
        except ValueError as error:
            conversion.raise_for_fx(error)
            raise

    def _run_csharp(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        link = self._link
        if kwargs:
            args = conversion.bind(link.arguments, link.signature, args, kwargs, link.overloads)
        try:
            return link.runtime.exports.forward(link.id, *args)
        except TypeError as error:
            conversion.add_parameter_name(error, link.signature, link.arguments, args)
            raise

    def _slow_forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward`` under ``torch.jit.trace``."""
        with torch_function_modes.record_trace(self._link.runtime):
            return super()._slow_forward(*args, **kwargs)  # type: ignore[no-untyped-call]  # PyTorch's is untyped

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        """Load the module's own tensors. For a tensor that has two names in this module, one of them in ``state_dict`` suffices."""
        link = self._link
        for name, ties in link.ties.items():
            for owner, other in ties:
                if prefix + name not in state_dict and owner() is link and prefix + other in state_dict:
                    state_dict[prefix + name] = state_dict[prefix + other]
        super()._load_from_state_dict(state_dict, prefix, *args)

    def __prepare_scriptable__(self) -> NoReturn:
        raise NotImplementedError(conversion.NO_SCRIPT)

    def _replicate_for_data_parallel(self) -> torch.nn.Module:
        return replicas.prepare(self, super()._replicate_for_data_parallel())  # type: ignore[no-untyped-call]  # untyped in PyTorch

    def __deepcopy__(self, memo: dict[int, Any]) -> torch.nn.Module:
        """Return a copy, with a .NET module of its own and copies of all Python attributes (I-1).

        The copy of the .NET module has copies of objects of the model's classes and of .NET's collections, tuples and random generators.
        Each object is copied once, and no constructor of the model runs. Static fields, objects with a finalizer, and .NET objects such as
        threads and streams are shared with the original. In C# fields, tensors other than parameters and buffers are cloned without their
        autograd graph. A C# ``HookRemover`` in a field of the copy removes nothing: the hook stays on both modules. Raises DotNetError when
        a C# module has a finalizer.
        """
        copied, originals = self._link.copy(True)
        pairs = []
        for old_link, new_link in originals:
            old, new = old_link.mirror(), new_link.mirror()
            # If Python has replaced the module, its mirror may be None; the replacement is copied with the parent's attributes.
            if old is not None and new is not None:
                memo[id(old)] = new
                # Like copy.deepcopy, keep the original alive, so that no other object gets its id meanwhile.
                memo.setdefault(id(memo), []).append(old)
                if new is not old:
                    pairs.append((old, new, new_link))
        for old, new, link in pairs:
            # A parametrization replaces the module's class.
            new.__class__ = type(old)
            for name, value in old.__dict__.items():
                if name in MODULE_DICTS:
                    new.__dict__[name] = TrackedDict(
                        {key: copy.deepcopy(item, memo) for key, item in value.items()}, link
                    )
                else:
                    new.__dict__[name] = copy.deepcopy(value, memo)
        pickling.inherit_origins(originals)
        dirty_tracking.advance()
        return copied

    def __copy__(self) -> torch.nn.Module:
        """Return a shallow copy: a new .NET module with the same parameters, children, hooks and objects in its fields (I-2).

        Raises DotNetError when the C# module has a finalizer.
        """
        copied, originals = self._link.copy(False)
        copied.__class__ = type(self)
        link = linked(copied)
        link.attach_shallow_copy(copied, vars(self))
        pickling.inherit_origins(originals)
        dirty_tracking.advance()
        return copied

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Return the parts of a pickle (see ``pickling``)."""
        return pickling.reduce(self)


# Bridge.Interop's exports; None until the first mirror is created.
_exports: Any = None
# The code of ``Mirror.forward``. Each mirror class that can be called has a ``forward`` with this code.
_FORWARD = Mirror.forward.__code__
#: The folder of PyTorch's own modules.
_BUILT_INS = f"{Path(nn.__file__).parent}{os.sep}"


def is_ordinary(mirror: torch.nn.Module) -> bool:
    """Return whether no tool has replaced the mirror's call methods, the mirror's ``forward``, or ``torch.Tensor.add``.

    C# reads the version tags of ``torch.Tensor`` and of the mirror's class from memory, and calls this function again when a tag changes.
    """
    kind: Any = type(mirror)
    return (
        getattr(kind.forward, "__code__", None) is _FORWARD
        and _is_from_pytorch(nn.Module.__call__)
        and _is_from_pytorch(kind._call_impl)
        and kind._compiled_call_impl is None
        and "add" not in TENSOR_NAMESPACE
    )


def calls_as_pytorch(mirror: torch.nn.Module) -> bool:
    """Return whether no tool or derived class has replaced the methods that call the mirror, or its ``forward``."""
    kind: Any = type(mirror)
    call, forward = kind.__call__, getattr(kind.forward, "__code__", None)
    return (
        (call is Mirror.__call__ or _is_from_pytorch(call))
        and _is_from_pytorch(nn.Module.__call__)
        and _is_from_pytorch(kind._call_impl)
        and kind._compiled_call_impl is None
        and (forward is _FORWARD or (forward is not None and forward.co_filename.startswith(_BUILT_INS)))
    )


def _is_from_pytorch(step: Any) -> bool:
    """Return whether a method is defined in ``torch.nn.modules.module``.

    A comparison with the method found at import would miss replacements that were made before the import.
    """
    code = getattr(step, "__code__", None)
    return code is not None and code.co_filename == torch_module.__file__


class _CollectionMirror(Mirror):
    """A mirror of a C# class that derives from Sequential, ModuleList or ParameterList.

    A slice is an instance of PyTorch's class, since only C# can construct the derived class.
    """

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, slice):
            return super().__getitem__(key)  # type: ignore[misc]  # PyTorch's class is the next base
        if isinstance(self, nn.Sequential):
            return nn.Sequential(OrderedDict(list(self._modules.items())[key]))
        part = [self[place] for place in range(*key.indices(len(self)))]  # type: ignore[arg-type]  # PyTorch's class is the next base
        return nn.ParameterList(part) if isinstance(self, nn.ParameterList) else nn.ModuleList(part)


def collection_bases(collection: str) -> tuple[type, ...]:
    """Return the base classes of the mirror class for a C# class that derives from a collection."""
    kind = builtins.COLLECTIONS[collection]
    return (Mirror if kind in (nn.ModuleDict, nn.ParameterDict) else _CollectionMirror, kind)
