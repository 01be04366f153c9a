"""Replacement of the forward of C# modules that are left to do: the original's forward runs, and calls the C# children."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch import nn

from bridge.mirror.link import linked


def substitute_forwards(
    original: nn.Module, port: nn.Module, kinds: Collection[type], arguments: Mapping[str, Any]
) -> frozenset[str]:
    """Give each module of ``port`` whose original is of one of ``kinds`` the original's forward, and return the paths of these modules.

    That forward reads the original's attributes, and has the children, parameters and buffers of the C# module, so that the rest of an
    unfinished port runs and can be compared. ``original`` is run once with ``arguments``, in eval mode.
    """
    replaced = {
        path: module
        for path, module in original.named_modules(remove_duplicate=False)
        if type(module) in kinds and path in dict(port.named_modules(remove_duplicate=False))
    }
    given: dict[nn.Module, dict[str, Any]] = {}
    with ExitStack() as hooks, torch.no_grad(), torch.random.fork_rng(devices=()):
        for module in dict.fromkeys(replaced.values()):
            handle = module.register_forward_pre_hook(partial(_plain, given), with_kwargs=True)
            hooks.callback(handle.remove)
        if replaced:
            original.eval()(**arguments)
    for path, module in replaced.items():
        mirror = port.get_submodule(path)
        mirror.forward = _forward(module, mirror, given.get(module, {}))  # replaces C#'s forward
    return frozenset(replaced)


def _plain(
    given: dict[nn.Module, dict[str, Any]], module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Note the arguments of a module's call that are numbers, strings or booleans, by name."""
    every = dict(zip(inspect.signature(type(module).forward).parameters, (module, *args), strict=False)) | kwargs
    plain = {name: value for name, value in every.items() if isinstance(value, (bool, int, float, str))}
    given.setdefault(module, {}).update(plain)


def _forward(original: nn.Module, mirror: nn.Module, given: Mapping[str, Any]) -> Callable[..., Any]:
    kind = type(original)
    shell = kind.__new__(kind)
    vars(shell).update(vars(original))  # past __setattr__, which would register children with the original
    accepted = inspect.signature(kind.forward).parameters
    names = [name for name, _ in linked(mirror).arguments or ()]
    by_name = all(name in accepted for name in names)  # C# renames a parameter if its name is a keyword of C#

    def forward(*args: Any, **kwargs: Any) -> Any:
        vars(shell).update(
            _modules=mirror._modules,
            _parameters=mirror._parameters,
            _buffers={**original._buffers, **mirror._buffers},  # C# may lack a buffer that is in no state_dict
            training=mirror.training,
        )
        if by_name:  # by name, since C# lacks parameters whose arguments were the same in every call
            kwargs = {**given, **dict(zip(names, args, strict=False)), **kwargs}
            args = args[len(names) :]
        return kind.forward(shell, *args, **kwargs)

    return forward
