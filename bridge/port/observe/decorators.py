"""Decorators of a function: some become statements of C#, some only pass a call on, and others change what the function does."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
import types
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import nn

#: Modules of PyTorch whose wrappers concern its compilers, and call the function as it is.
_COMPILERS: Final = ("torch._dynamo", "torch._jit_internal", "torch.compiler", "torch.jit")
#: The context managers of PyTorch whose ``with`` statements can be translated to C#.
_CONTEXTS: Final = (torch.no_grad, torch.enable_grad, torch.inference_mode)
#: Decorators that return a descriptor, not a function that calls the decorated one.
_DESCRIPTORS: Final = frozenset({"staticmethod", "classmethod", "property"})


def find_wrappers(value: Any) -> list[Any]:
    """Return the objects around a function that call it, the outermost first."""
    found = []
    at = value.__func__ if isinstance(value, types.MethodType) else value
    while isinstance(at, (types.FunctionType, functools._lru_cache_wrapper)) and hasattr(at, "__wrapped__"):
        found.append(at)
        at = at.__wrapped__
    return found


def apply_decorators(tree: ast.FunctionDef, value: Any, instances: Sequence[nn.Module]) -> list[str]:
    """Wrap the function's body in its decorators' ``with`` statements; return the names of other decorators that change what it does."""
    wrappers = find_wrappers(value)
    nodes = [one for one in tree.decorator_list if ast.unparse(one) not in _DESCRIPTORS]
    aligned: Sequence[ast.expr | None] = nodes if len(nodes) == len(wrappers) else [None] * len(wrappers)
    names, contexts = list[str](), list[ast.expr]()
    for wrapper, node in zip(wrappers, aligned, strict=True):
        context = _context(wrapper)
        node = node or next((one for one in nodes if context and _dotted(one).endswith(context.__name__)), None)
        if context in _CONTEXTS and node is not None:
            contexts.append(node if isinstance(node, ast.Call) else ast.Call(node, [], []))
        elif not (_is_harmless(wrapper) or _is_settled(wrapper, instances) or _is_fallback(wrapper)):
            found = wrapper.__code__.co_qualname.partition(".")[0] if context is None else context.__name__
            names.append(_dotted(node) if node is not None else found)
    start = int(ast.get_docstring(tree) is not None)
    for context_call in reversed(contexts):
        inner = ast.With([ast.withitem(context_call)], tree.body[start:] or [ast.Pass()])
        tree.body[start:] = [ast.copy_location(inner, tree.body[-1])]
    ast.fix_missing_locations(tree)
    return names


def _context(wrapper: Any) -> type | None:
    """Return the class of the context manager of PyTorch that a wrapper runs the function in; None for any other wrapper."""
    code = getattr(wrapper, "__code__", None)
    if code is None or wrapper.__globals__.get("__name__") != "torch.utils._contextlib":
        return None
    cells = dict(zip(code.co_freevars, wrapper.__closure__ or (), strict=True))
    factory = cells["ctx_factory"].cell_contents if "ctx_factory" in cells else None
    return type(getattr(factory, "__self__", None))


def _is_harmless(wrapper: Any) -> bool:
    """Return whether a wrapper only keeps results, passes all arguments on, or concerns a compiler of PyTorch's."""
    if isinstance(wrapper, functools._lru_cache_wrapper) or _passes_on(wrapper):
        return True
    return f"{wrapper.__globals__.get('__name__')}.".startswith(tuple(f"{one}." for one in _COMPILERS))


def _is_settled(wrapper: Any, instances: Sequence[nn.Module]) -> bool:
    """Return whether a wrapper belongs to transformers, and passes all calls on, given the configurations of ``instances``."""
    passes = _SETTLED.get(wrapper.__code__.co_qualname.partition(".")[0])
    of_transformers = _is_of_transformers(str(wrapper.__globals__.get("__name__")))
    return passes is not None and of_transformers and all(map(passes, instances))


def _is_fallback(wrapper: Any) -> bool:
    """Return whether a wrapper is one of transformers that calls the function since a faster one is not installed.

    It would refuse the arguments of packed sequences.
    """
    code, space = wrapper.__code__, str(wrapper.__globals__.get("__name__"))
    if code.co_qualname.partition(".")[0] != "use_kernel_func_from_hub_with_fallback" or not _is_of_transformers(space):
        return False
    cells = dict(zip(code.co_freevars, wrapper.__closure__ or (), strict=True))
    taken = inspect.signature(wrapper).parameters
    faster = "is_new_implementation" not in cells or cells["is_new_implementation"].cell_contents
    return not faster and not {"cu_seqlens", "seq_idx"} & set(taken)


def _is_of_transformers(name: str) -> bool:
    return name.startswith("transformers.")


def _returns_dictionaries(module: nn.Module) -> bool:
    config = getattr(module, "config", None)
    return bool(getattr(config, "return_dict", True))


def _captures_nothing(module: nn.Module) -> bool:
    config = getattr(module, "config", None)
    wanted = (getattr(config, name, False) for name in ("output_attentions", "output_hidden_states"))
    return _returns_dictionaries(module) and not any(wanted)


def _has_fixed_frequencies(module: nn.Module) -> bool:
    kinds = getattr(module, "rope_type", "")
    return not any(
        "dynamic" in one or one == "longrope" for one in (kinds.values() if isinstance(kinds, dict) else [kinds])
    )


#: Decorators of transformers, each with a test of whether it passes the calls of a module on. Arguments that they add are observed.
_SETTLED: Final[dict[str, Callable[[nn.Module], bool]]] = {
    "GradientCheckpointingLayer": lambda module: True,  # recomputes activations to save memory
    "can_return_tuple": _returns_dictionaries,
    "capture_outputs": _captures_nothing,
    "compile_compatible_method_lru_cache": lambda module: True,  # it keeps results
    "dynamic_rope_update": _has_fixed_frequencies,
    "force_accelerate_hooks": lambda module: not any(hasattr(one, "_hf_hook") for one in module.children()),
    "merge_with_config_defaults": lambda module: True,
}


def _passes_on(wrapper: Any) -> bool:
    """Return whether the wrapper is ``def wrapper(*args, **kwargs): return function(*args, **kwargs)``."""
    try:
        tree = ast.parse(textwrap.dedent("".join(inspect.getsourcelines(wrapper.__code__)[0]))).body[0]
    except (OSError, SyntaxError):
        return False
    last = tree.body[-1] if isinstance(tree, ast.FunctionDef) else None
    if (
        not isinstance(tree, ast.FunctionDef)
        or not isinstance(last, ast.Return)
        or not isinstance(last.value, ast.Call)
    ):
        return False
    cells = dict(zip(wrapper.__code__.co_freevars, wrapper.__closure__ or (), strict=True))
    called = last.value.func.id if isinstance(last.value.func, ast.Name) else ""
    alone = len(tree.body) == 1 + (ast.get_docstring(tree) is not None)
    passing = ast.unparse(last.value) == f"{called}({ast.unparse(_without_annotations(tree.args))})"
    return alone and passing and called in cells and cells[called].cell_contents is wrapper.__wrapped__


def _without_annotations(arguments: ast.arguments) -> ast.arguments:
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if one is not None:
            one.annotation = None
    return arguments


def _dotted(decorator: ast.expr) -> str:
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
