"""The judgement of one recorded call: a replay of the C# module on the call's arguments, a comparison, and a search for causes."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from bridge.compare.errors import NoCounterpartError, describe
from bridge.compare.io.containers import Form, arrange, differences, form, order
from bridge.compare.isolate.causes.gradients import find_gradient_differences
from bridge.compare.isolate.causes.memory import find_layout_differences, find_write
from bridge.compare.isolate.causes.missing_calls import find_uncalled
from bridge.compare.isolate.causes.search import add_causes
from bridge.compare.isolate.causes.settings import find_setting_causes
from bridge.compare.isolate.matching import arguments_for, result_for
from bridge.compare.isolate.module_finding import LOCATED, ModuleFinding
from bridge.compare.isolate.pairs import CallPair, ModelPair
from bridge.compare.isolate.record import RecordedCall
from bridge.compare.isolate.state_guard import is_builtin
from bridge.compare.isolate.value_comparison import ValueDifference, compare_values
from bridge.mirror import link_of


@dataclass(slots=True, eq=False)
class CallJudge:
    """The judge of recorded calls. For its fields, see :func:`.judge.judge_modules` and :class:`.module_finding.IsolationResult`."""

    models: ModelPair
    backward: bool = False
    all_operators: bool = False
    skipped: dict[str, str] = field(default_factory=dict)
    judged: set[str] = field(default_factory=set)
    raised: set[str] = field(default_factory=set)
    leaf_orders: dict[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    _forms: dict[str, Form] = field(default_factory=dict)
    _found: dict[tuple[str, str, str], ModuleFinding] = field(default_factory=dict)

    @property
    def findings(self) -> list[ModuleFinding]:
        """Return the findings in the order of PyTorch's run; of equal findings on several calls of a module, the first."""
        return sorted(self._found.values(), key=lambda finding: finding.number)

    def skip(self, path: str, reason: str) -> None:
        """Record why a module is not judged, unless a reason is recorded or another call of the module was judged."""
        if path not in self.judged:
            self.skipped.setdefault(path, reason)

    def skip_other_calls(self, calls: Sequence[RecordedCall]) -> None:
        """Record a reason for each module that PyTorch calls and that was neither judged nor skipped."""
        python, dotnet = self.models.names
        for call in calls:
            if self._counterpart(call.path) is None:
                self.skip(call.path, f"{dotnet} has no such module, or cannot call it")
            else:
                self.skip(call.path, f"its call in {python} returned no result")

    def judge(self, call: RecordedCall) -> None:
        """Replay the C# counterpart of a call and collect what differs."""
        pair = self._replay(call)
        if pair is None:
            return
        found = list(self._compare(pair))
        if self.backward and not any(finding.kind in (*LOCATED, "buffer") for finding in found):
            found += find_gradient_differences(pair)
        # The causes of a finding are searched only at the first call that shows it.
        found = [finding for finding in found if finding.key not in self._found]
        if self._needs_operators(pair, found):
            found = add_causes(pair, found)
        for finding in found:
            self._found.setdefault(finding.key, finding)

    def _counterpart(self, path: str) -> torch.nn.Module | None:
        """Return the C# module for a PyTorch path; None if there is no such module, or it has no ``call``."""
        module = self.models.counterparts.get(path)
        link = None if module is None else link_of(module)
        return None if link is None or link.arguments is None else module

    def _replay(self, call: RecordedCall) -> CallPair | None:
        """Replay the C# counterpart of a call; return None if that is not possible."""
        module = self._counterpart(call.path)
        if call.copy_error and module is not None:
            self.skip(call.path, call.copy_error)
        if module is None or call.copy_error or not call.has_result:
            return None
        try:
            pair = CallPair(self.models, call, module, arguments_for(module, call))
        except NoCounterpartError as error:
            self.skip(call.path, str(error))
            return None
        for child in call.children:
            if child.path in self._forms and child.has_result:
                child.result = arrange(child.result, self._forms[child.path])
        outcome = pair.replay_dotnet(backward=self.backward)
        if isinstance(outcome.raised, TypeError):
            # The recorded values cannot be passed to C#, or C#'s result cannot be returned.
            self.skip(call.path, str(outcome.raised))
            return None
        self.judged.add(call.path)
        self.skipped.pop(call.path, None)
        if outcome.raised is not None:
            self.raised.add(call.path)
        return replace(pair, outcome=outcome)

    def _needs_operators(self, pair: CallPair, found: Sequence[ModuleFinding]) -> bool:
        return (
            any(finding.kind in LOCATED and not finding.settings for finding in found)
            or (pair.outcome.raised is None and bool(find_uncalled(pair)))
            or (self.all_operators and not is_builtin(pair.call.module))
        )

    def _compare(self, pair: CallPair) -> Iterator[ModuleFinding]:
        after = yield from self._compare_inputs(pair)
        outcome = pair.outcome
        if outcome.raised is not None:
            yield _with_settings(pair, pair.finding("raised", describe(outcome.raised), after=after))
            return
        result = result_for(pair.dotnet, pair.call)
        if result is pair.call.result:
            like = form(outcome.result)
            for text in differences(form(result), like, pair.names):
                yield pair.finding("structure", text)
            self._note_order(pair.call.path, "forward", result, like)
            result = arrange(result, like)
        differs = self._difference(pair, result, outcome.result)
        if differs is not None:
            yield _with_settings(pair, pair.finding("result", differs.text, after=after))
        yield from self._compare_buffers(pair)
        if text := find_write(pair):
            yield pair.finding("in place", text)
        if differs is None:
            for kind, text in find_layout_differences(pair, result):
                yield pair.finding(kind, text)

    def _compare_inputs(self, pair: CallPair) -> Generator[ModuleFinding, None, str]:
        """Yield a finding for each child call whose arguments differ; return the path of the last child whose arguments were compared.

        The path is empty if no arguments were compared.
        """
        after = ""
        for child in pair.outcome.child_calls:
            if child.recorded is None or not child.direct:
                continue
            left, right = pair.bind(child.recorded, child)
            if len(left) == len(right):
                like = form(right)
                self._note_order(child.path, "pre", left, like)
                left = arrange(left, like)
            differs = self._difference(pair, left, right)
            if differs is not None:
                yield pair.finding("input", differs.text, child=child.path, after=after, number=child.recorded.number)
            after = child.path
        return after

    def _compare_buffers(self, pair: CallPair) -> Iterator[ModuleFinding]:
        for name, value in pair.call.buffers_after.items():
            if name in pair.outcome.buffers:
                differs = self._difference(pair, value, pair.outcome.buffers[name])
                if differs is not None:
                    yield _with_settings(pair, pair.finding("buffer", differs.text, child=name))

    def _difference(self, pair: CallPair, left: Any, right: Any) -> ValueDifference | None:
        return compare_values(left, right, pair.names, *self.models.tolerances(pair.call.path))

    def _note_order(self, path: str, phase: str, value: Any, like: Form) -> None:
        """Record how C# orders the keys in a value. The root is left out: the comparison of the whole models has reordered its result."""
        if path and (places := order(value, like)):
            self.leaf_orders[path, phase] = places
            if phase == "forward":
                self._forms[path] = like


def _with_settings(pair: CallPair, finding: ModuleFinding) -> ModuleFinding:
    return replace(finding, settings=find_setting_causes(pair))
