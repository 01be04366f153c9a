"""A ``torch.nn.Module`` for a module of TorchSharp in this process."""

from __future__ import annotations

from typing import Any, NoReturn

import torch

from bridge.mirror.crossing import conversion
from bridge.torchsharp.in_process import hooks
from bridge.torchsharp.in_process.modes import refuse_modes


class InProcessModule(torch.nn.Module):
    """A module of TorchSharp in this process. Its parameters and buffers are TorchSharp's own.

    TorchSharp runs every call, also of a child, and the hooks of Python in it, each once.
    """

    def __init__(self, functions: dict[str, Any], id: int, path: str, parameters: list[tuple[str, bool]]) -> None:
        super().__init__()
        self.__dict__.update(
            _functions=functions,
            _id=id,
            _path=path,
            _parameters_of_forward=[(name, bool(has)) for name, has in parameters],
        )
        hooks.modules[id] = self

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the ``forward`` of C#, without hooks."""
        return self._run(args, kwargs, 0)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        return self._run(args, kwargs, 1)

    @conversion.outside_graphs
    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any], with_hooks: int) -> Any:
        own = self.__dict__
        refuse_modes(args, self)
        given = hooks.bind(self, args, kwargs)
        with hooks.calling(own["_id"], args, kwargs):
            return own["_functions"]["call"](own["_id"], with_hooks, *given)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a model of TorchSharp in this process cannot be copied or pickled: save its state_dict()")
