"""One module's call judged: what differs although it was given the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import torch

from bridge.compare.errors import describe
from bridge.compare.io.containers import Form, arranged, differences, form, order
from bridge.compare.isolate.causes.counterfactual import Undoing, Undone, is_alike, together, undoings
from bridge.compare.isolate.causes.grad_cuts import GRADIENT, Cut, Gradients, are_near, stops
from bridge.compare.isolate.causes.grad_cuts import proven as proven_stop
from bridge.compare.isolate.causes.inplace import Overwriting, written_only_by
from bridge.compare.isolate.causes.memory import notices, writer, writes
from bridge.compare.isolate.causes.missing_calls import Stray, bypassed, strays, uncalled
from bridge.compare.isolate.causes.settings import proven
from bridge.compare.isolate.divergence import Parting, counterpart, depends, handed_to, is_near, others, partings
from bridge.compare.isolate.matching import Binding, NoCounterpartError, arguments_for, result_for
from bridge.compare.isolate.measures import Tolerances, measure
from bridge.compare.isolate.operators import Operator, Recorded
from bridge.compare.isolate.record import Call, Capture
from bridge.compare.isolate.replay import Outcome, Received, run_alone
from bridge.compare.isolate.source_location import InCSharp, in_python
from bridge.compare.isolate.state_guard import is_torchs
from bridge.compare.models.settings import Setting
from bridge.mirror import link_of
from bridge.runtimes.recording import paths

#: Values as near as this are the same, written otherwise; where they differ by less, not a bit may.
NEAR: Final = 1e-4
#: In place of a call's number: the forward raised.
RAISED: Final = -1
#: As many partings are undone together at most.
TOGETHER: Final = 8
#: Kinds of faults whose operators are looked for.
LOCATED: Final = ("received", "result", "raised", "in place")

Arguments: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """What one module does otherwise than its PyTorch counterpart on the same inputs, its children giving the same.

    ``kind`` is ``raised``, ``received`` (what ``child`` was given), ``result``, ``buffer``, ``gradient``, ``in place``, ``alias`` or
    ``strides``, ``structure`` (what holds its result), ``calls``, ``bypass`` (of ``child``); ``words`` say what,
    ``after`` is the child up to whose result all was equal. ``settings`` are those that explain it: with them PyTorch's module does the
    same. ``parting`` is where the two forwards part, proven by undoing it, if that is known, ``source`` the place in C# where ``child`` is
    called, and ``line`` what is written there.
    """

    path: str
    type: str
    kind: str
    words: str
    number: int
    child: str = ""
    after: str = ""
    absolute: float = 0.0
    settings: tuple[Setting, ...] = ()
    parting: Parting | None = None
    source: str = ""
    line: str = ""


@dataclass(slots=True, eq=False)
class Judge:
    """Judges calls, and keeps what it found."""

    python: torch.nn.Module
    dotnet: torch.nn.Module
    settings: Sequence[Setting]
    names: tuple[str, str]
    tolerances: Tolerances
    backward: bool
    everywhere: bool = False
    refused: dict[str, str] = field(default_factory=dict)
    orders: dict[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    _forms: dict[str, Form] = field(default_factory=dict)
    _found: dict[tuple[str, str, str], Fault] = field(default_factory=dict)
    raised: set[str] = field(default_factory=set)
    _judged: set[str] = field(default_factory=set)
    _binding: Binding = field(default_factory=Binding)
    _there: dict[str, torch.nn.Module] = field(default_factory=dict)
    _places: dict[torch.nn.Module, tuple[str, ...]] = field(default_factory=dict)
    _recorded: dict[torch.nn.Module, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = paths({"": self.python})
        originals = dict(self.python.named_modules(remove_duplicate=False))
        self._recorded = {module: (path,) for module, path in known.items()}
        ports: dict[torch.nn.Module, list[str]] = {}
        for path, module in self.dotnet.named_modules(remove_duplicate=False):
            if path in originals:
                self._there.setdefault(known[originals[path]], module)
                ports.setdefault(module, []).append(known[originals[path]])
            else:
                ports.setdefault(module, []).append(path)
        self._places = {module: tuple(dict.fromkeys(some)) for module, some in ports.items()}

    @property
    def judged(self) -> frozenset[str]:
        return frozenset(self._judged)

    def refuse(self, path: str, why: str) -> None:
        if path not in self._judged:
            self.refused.setdefault(path, why)

    def found(self) -> list[Fault]:
        """The faults in the order of the run: of a module that was called several times, the first of each kind."""
        return sorted(self._found.values(), key=lambda fault: fault.number)

    def unseen(self, run: Capture) -> None:
        """Those that PyTorch never called have nothing to be judged on, and need no word; those that raised there have."""
        for call in run.calls:
            if call.path not in self._judged and call.path not in self.refused:
                self.refuse(call.path, f"its call in {self.names[0]} gave no result")

    def judge(self, call: Call) -> None:
        """Runs the C# counterpart of a call's module by itself."""
        module = self._there.get(call.path)
        link = None if module is None else link_of(module)
        if module is None or link is None or link.arguments is None:
            return
        if call.refused or not call.ended:
            if call.refused:
                self.refuse(call.path, call.refused)
            return
        try:
            given = arguments_for(module, call)
        except NoCounterpartError as error:
            self.refuse(call.path, str(error))
            return
        for child in call.children:
            if child.path in self._forms and child.ended:
                child.result = arranged(child.result, self._forms[child.path])
        outcome = run_alone(module, call, given, self._places, backward=self.backward)
        if outcome.raised is not None and _is_about_crossing(outcome.raised):
            self.refuse(call.path, f"{outcome.raised}")
            return
        self._judged.add(call.path)
        self.refused.pop(call.path, None)
        if outcome.raised is not None:
            self.raised.add(call.path)
        found = list(self._faults(call, module, given, outcome))
        if self.backward and not any(fault.kind in (*LOCATED, "buffer") for fault in found):
            found += self._gradients(call, module, given, outcome)
        # Of a module that is called often, what is known is not looked for again.
        found = [fault for fault in found if (fault.path, fault.kind, fault.child) not in self._found]
        shown = any(fault.kind in LOCATED and not fault.settings for fault in found)
        shown |= outcome.raised is None and bool(uncalled(call, outcome))
        if shown or (self.everywhere and not is_torchs(call.module)):
            found = self._located(call, module, given, outcome, found)
        for fault in found:
            self._found.setdefault((fault.path, fault.kind, fault.child), fault)

    def _gradients(self, call: Call, module: torch.nn.Module, given: Arguments, outcome: Outcome) -> Iterator[Fault]:
        """The first gradient that differs although all values are equal, with the place where the flow is cut, if it is."""
        there = run_alone(call.module, call, (call.args, call.kwargs), self._recorded, backward=True)
        ours, theirs = there.gradients or {}, _flowing(outcome)
        if (without := self._without_flow(call, module, given, outcome, there)) is not None:
            yield without
            return
        for name, one in ours.items():
            other = theirs.get(name)
            if (one is None and other is None) or name not in theirs:
                continue
            plain = Fault(call.path, type(call.module).__name__, "gradient", "", call.number, child=name)
            if one is not None and other is not None:
                if is_near(one, other, GRADIENT):
                    continue
                away = measure(one, other, 0.0, 0.0, self.names)
                stopped, source = self._stopped(call, module, given, theirs)
                yield replace(plain, words=f"{away.words if away is not None else 'differs'}{stopped}", source=source)
            elif one is None:
                yield replace(plain, words=f"flows in {self.names[1]} and not in {self.names[0]}")
            else:
                stopped, source = self._stopped(call, module, given, theirs)
                words = f"flows in {self.names[0]} and not in {self.names[1]}{stopped}"
                yield replace(plain, words=words, source=source)
            return

    def _without_flow(
        self,
        call: Call,
        module: torch.nn.Module,
        given: Arguments,
        outcome: Outcome,
        there: Outcome,
    ) -> Fault | None:
        """The first child that one side alone calls under ``no_grad``, where a gradient comes back to what it gives on the other side.

        That C# does is the cause, and has its place, where all else is the same, or PyTorch's forward with it has the same gradients.
        """
        ours, theirs = there.gradients or {}, _flowing(outcome)
        wanted = {one.call.number: one.flow for one in there.received if one.call is not None}
        for inner in outcome.received:
            if inner.call is None or wanted.get(inner.call.number, inner.flow) == inner.flow:
                continue
            flows = (outcome if inner.flow else there).gradients or {}
            if all(flows.get(name) is None for name in flows if name.endswith(f" of {inner.path}")):
                continue
            this, other_side = self.names if inner.flow else self.names[::-1]
            words = f"does not flow: it is called under no_grad in {this}, not in {other_side}"
            plain = Fault(call.path, type(call.module).__name__, "gradient", words, call.number, child=inner.path)
            if inner.flow:
                return plain
            right = self._recordings(call, module, given)[1]
            if are_near(ours, theirs):
                return replace(plain, source=next((one.source for one in handed_to(right, inner.call.number)), ""))
            if source := self._stopped(call, module, given, theirs, "no_grad")[1]:
                return replace(plain, source=source)
        return None

    def _stopped(
        self,
        call: Call,
        module: torch.nn.Module,
        given: Arguments,
        theirs: Gradients,
        name: str = "",
    ) -> tuple[str, str]:
        """What stops gradients in C# and not in PyTorch, in words, and its place, where PyTorch's with that has the same ones; only what
        has that ``name``, if one is given."""

        def run(cut: Cut) -> Gradients:
            arguments = (call.args, call.kwargs)
            there = run_alone(
                call.module, call, arguments, self._recorded, backward=True, listener=cut, carries=cut.carries
            )
            return there.gradients or {}

        known = [one for one in stops(*self._recordings(call, module, given)) if name in ("", one.name)]
        one = proven_stop(known, theirs, run)
        return ("", "") if one is None else (f": {one.name} in {self.names[1]}, not in {self.names[0]}", one.source)

    def _recordings(self, call: Call, module: torch.nn.Module, given: Arguments) -> tuple[Recorded, Recorded]:
        link = link_of(module)
        assert link is not None
        left, right = Recorded(in_python), Recorded(InCSharp(link.host))
        run_alone(call.module, call, (call.args, call.kwargs), self._recorded, listener=left)
        run_alone(module, call, given, self._places, listener=right)
        return left, right

    def _located(
        self,
        call: Call,
        module: torch.nn.Module,
        given: Arguments,
        outcome: Outcome,
        found: list[Fault],
    ) -> list[Fault]:
        """The faults with the operators at which the two forwards part. Both run again, and record them."""
        link = link_of(module)
        assert link is not None
        left, right = Recorded(in_python), Recorded(InCSharp(link.host))
        again = run_alone(call.module, call, (call.args, call.kwargs), self._recorded, listener=left)
        if again.raised is not None or measure(call.result, again.result, 0.0, 0.0, self.names) is not None:
            return found  # PyTorch's own does not do the same twice
        there = run_alone(module, call, given, self._places, listener=right)
        if (there.raised is None) != (outcome.raised is None):
            return found  # what is recorded is another run
        parted = partings(left, right)
        astray = strays(call, outcome, right, self._is_given)
        located = []
        for fault in found:
            # Behind a call that lacks or is of another child, what differs may come of that.
            if astray and fault.kind in ("received", "result", "raised") and _is_behind(fault, astray[0]):
                continue
            placed = _placed(fault, right)
            if fault.kind == "in place" and (by := writer(call, outcome, left, right))[0]:
                placed = replace(fault, words=f"{fault.words}: {by[0]}", source=by[1])
            parting = self._cause(placed, call, module, given, outcome, parted, left, right)
            if parting is None:
                placed = self._overwritten(placed, call, module, outcome, left, right)
            located.append(replace(placed, parting=parting, source=_lacking_at(parting, right) or placed.source))
        plain = Fault(call.path, type(call.module).__name__, "calls", "", call.number)
        types = {path: type(there).__name__ for path, there in self._there.items()}
        said = [
            replace(
                plain,
                kind="bypass" if one.bypass else "calls",
                words=one.words,
                child=one.child,
                number=one.number,
                source=one.source,
            )
            for one in (*bypassed(call, outcome, right, types), *astray)
        ]
        return [*located, *said]

    def _cause(
        self,
        fault: Fault,
        call: Call,
        module: torch.nn.Module,
        given: Arguments,
        outcome: Outcome,
        parted: Sequence[Sequence[Parting]],
        left: Recorded,
        right: Recorded,
    ) -> Parting | None:
        """The first parting with which undone C#'s forward does there what PyTorch's does, and nothing else that it did not before; else
        the first without which all others undone do not."""
        if fault.settings or fault.kind not in ("received", "result", "raised"):
            return None
        place = {"received": fault.number, "result": None}.get(fault.kind, RAISED)
        near = NEAR
        before = self._differing(call, module, outcome, Undoing(), near)
        if place not in before:
            near = 0.0
            before = self._differing(call, module, outcome, Undoing(), near)

        def undoes(undoing: Undoing) -> bool:
            listener = Undone(undoing, right)
            again = run_alone(module, call, given, self._places, listener=listener)
            return not listener.astray and self._differing(call, module, again, undoing, near) <= before - {place}

        for some in parted:
            candidates = list(_partings_of(fault, call, some, left, right))
            for one in candidates:
                for way in undoings(one, some, left, right, lambda: others(right, left)):
                    if undoes(way):
                        return way.parting or one
            if 1 < len(some) <= TOGETHER and (whole := together(some)) is not None and undoes(whole):
                for one in (one for one in some if one in candidates):
                    rest = [other for other in some if other is not one]
                    if (without := together([*rest, *rest[:1]])) is not None and not undoes(without):
                        return one
        return None

    def _overwritten(
        self, fault: Fault, call: Call, module: torch.nn.Module, outcome: Outcome, left: Recorded, right: Recorded
    ) -> Fault:
        """With the operator that C# alone lets write in place, where PyTorch's forward, in which it does too, hands on what C#'s does."""
        if fault.settings or fault.kind not in ("received", "result"):
            return fault
        number = fault.number if fault.kind == "received" else None
        for by in written_only_by(left, right):
            if not any(depends(handed, by) for handed in handed_to(right, number)):
                continue
            there = self._as_written(by, call)
            if there is not None and number not in self._apart(call, module, there, outcome):
                return replace(fault, words=f"{fault.words}: {by.aten} changed it in place", source=by.source)
        return fault

    def _as_written(self, by: Operator, call: Call) -> Outcome | None:
        """PyTorch's module alone, in which that operator writes in place; None where it calls no such or raises then."""
        listener = Overwriting(by)
        there = run_alone(call.module, call, (call.args, call.kwargs), self._recorded, listener=listener)
        return there if listener.done and there.raised is None else None

    def _apart(self, call: Call, module: torch.nn.Module, there: Outcome, outcome: Outcome) -> frozenset[int | None]:
        """The numbers of the children's calls that a run of PyTorch's module hands something else than C#'s does; None: the result."""
        given = {one.call.number: one for one in there.received if one.call is not None}
        changed = [
            replace(child, args=given[child.number].args, kwargs=given[child.number].kwargs)
            if child.number in given
            else child
            for child in call.children
        ]
        return self._differing(replace(call, children=changed, result=there.result), module, outcome, Undoing(), NEAR)

    def _differing(
        self, call: Call, module: torch.nn.Module, outcome: Outcome, undoing: Undoing, near: float
    ) -> frozenset[int | None]:
        """The numbers of the children's calls that were given something else, None for the result; :data:`RAISED`."""
        found: set[int | None] = set()
        children = {child.number: child for child in call.children}
        for received in outcome.received:
            if received.call is not None and received.direct:
                child = children[received.call.number]
                ours, theirs = self._binding.both(child, received.module, received.args, received.kwargs)
                if not is_alike(ours, undoing.handed(theirs, ours), near):
                    found.add(child.number)
        if outcome.raised is not None:
            return frozenset((*found, RAISED))
        wanted = result_for(module, call)
        if not is_alike(wanted, undoing.handed(outcome.result, wanted), near):
            found.add(None)
        return frozenset(found)

    def _is_given(self, received: Received, child: Call) -> bool:
        """Whether a child of C# was given what a call of PyTorch's was."""
        left, right = self._binding.both(child, received.module, received.args, received.kwargs)
        return bool(left) and measure(left, right, *self.tolerances(child.path), self.names) is None

    def _faults(self, call: Call, module: torch.nn.Module, given: Arguments, outcome: Outcome) -> Iterator[Fault]:
        plain = Fault(call.path, type(call.module).__name__, "", "", call.number)
        rtol, atol = self.tolerances(call.path)
        after = ""
        for received in outcome.received:
            if received.call is None or not received.direct:
                continue
            left, right = self._binding.both(received.call, received.module, received.args, received.kwargs)
            if len(left) == len(right):
                like = form(right)
                self._ordered(received.path, "pre", left, like)
                left = arranged(left, like)
            away = measure(left, right, rtol, atol, self.names)
            if away is not None:
                yield replace(plain, kind="received", words=away.words, absolute=away.absolute, child=received.path,
                              after=after, number=received.call.number)  # fmt: skip
            after = received.path
        if outcome.raised is not None:
            fault = replace(plain, kind="raised", words=describe(outcome.raised), after=after)
            yield replace(fault, settings=self._proven(call, module, given, outcome))
            return
        wanted = result_for(module, call)
        if wanted is call.result:
            like = form(outcome.result)
            for words in differences(form(wanted), like, self.names):
                yield replace(plain, kind="structure", words=words)
            self._ordered(call.path, "forward", wanted, like)
            wanted = arranged(wanted, like)
        away = measure(wanted, outcome.result, rtol, atol, self.names)
        if away is not None:
            fault = replace(plain, kind="result", words=away.words, absolute=away.absolute, after=after)
            yield replace(fault, settings=self._proven(call, module, given, outcome))
        for name, value in call.after.items():
            if name in outcome.after:
                away = measure(value, outcome.after[name], rtol, atol, self.names)
                if away is not None:
                    fault = replace(plain, kind="buffer", words=away.words, absolute=away.absolute, child=name)
                    yield replace(fault, settings=self._proven(call, module, given, outcome))
        if words := writes(call, outcome, self.names):
            yield replace(plain, kind="in place", words=words)
        if away is None:
            for kind, words in notices(call, outcome, self.names):
                yield replace(plain, kind=kind, words=words)

    def _ordered(self, path: str, phase: str, value: Any, like: Form) -> None:
        """Notes the order of C#'s keys. The root's are known (:class:`bridge.compare.io.containers.ByKey`)."""
        if path and (places := order(value, like)):
            self.orders[path, phase] = places
            if phase == "forward":
                self._forms[path] = like

    def _proven(self, call: Call, module: torch.nn.Module, given: Arguments, outcome: Outcome) -> tuple[Setting, ...]:
        return proven(call, module, given, outcome, self.settings, self.names)


