"""The process that runs hook programs on the user's TorchSharp, shared by both runtimes and started by the first program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from bridge.torchsharp.process import TorchSharpProcess
from bridge.torchsharp.process.errors import TorchSharpNotFound
from bridge.torchsharp.process.library_search import ASSEMBLY, VARIABLE, candidates, choose_library, search
from bridge.torchsharp.process.loader import make_process


def title() -> str:
    """Return the name of the runtime: ``TorchSharp 0.107.0, libtorch 2.10.0.0, own process``.

    Raises TorchSharpNotFound if there is neither BRIDGE_TORCHSHARP nor a TorchSharp in NuGet's cache, and the errors of
    :class:`bridge.torchsharp.process.TorchSharpProcess`.
    """
    if not any(candidates(None, None)):  # found without starting a process
        raise TorchSharpNotFound(f"there is none in NuGet's cache. Set {VARIABLE} to a folder that has {ASSEMBLY}")
    started().start()
    return started().title


def run(mode: str, form: str, actions: Sequence[str], program: str) -> str:
    """Run a program, given as text, by ``TorchSharpPrograms.Run`` and return the answer. Raises as :func:`title`."""
    answer: str = started().ask("program", mode=mode, form=form, actions=list(actions), program=program)["answer"]
    return answer


@cache
def started() -> TorchSharpProcess:
    """Return the process. Raises as :func:`title`."""
    with TorchSharpProcess() as asking:
        path = choose_library(search(asking, None, None)).path
    return make_process(path)
