"""The choice of runtimes to judge, and the suite of this package's runtimes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bridge.clr import AssembliesNotFound, DotNetNotFound, StartError
from bridge.clr import start as start_dotnet
from bridge.runtimes.ledger import ledger
from bridge.runtimes.registry import NEED_DOTNET, NEED_OTHER_TORCH, NEED_TORCHSHARP, RUNTIMES, runtime
from bridge.runtimes.torchsharp import process
from bridge.torchsharp.in_process.errors import InProcessError
from bridge.torchsharp.process.errors import HostError
from hook_contract.conformance.suite import Suite, prepare
from hook_contract.contract.ledger import Divergence
from hook_contract.runtimes.loading import LIMIT, find_runtime


@dataclass(frozen=True, slots=True)
class RuntimeChoice:
    """The names of the runtimes to run. ``note`` says in one line which runtimes were left out and why, "" if none was."""

    names: tuple[str, ...]
    note: str = ""


def choose(names: Sequence[str] = (), among: Sequence[str] = tuple(RUNTIMES)) -> RuntimeChoice:
    """Choose the runtimes in ``names``, or those in ``among`` if ``names`` is empty.

    Of ``among``, runtimes that need .NET are left out if .NET cannot be started here, and runtimes that need TorchSharp if TorchSharp
    cannot. The runtime ``torchsharp-in-process`` is also left out if TorchSharp cannot run on this torch.
    """
    if names:
        return RuntimeChoice(tuple(names))
    for needing, what, begin in (
        (NEED_DOTNET, "which need .NET", start_dotnet),
        (NEED_TORCHSHARP, "which need TorchSharp", process.title),
        (NEED_OTHER_TORCH, "which needs another torch", lambda: [runtime(name).version() for name in NEED_OTHER_TORCH]),
    ):
        left_out = [name for name in among if name in needing]
        if not left_out:
            break
        try:
            begin()
        except (DotNetNotFound, AssembliesNotFound, StartError, HostError, InProcessError) as error:
            reason = re.split(r"\n|\. Searched|[.:] [Uu]se torch", str(error))[0].rstrip(".")
            kept = tuple(name for name in among if name not in needing)
            return RuntimeChoice(kept, f"Left out: {', '.join(left_out)}, {what}: {reason}.")
    return RuntimeChoice(tuple(among))


def prepare_suite(
    names: Sequence[str] = (), filters: Sequence[str] = (), rows: Sequence[Divergence] = (), limit: float = LIMIT
) -> Suite:
    """Select programs by ``filters``, and runtimes by ``names``. If ``names`` is empty, take all runtimes that can run here.

    Besides names of this package's runtimes, ``names`` may have texts for :func:`hook_contract.runtimes.loading.find_runtime`, which gets
    the ``limit``. ``rows`` are added to those of this package's ledger. Raises SelectionError for a filter that matches nothing, and the
    errors of finding and importing a runtime.
    """
    chosen = choose(names)
    found = [runtime(name) if name in RUNTIMES else find_runtime(name, limit, RUNTIMES) for name in chosen.names]
    return prepare(found, (*ledger(), *rows), filters, chosen.note)