def _flowing(outcome: Outcome) -> Gradients:
    """The gradients of a run, without those of what a child gives that is called under ``no_grad``: the replay gave it a graph."""
    still = tuple(f" of {one.path}" for one in outcome.received if not one.flow)
    return {name: one for name, one in (outcome.gradients or {}).items() if not still or not name.endswith(still)}


def _partings_of(
    fault: Fault, call: Call, parted: Sequence[Parting], left: Recorded, right: Recorded
) -> Iterator[Parting]:
    """The partings that what differs may come of, the first first."""
    if fault.settings or fault.kind not in ("received", "result", "raised"):
        return
    number = fault.number if fault.kind == "received" else None
    for one in parted:
        for operator, side in ((one.left, left), (one.right, right)):
            if operator is not None and (
                fault.kind == "raised" or any(depends(handed, operator) for handed in handed_to(side, number))
            ):
                yield from one.deeper
                yield one
                yield from one.otherwise
                break


def _is_behind(fault: Fault, stray: Stray) -> bool:
    return fault.kind != "received" or fault.number >= stray.number


def _lacking_at(parting: Parting | None, right: Recorded) -> str:
    """The place in C# that makes what a missing operator takes."""
    if parting is None or parting.left is None or not (parting.missing or parting.right is None):
        return ""
    for value in parting.left.inputs:
        there = counterpart(value, right)
        if there is not None and (source := there.source or (there.maker.source if there.maker is not None else "")):
            return source
    return ""


def _placed(fault: Fault, recorded: Recorded) -> Fault:
    """With the place in C# where the child is called that was given something else."""
    if fault.kind == "received":
        for handed in handed_to(recorded, fault.number):
            return replace(fault, source=handed.source, line=handed.line)
    return fault


def _is_about_crossing(error: BaseException) -> bool:
    """The replayed values cannot be given to C#: nothing is said of the module."""
    return isinstance(error, TypeError)
