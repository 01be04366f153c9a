"""What the interpreter does apart from the hooks of a program: how a program ends, what it leaves behind, what it does not record."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch.nn.modules import module as registries

from bridge.runtimes.pytorch.world import TorchWorld
from bridge.runtimes.registry import runtime
from hook_contract.program import Json, Program
from hook_contract.runtimes.interpreter import Session, run
from hook_contract.runtimes.runtime import unsupported_reason
from hook_contract.runtimes.world import ProgramRun

LEAF = {"kind": "leaf"}
RAISE = {"kind": "raise"}
CALL = {"do": "call", "args": [3]}
RETURNED = [{"event": "enter", "module": "", "args": [3]}, {"event": "return", "value": 7}]
FAILED = [{"event": "enter", "module": "", "args": [3]}, {"event": "raise", "error": "Error", "key": "boom"}]


def trace(*steps: Json, tree: Json = LEAF, identity: bool = False) -> list[Json]:
    return run(Program("example", (), "", tree, steps, identity), TorchWorld())


def pre(hook: str, **fields: Any) -> Json:
    return {"do": "register", "hook": hook, "kind": "pre", **fields}


def test_an_unexpected_exception_ends_the_program() -> None:
    assert trace(CALL, CALL, tree=RAISE) == FAILED


def test_an_expected_exception_does_not() -> None:
    assert trace({**CALL, "raises": "Error"}, CALL, tree=RAISE) == FAILED * 2


def test_another_exception_than_the_expected_one_ends_the_program() -> None:
    assert trace({**CALL, "raises": "RuntimeError"}, CALL, tree=RAISE) == FAILED


def test_an_exception_that_does_not_come_ends_the_program() -> None:
    wanted = {"event": "raise", "error": "", "key": "Error was expected"}

    assert trace({**CALL, "raises": "Error"}, CALL) == [*RETURNED, wanted]


@pytest.mark.parametrize("block", [{"do": "with", "handle": "p"}, {"do": "no_grad"}])
def test_an_unexpected_exception_leaves_a_block_and_is_recorded_once(block: Json) -> None:
    steps = [{**CALL, "module": "b"}, CALL]
    hook = pre("p", on="a")
    tree = {"kind": "sequence", "children": [{"name": "a", **LEAF}, {"name": "b", **RAISE}]}
    failed = [FAILED[0] | {"module": "b"}, FAILED[1]]

    assert trace(hook, {**block, "steps": steps}, CALL, tree=tree) == failed
    assert (
        trace(
            hook, {**block, "steps": steps, "raises": "Error"}, {**CALL, "module": "a", "raises": "Error"}, tree=tree
        )[:2]
        == failed
    )


def test_an_expected_exception_stays_in_the_block() -> None:
    steps = [{**CALL, "raises": "Error"}, {**CALL, "raises": "Error"}]

    assert trace({"do": "no_grad", "steps": steps}, tree=RAISE) == FAILED * 2


def test_the_end_of_the_program_inside_a_block_ends_it_outside_too() -> None:
    steps = [{**CALL, "raises": "Error"}]
    wanted = {"event": "raise", "error": "", "key": "Error was expected"}

    assert trace({"do": "no_grad", "steps": steps}, CALL) == [*RETURNED, wanted]


def test_an_unexpected_exception_in_a_thread_ends_that_thread() -> None:
    found = trace({"do": "thread", "steps": [CALL, CALL]}, {**CALL, "raises": "Error"}, tree=RAISE)

    assert found == [{"event": "thread", "number": 0, "events": FAILED}, *FAILED]


def test_names_of_a_thread_are_its_own() -> None:
    steps = [
        {**CALL, "save": "y"},
        {"do": "compute", "name": "z", "of": "y", "k": 10},
        {"do": "read", "what": "value", "name": "z"},
    ]
    missing_name = {"do": "read", "what": "value", "name": "z", "raises": "AttributeError"}

    found = trace({"do": "thread", "count": 2, "steps": steps}, missing_name)

    assert [thread["events"][-1]["value"] for thread in found[:2]] == [70, 70]
    assert found[2]["error"] == "AttributeError"


def test_the_defect_of_a_runtime_is_not_part_of_the_trace() -> None:
    with pytest.raises(KeyError):
        trace({"do": "call"}, tree={"kind": "no such kind"})


def test_global_hooks_of_others_do_not_take_part_and_are_there_afterwards() -> None:
    seen: list[str] = []
    handle = registries.register_module_forward_pre_hook(lambda *_: seen.append("outer"))
    before = registries._global_forward_pre_hooks
    try:
        found = trace(pre("p", **{"global": True}), CALL)

        assert [event["event"] for event in found] == ["pre", "enter", "return"]
        assert seen == []
        assert registries._global_forward_pre_hooks is before
        assert len(before) == 1
        torch.nn.Identity()(1)
        assert seen == ["outer"]
    finally:
        handle.remove()


def test_global_registries_are_as_before_when_the_program_rebinds_them_and_fails() -> None:
    names = (
        "_global_forward_pre_hooks",
        "_global_forward_hooks",
        "_global_backward_hooks",
        "_global_backward_pre_hooks",
        # None in a fresh process; PyTorch never resets it after a global backward hook.
        "_global_is_full_backward_hook",
    )
    before = [getattr(registries, name) for name in names]
    legacy = {"do": "register", "hook": "l", "kind": "legacy", "global": True}

    trace(legacy, pre("p", **{"global": True}), {"do": "rebind", "kind": "pre"}, CALL, tree=RAISE)

    assert all(getattr(registries, name) is old for name, old in zip(names, before, strict=True))


class Warns(torch.nn.Module):
    def forward(self, x: Any) -> Any:
        warnings.warn("nobody's match key", stacklevel=2)
        warnings.warn("Full backward hook is firing when gradients are computed, or so", stacklevel=2)
        warnings.warn("Full backward hook is firing when gradients are computed, or so", stacklevel=2)
        return x


def test_a_warning_is_recorded_each_time_and_only_with_a_match_key() -> None:
    class Warning(TorchWorld):
        def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> torch.nn.Module:
            return Warns()

    with no_warnings_shown():
        found = run(Program("example", (), "", LEAF, (CALL,)), Warning())

    key = "Full backward hook is firing when gradients are computed"
    assert found[:2] == [{"event": "warning", "category": "UserWarning", "key": key}] * 2
    assert [event["event"] for event in found[2:]] == ["return"]


@contextmanager
def no_warnings_shown() -> Iterator[None]:
    """Fail if a run lets a warning out, or does not restore how warnings are shown."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        before = warnings.showwarning
        yield
        assert warnings.showwarning is before
    assert shown == []


