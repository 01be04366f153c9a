"""The phases of PyTorch's ``Module._call_impl``, for calls whose ``forward`` C# runs. Codes such as A-2 are clauses of docs/contract.md."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any

import torch
from torch.nn.modules import module as global_hooks
from torch.utils.hooks import BackwardHook


class HookedCall:
    """A call of a module: :meth:`enter` is called before ``forward``, :meth:`leave` after ``forward``, :meth:`recover` if a step fails.

    ``done`` has the keys of the forward hooks with always_call that have started.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any = None,
        done: Collection[int] = (),
    ) -> None:
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result = result
        self._done = set(done)
        self._full: list[Any] = []
        self._non_full: list[Any] = []
        self._backward: Any = None

    def enter(self) -> None:
        """Run the pre hooks, which may replace ``args`` and ``kwargs``, and prepare the backward hooks."""
        module: Any = self.module
        before: list[Any] = []
        if module._backward_pre_hooks or global_hooks._global_backward_pre_hooks:
            before = module._get_backward_pre_hooks()
        if module._backward_hooks or global_hooks._global_backward_hooks:
            self._full, self._non_full = module._get_backward_hooks()
        for key, hook in (*global_hooks._global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
            if key in module._forward_pre_hooks_with_kwargs:
                changed = hook(module, self.args, self.kwargs)
                if changed is None:
                    continue
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                self.args, self.kwargs = changed
            else:
                changed = hook(module, self.args)
                if changed is not None:
                    self.args = changed if isinstance(changed, tuple) else (changed,)
        if self._full or before:
            self._backward = BackwardHook(module, self._full, before)
            self.args = self._backward.setup_input_hook(self.args)

    def leave(self, result: Any) -> Any:
        """Run the forward hooks, attach the backward hooks, and return the result of the call."""
        self.result = result
        self.run_forward_hooks()
        if self._backward is not None:
            if not isinstance(self.result, (torch.Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                    f"but received {type(self.result)}",
                    stacklevel=2,
                )
            self.result = self._backward.setup_output_hook(self.result)
        if self._non_full:
            self._attach_non_full_hooks()
        return self.result

    def run_forward_hooks(self) -> None:
        """Run the global forward hooks and those of the module, which may replace ``result``."""
        module = self.module
        for key, hook in (*global_hooks._global_forward_hooks.items(), *module._forward_hooks.items()):
            if key in module._forward_hooks_always_called or key in global_hooks._global_forward_hooks_always_called:
                self._done.add(key)  # the hook must not run again after an error
            if key in module._forward_hooks_with_kwargs or key in global_hooks._global_forward_hooks_with_kwargs:
                changed = hook(module, self.args, self.kwargs, self.result)
            else:
                changed = hook(module, self.args, self.result)
            if changed is not None:
                self.result = changed

    def recover(self) -> None:
        """Run the forward hooks with always_call that had not started when the call failed (A-3)."""
        module = self.module
        for prefix, hooks, always, with_kwargs in (
            ("global ", global_hooks._global_forward_hooks, global_hooks._global_forward_hooks_always_called, {}),
            ("", module._forward_hooks, module._forward_hooks_always_called, module._forward_hooks_with_kwargs),
        ):
            for key, hook in hooks.items():
                if key not in always or key in self._done:
                    continue
                try:
                    given = (self.args, self.kwargs) if key in with_kwargs else (self.args,)
                    changed = hook(module, *given, self.result)
                    if changed is not None:
                        self.result = changed
                except Exception as error:  # the error of the call is raised; that of the hook becomes a warning
                    warnings.warn(
                        f"{prefix}module forward hook with ``always_call=True`` raised an exception "
                        f"that was silenced as another error was raised in forward: {error}",
                        stacklevel=2,
                    )

    def _attach_non_full_hooks(self) -> None:
        """Attach the non-full backward hooks (``register_backward_hook``) to the ``grad_fn`` of the first tensor in the result."""
        module: Any = self.module
        found = self.result
        while not isinstance(found, torch.Tensor):
            found = (
                next(value for value in found.values() if isinstance(value, torch.Tensor))
                if isinstance(found, dict)
                else found[0]
            )
        if (node := found.grad_fn) is not None:
            for hook in self._non_full:
                node.register_hook(global_hooks._WrappedHook(hook, module))
            module._maybe_warn_non_full_backward_hook(self.args, self.result, node)
