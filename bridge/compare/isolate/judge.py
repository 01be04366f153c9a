"""The comparison of each module of a C# port with its PyTorch counterpart, on inputs that were recorded from PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import torch

from bridge.compare.isolate.call_judge import CallJudge
from bridge.compare.isolate.module_finding import IsolationResult
from bridge.compare.isolate.pairs import ModelPair
from bridge.compare.isolate.record import Capture, RecordedCall, record_calls
from bridge.compare.isolate.state_guard import preserve_state, set_buffers
from bridge.compare.isolate.value_comparison import Tolerances
from bridge.compare.models.settings import Setting
from bridge.torchsharp.classes import ON_TORCHSHARP
from bridge.torchsharp.process.remote_module import RemoteModule

#: The default limit in bytes for the copies of recorded tensors that exist at the same time.
BUDGET: Final = 1 << 30


def judge_modules(
    python: torch.nn.Module,
    dotnet: torch.nn.Module,
    arguments: Mapping[str, Any],
    buffers: Mapping[str, torch.Tensor],
    *,
    settings: Sequence[Setting],
    names: tuple[str, str],
    tolerances: Tolerances,
    seed: int = 0,
    backward: bool = False,
    budget: int = BUDGET,
    all_operators: bool = False,
    only: Collection[str] | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> IsolationResult:
    """Judge each module of ``dotnet``: run it in isolation, on recorded inputs, and compare. Restore the state of both models.

    ``arguments`` are the arguments for the PyTorch model, ``buffers`` its buffers before a run. The PyTorch model runs again; several
    times if the copies of all calls exceed ``budget`` bytes. With ``all_operators``, operators of user-defined modules are recorded even
    if nothing differs. With ``only``, only modules at these paths are judged, and only findings of the kind ``structure`` are returned.
    ``names`` are the names of the runtimes. ``step`` receives messages about progress.

    Modules of TorchSharp are not judged: their children cannot be replaced by recorded results.
    """
    if isinstance(dotnet, ON_TORCHSHARP):
        reason = "the children of TorchSharp's modules cannot be replaced by recorded results"
        if isinstance(dotnet, RemoteModule):
            reason = "TorchSharp runs in a separate process"
        return IsolationResult((), frozenset(), {"": reason}, 0)

    def record(wanted: Collection[int] | None = None) -> Capture:
        set_buffers(python, buffers)
        return record_calls(python, arguments, seed=seed, grad_enabled=backward, wanted=wanted, budget=budget)

    judge = CallJudge(ModelPair(python, dotnet, names, settings, tolerances), backward, all_operators)
    plan: list[set[int]] = []
    with preserve_state(python, dotnet):
        step("running each module in isolation")
        run = record()
        if run.over_budget:
            plan = _plan_rounds(_calls_to_judge(run, only), judge, budget)
            for number, wanted in enumerate(plan, 1):
                step(f"running each module in isolation, part {number}")
                run = record(wanted)
                for call in _calls_to_judge(run, only):
                    if wanted.issuperset(_needed_numbers(call)):
                        judge.judge(call)
        else:
            for call in _calls_to_judge(run, only):
                judge.judge(call)
        judge.skip_other_calls(run.calls)
    if only is not None:
        structure = tuple(finding for finding in judge.findings if finding.kind == "structure")
        return IsolationResult(structure, frozenset(judge.judged), {}, 1 + len(plan), judge.leaf_orders)
    return IsolationResult(
        tuple(judge.findings),
        frozenset(judge.judged),
        judge.skipped,
        1 + len(plan),
        judge.leaf_orders,
        frozenset(judge.raised),
    )


def _calls_to_judge(run: Capture, only: Collection[str] | None) -> list[RecordedCall]:
    """Return the calls to judge, inner calls first: those at the paths ``only``, or all if ``only`` is None."""

    def visit(call: RecordedCall) -> Iterator[RecordedCall]:
        for child in call.children:
            yield from visit(child)
        yield call

    roots = (call for call in run.calls if call.parent is None)
    return [call for root in roots for call in visit(root) if only is None or call.path in only]


def _needed_numbers(call: RecordedCall) -> Iterator[int]:
    return (needed.number for needed in (call, *call.children))


def _plan_rounds(calls: Sequence[RecordedCall], judge: CallJudge, budget: int) -> list[set[int]]:
    """Return, for each further run, the numbers of the calls to copy; the copies of one run fit into ``budget``.

    Skips a call if the copies of this call and of its children exceed the budget.
    """
    plan: list[set[int]] = []
    used = 0
    for call in calls:
        sizes = {needed.number: needed.size for needed in (call, *call.children)}
        total = sum(sizes.values())
        if total > budget:
            judge.skip(
                call.path, f"its tensors take {total / 1e9:.1f} GB, more than the limit of {budget / 1e9:.1f} GB"
            )
            continue
        added = sum(size for number, size in sizes.items() if not plan or number not in plan[-1])
        if not plan or used + added > budget:
            plan.append(set())
            used, added = 0, total
        plan[-1] |= sizes.keys()
        used += added
    return plan
