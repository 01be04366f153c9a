"""The process that runs hook programs on the user's TorchSharp, shared by the runtimes ``torchsharp`` and ``torchsharp+bridge``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from bridge.torchsharp.process import TorchSharpProcess
from bridge.torchsharp.process.errors import TorchSharpNotFound
from bridge.torchsharp.process.library_search import ASSEMBLY, VARIABLE, candidates, choose_library, search
from bridge.torchsharp.process.loader import make_process


def title() -> str:
    """Return the versions, such as ``TorchSharp 0.107.0, libtorch 2.10.0.0, own process``.

    TorchSharp is taken from the place that BRIDGE_TORCHSHARP names or, if this variable is not set, from NuGet's cache. Raises
    TorchSharpNotFound if there is none that can run models, and the exceptions of ``TorchSharpProcess`` and its method ``ask``.
    """
    if not any(candidates(None, None)):  # checked here, before a process is started
        raise TorchSharpNotFound(
            f"there is no TorchSharp in NuGet's cache. Set {VARIABLE} to a folder that has {ASSEMBLY}"
        )
    started().start()
    return started().title


def run(mode: str, form: str, actions: Sequence[str], program: str) -> str:
    """Run a program, given as JSON text, by C#'s ``TorchSharpPrograms.Run`` and return the answer.

    Args:
        mode: The runtime, ``torchsharp`` or ``torchsharp+bridge``.
        form: The type of the modules' arguments: ``typed`` (tensors) or ``object``.
        actions: The names of the hooks that C# registers as an ``Action<Module>``, which gets only the module.
        program: The JSON text.

    Raises the same exceptions as :func:`title`.
    """
    answer: str = started().ask("program", mode=mode, form=form, actions=list(actions), program=program)["answer"]
    return answer


@cache
def started() -> TorchSharpProcess:
    """Return the shared process, which starts at the first request. Raises the same exceptions as :func:`title`."""
    with TorchSharpProcess() as inspector:
        path = choose_library(search(inspector, None, None)).path
    return make_process(path)