def test_a_hook_registered_again_under_its_name_is_the_same_callable() -> None:
    found = trace(pre("p", actions=[{"add": 1}]), pre("p", handle="again", actions=[{"add": 100}]), CALL)

    assert [event["args"] for event in found[:3]] == [[3], [4], [5]]


def test_the_last_return_or_add_is_what_a_hook_gives() -> None:
    actions = [{"return": 50}, {"add": 1}, {"register": {"hook": "q", "kind": "forward"}}]

    assert trace(pre("p", actions=actions), CALL)[1]["args"] == [4]


def test_a_call_of_an_action_is_made_as_often_as_its_limit_says_in_the_entire_program() -> None:
    actions = [{"call": {"module": "a", "args": [1], "limit": 2}}]
    tree = {"kind": "sequence", "children": [{"name": "a", **LEAF}]}

    found = trace(pre("p", actions=actions), CALL, CALL, CALL, tree=tree)

    assert [event["args"] for event in found if event["event"] == "enter" and event["module"] == "a"] == [
        [1],
        [3],
        [1],
        [3],
        [3],
    ]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3, 3),
        (2.5, 2.5),
        (None, None),
        ({"plain": 3}, {"plain": 3}),
        ({"text": "a"}, {"text": "a"}),
        ({"vector": [1, 2]}, {"vector": [1, 2]}),
        ({"vector": [4]}, 4),
        ({"tuple": [1, {"list": [{"plain": 2.5}]}]}, {"tuple": [1, {"list": [{"plain": 2.5}]}]}),
        ({"dict": {"a": None}}, {"dict": {"a": None}}),
    ],
)
def test_values_come_back_as_they_were_written(value: Json, written: Json) -> None:
    assert trace({"do": "call", "args": [value]}, tree={"kind": "identity"})[-1] == {
        "event": "return",
        "value": written,
    }


def test_ids_number_the_tensors_as_they_are_met() -> None:
    found = trace({**CALL, "save": "y"}, {"do": "call", "args": [{"name": "y"}]}, identity=True)

    assert found[1]["value"] == {"value": 7, "id": 1}
    assert found[2]["args"] == [{"value": 7, "id": 1}]
    assert found[3]["value"] == {"value": 15, "id": 2}


def test_tensors_are_of_one_element_in_double_precision() -> None:
    session = Session(Program("example", (), "", LEAF, ()), TorchWorld())

    assert session.make(3).dtype == torch.float64
    assert session.make(3).shape == (1,)
    assert session.make({"vector": [1, 2]}).shape == (2,)


def test_a_program_may_be_run_again() -> None:
    program = Program("example", (), "", LEAF, (pre("p", actions=[{"add": 1}]), CALL))

    assert run(program, TorchWorld()) == run(program, TorchWorld())


def test_pytorch_lacks_nothing() -> None:
    program = Program("example", (), "", {"kind": "encoder"}, ({"do": "rebind", "kind": "pre"},))

    assert unsupported_reason(runtime("pytorch"), program) is None


def test_what_a_runtime_lacks_is_reported_with_the_reason() -> None:
    class Small:
        name = "small"
        lacks: Mapping[str, str] = {"step:rebind": "its registries are constants", "node:encoder": "it has none"}
        devices = ("cpu",)

    program = Program("example", (), "", {"kind": "encoder"}, ({"do": "rebind", "kind": "pre"}, CALL))

    assert (
        unsupported_reason(Small(), program) == "node:encoder: it has none; step:rebind: its registries are constants"
    )  # type: ignore[arg-type]
