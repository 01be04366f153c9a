"""The process in which hook programs run on the user's TorchSharp: one for both runtimes, started by the first program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from bridge.torchsharp.process import TorchSharpProcess
from bridge.torchsharp.process.errors import TorchSharpNotFound
from bridge.torchsharp.process.library_search import ASSEMBLY, VARIABLE, candidates, chosen, search
from bridge.torchsharp.process.loader import make_process


def title() -> str:
    """What runs: ``TorchSharp 0.107.0, libtorch 2.10.0.0, own process``.

    Raises TorchSharpNotFound where there is none, by BRIDGE_TORCHSHARP or in NuGet's cache, and what
    :class:`bridge.torchsharp.process.TorchSharpProcess` raises.
    """
    if not any(candidates(None, None)):  # no process is needed to say so
        raise TorchSharpNotFound(f"there is none in NuGet's cache. Set {VARIABLE} to a folder that has {ASSEMBLY}")
    started().start()
    return started().title


def run(mode: str, form: str, actions: Sequence[str], program: str) -> str:
    """The answer of ``TorchSharpPrograms.Run`` for a program as text. Raises as :func:`title` does."""
    answer: str = started().ask("program", mode=mode, form=form, actions=list(actions), program=program)["answer"]
    return answer


@cache
def started() -> TorchSharpProcess:
    """Return the process. Raises as :func:`title` does."""
    with TorchSharpProcess() as asking:
        path = chosen(search(asking, None, None)).path
    return make_process(path)
