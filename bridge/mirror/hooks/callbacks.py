"""The Python functions that .NET calls, such as those that call a module, read its tensors, or change its hooks and training flag.

.NET holds the GIL when it calls them. An exception becomes a C# exception. Unless C# code catches the C# exception, Python's call of .NET
raises the same exception object again. An interrupt, such as KeyboardInterrupt, is raised again even if C# catches it. A *mirror* is the
``torch.nn.Module`` that represents a C# module. C-3 is a clause of docs/contract.md.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, NoReturn

import torch

from bridge import tensors
from bridge.clr import DotNetRuntime
from bridge.mirror import scripts
from bridge.mirror.crossing import conversion, objects
from bridge.mirror.hooks import csharp_hooks, dispatch, module_handles
from bridge.mirror.link import by_id, link_of
from bridge.mirror.module import is_ordinary
from bridge.mirror.synchronization.placement import read_source, resolve, target
from bridge.mirror.synchronization.update import synchronize
from bridge.mirror.tensors import autograd_functions
from bridge.mirror.tree import creation
from hook_contract.output.sentences import with_article

# The share of the recursion limit that Python frames may take. In Python 3.11, C calls count towards the limit too, and a module call
# through .NET makes nearly as many C calls as it has Python frames.
_MAX_SHARE = 0.85 if sys.version_info >= (3, 12) else 0.5


def install(runtime: DotNetRuntime) -> None:
    """Pass the functions to .NET, by their names under ``imports`` in ``boundary.json``."""
    runtime.exports.give(
        {
            "call": _call,
            "call_with_tensor": _call_with_tensor,
            "run_forward": _run_forward,
            "change_property": _change_property,
            "synchronize": _synchronize,
            "change_entries": partial(creation.update_collection, runtime),
            "change_hook": partial(csharp_hooks.change_hook, runtime),
            "hook_tensor": partial(csharp_hooks.register_on_tensor, runtime),
            "is_ordinary": _is_ordinary,
            "plan_hooks": dispatch.plan_hooks,
            "takes_kwargs": dispatch.takes_kwargs,
            "is_always_called": dispatch.is_always_called,
            "bind_arguments": dispatch.bind,
            "finish_call": dispatch.finish,
            "recover_call": dispatch.recover,
            "read_part": partial(module_handles.read_part, runtime),
            "train": _train,
            "default": conversion.Default,
            "to_plain": partial(objects.to_plain, runtime, _module_id),
            "wrap_object": partial(objects.wrap, runtime, _find_mirror),
            "apply_function": autograd_functions.apply,
            "saved_tensors": autograd_functions.saved_tensors,
            "checkpoint": autograd_functions.checkpoint,
            "run_script": scripts.run,
            "raise_unconvertible": conversion.raise_unconvertible,
            "raise_missing_tensor": _raise_missing_tensor,
            "pack": torch.nn.utils.rnn.PackedSequence,
            "borrow": tensors.borrow,
        }
    )
    runtime.exports.set(tensors.wrapper_addresses())


def _call(id: int, *arguments: Any) -> Any:
    """Call the mirror with this module id, or the module that replaced it."""
    _check_depth()
    link = by_id(id)
    if link.is_collection and link.arguments is None:
        # The collection has no ``forward``. C# makes this call only so that ``read_source`` raises its error if Python has replaced
        # the collection.
        read_source(link)
    return target(link)(*arguments)


def _call_with_tensor(id: int, tensor: torch.Tensor) -> Any:
    """Call a module with one tensor, without :func:`_check_depth`. .NET uses this function while calls are not deeply nested."""
    return target(by_id(id))(tensor)


def _check_depth() -> None:
    """Raise RecursionError some frames before the limit, so that the frames that handle the error are still available."""
    try:
        sys._getframe(int(sys.getrecursionlimit() * _MAX_SHARE))
    except ValueError:
        return
    raise RecursionError("maximum recursion depth exceeded while modules call each other through .NET")


def _run_forward(id: int, *arguments: Any) -> Any:
    """Run the ``forward`` of the mirror with this module id, or of the module that replaced it, without hooks (C-3)."""
    _check_depth()
    return target(by_id(id)).forward(*arguments)


def _change_property(id: int, name: str, value: Any) -> None:
    link = by_id(id)
    mirror = link.mirror()
    if mirror is not None and link.attributes is not None:
        link.attributes.set(mirror, name, value)


def _synchronize(id: int, compute: int, version: int) -> None:
    synchronize(by_id(id), bool(compute), version)


def _is_ordinary(id: int) -> bool:
    mirror = by_id(id).mirror()
    return mirror is not None and is_ordinary(mirror)


def _module_id(module: torch.nn.Module) -> int | None:
    link = link_of(module)
    return None if link is None else link.id


def _find_mirror(id: int) -> torch.nn.Module | None:
    return by_id(id).mirror()


def _raise_missing_tensor(id: int, name: str) -> NoReturn:
    """Raise the error for a parameter or buffer that C# reads and Python lacks.

    Raises AttributeError if the module has no such attribute, RuntimeError if the attribute is None, TypeError if it is any other object.
    """
    link = by_id(id)
    module, _ = read_source(link)
    path = link.path_of(name)
    if not hasattr(module, name):
        where = f"'{link.path}'" if link.path else "the model"
        raise AttributeError(
            f"C# reads '{path}', but in Python {where} is of class {type(module).__name__}, which has no '{name}'"
        )
    value = getattr(module, name)
    if value is not None and not tensors.is_tensor(value):
        kind = f"{with_article(type(value).__name__)} in Python ({type(module).__name__}), not a tensor"
        raise TypeError(f"C# reads '{path}', which is {kind}")
    raise RuntimeError(f"C# reads '{path}', which is None in Python ({type(module).__name__})")


def _train(id: int, training: bool) -> bool:
    """Set the training flag of a mirror, or of the module that replaced it.

    Returns False if C# must set the flags of the descendants, and True if Python has set them or the module no longer exists.
    """
    link = by_id(id)
    mirror = link.mirror()
    found, _ = resolve(link)
    if isinstance(found, AttributeError):  # the module was deleted
        return True
    module = mirror if isinstance(found, Exception) else found
    if module is None:
        return True
    if link.is_proxy or module is not mirror:
        module.train(training)
        return True
    module.training = training
    return False
