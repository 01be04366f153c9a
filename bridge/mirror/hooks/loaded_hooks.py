"""The function ``bridge.load_hook``, which loads hooks that are written in C#, for any module or tensor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from bridge.clr import DotNetRuntime
from bridge.mirror.crossing import conversion
from bridge.mirror.hooks.csharp_hooks import CSharpHook
from bridge.mirror.loading import build, dotnet_runtime, encode, resolve


def load_hook(path: str | Path, type_name: str, /, *args: Any, **kwargs: Any) -> LoadedHook:
    """Load a hook that is written in C#, and return a callable for the ``register_*`` methods of modules and tensors.

    The hook can be registered on any module, also on PyTorch's own.

    ``path`` is as for :func:`bridge.load`; ``type_name`` is the full name of a class, or of a public static method
    (``Namespace.Type.Method``); ``args`` and ``kwargs`` are the constructor's arguments. Each public method with one of the
    parameter lists below is a hook, whatever its name. Items of type ``Tensor?`` may be null.

    - ``(Module, object[] args)``: forward pre hook; ``(Module, object[] args, object output)``: forward hook. To be registered
      ``with_kwargs``, such a method has a parameter of type ``IDictionary<string, object>`` after ``args``. ``output`` may have another
      type, such as ``Tensor``.
    - ``(Module, Tensor?[] grad_output)``: full backward pre hook; ``(Module, Tensor?[] grad_input, Tensor?[] grad_output)``: full or legacy
      backward hook.
    - ``(Tensor)``: hook on a tensor's gradient, or post-accumulate-grad hook.

    A method's result means the same as that of a Python hook. If the class has one hook, register the returned object. If it has several,
    register its methods (``layer.register_forward_hook(cam.OnForward)``); calling the object raises TypeError. Public fields and properties
    of the C# object can be read (``cam.Heatmap``). In C#, a PyTorch module is a ``Module`` whose name, training flag, parameters, buffers
    and children can be read.

    Raises the exceptions of :func:`bridge.load`, and DotNetError when the class has no hook.
    """
    file = resolve(path)
    arguments = encode(args, kwargs)
    runtime = dotnet_runtime()
    assembly = build(file, runtime.assemblies)
    return LoadedHook(
        runtime, type_name, json.loads(runtime.exports.load_hook(str(assembly), type_name, arguments.text))
    )


class LoadedHook:
    """A C# object or static class whose methods are hooks, or a static method. Copies of a module share the hooks."""

    def __init__(self, runtime: DotNetRuntime, name: str, description: dict[str, Any]) -> None:
        self._name = name
        self._hooks: dict[str, CSharpHook] = {}
        for method, number, takes, has_module in description["hooks"]:
            full = name if name.endswith(f".{method}") else f"{name}.{method}"
            self._hooks[method] = CSharpHook(runtime, number, full, ("module", *takes) if has_module else tuple(takes))
        self._values = frozenset(description["values"])
        # Keeps the C# object alive; None for a static method or class.
        self._object = CSharpHook(runtime, description["number"], name, ("module",)) if description["number"] else None
        self._runtime = runtime

    @conversion.outside_graphs
    def __call__(self, *given: Any) -> Any:
        if len(self._hooks) > 1:
            names = ", ".join(f"'{method}'" for method in self._hooks)
            raise TypeError(f"{self._name} has the hooks {names}: register one of these methods instead of the object")
        (hook,) = self._hooks.values()
        return hook(*given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_hooks" not in vars(self):
            raise AttributeError(name)
        if name in self._hooks:
            return self._hooks[name]
        if name in self._values and self._object is not None:
            return self._runtime.exports.hook_value(self._object.number, name)
        available = ", ".join([*self._hooks, *sorted(self._values)])
        raise AttributeError(f"the C# hook {self._name} has no '{name}'; it has: {available}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._hooks, *self._values]

    def __deepcopy__(self, memo: dict[int, Any]) -> LoadedHook:
        return self

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"the C# hook {self._name} cannot be pickled; load it again with bridge.load_hook")

    def __repr__(self) -> str:
        return f"<C# hook {self._name}>"
