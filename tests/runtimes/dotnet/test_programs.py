"""Hook programs on .NET modules behind mirrors: every variant leaves PyTorch's trace, or says which clause its types forbid."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest
import torch

from hook_contract.program import Program, corpus, parse
from hook_contract.runtimes import interpreter
from bridge.runtimes.dotnet import csharp_registration
from bridge.runtimes.dotnet.programs import DotNet
from hook_contract.runtimes.hook import Hook
from bridge.runtimes.pytorch.programs import PyTorch
from bridge.runtimes.pytorch.world import TorchWorld
from bridge.runtimes.registry import runtime
from hook_contract.runtimes.runtime import Events, unsupported_reason

pytestmark = pytest.mark.dotnet

LEAF = {"kind": "leaf"}
PAIR = {
    "kind": "sequence",
    "children": [{"name": "a", "kind": "leaf", "k": 3}, {"name": "b", "kind": "leaf", "k": 5, "c": 2}],
}


def program(tree: Mapping[str, Any], *steps: Mapping[str, Any], identity: bool = False) -> Program:
    return parse({"name": "p", "clauses": [], "about": "", "tree": tree, "steps": list(steps), "identity": identity})


def do(word: str, **fields: Any) -> dict[str, Any]:
    return {"do": word, **fields}


def hook(name: str, kind: str = "forward", on: str = "", *actions: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    target = {} if fields.get("global") else {"on": on}
    return {"do": "register", "hook": name, "kind": kind, **target, **fields, "actions": list(actions)}


CALL = do("call", args=[3])
#: One program or more of each chapter, and of each word that crosses.
PROGRAMS: dict[str, Program] = {
    "C entry and bypass": program(
        PAIR, hook("p", "pre", "a"), CALL, do("forward", args=[3]), do("call", module="b", args=[1])
    ),
    "C by forward": program({**PAIR, "by": "forward"}, hook("p", "pre", "a"), hook("f", "forward"), CALL),
    "C assigned": program(
        PAIR, do("assign_forward", module="a", k=7), do("assign_call", module="b", k=9), CALL, hook("p", "pre"), CALL
    ),
    "O order": program(
        PAIR,
        hook("g", "pre", **{"global": True}),
        hook("p", "pre", "a", {"add": 1}),
        hook("q", "pre", "a", {"add": 10}, prepend=True),
        hook("f", "forward", "a", {"add": 100}),
        hook("h", "forward", "a", {"add": 1000}, prepend=True),
        CALL,
        do("ids", handles=["p", "q", "f", "h"]),
    ),
    "P values": program(LEAF, hook("p", "pre", "", {"return": {"tuple": [9]}}), hook("q", "pre"), CALL),
    "P kwargs": program(
        {"kind": "keyword"},
        hook("p", "pre", "", {"add": 1}),
        hook("k", "pre", "", {"kwargs": {"shift": 5}}, with_kwargs=True),
        do("call", args=[3], kwargs={"scale": 2}),
    ),
    "P inputs": program(
        {"kind": "inputs"}, hook("p", "pre", "", {"add": 1}), hook("f"), do("call", args=[1, 2], kwargs={"c": 3})
    ),
    "P wrong count": program(LEAF, do("call", args=[1, 2], raises="TypeError"), do("call", raises="TypeError")),
    **{
        f"F {form}": program(
            {"kind": "give", "form": form}, hook("f", "forward", "", {"add": 1}), hook("g"), do("call", args=[3])
        )
        for form in ("tuple", "list", "dict", "nested", "unused")
    },
    "F none": program({"kind": "give", "form": "none"}, hook("f"), CALL),
    "F plain": program({"kind": "give", "form": "plain"}, hook("f"), CALL),
    "A error": program(
        {"kind": "raise", "message": "no"},
        hook("always", "forward", "", always_call=True),
        hook("never"),
        do("call", args=[3], raises="Error"),
    ),
    "A interrupt": program(
        {"kind": "sequence", "children": [{"name": "a", "kind": "raise", "error": "Interrupt"}]},
        hook("always", "forward", "a", always_call=True),
        do("call", args=[3], raises="Interrupt"),
    ),
    "A swallowed": program(
        {"kind": "swallow", "children": [{"name": "a", "kind": "raise"}]},
        CALL,
        hook("p", "pre", "a"),
        hook("always", "forward", "a", {"return": 8}, always_call=True),
        CALL,
        hook("bad", "pre", "a", {"raise": "Error"}),
        CALL,
        hook("stop", "pre", "a", {"raise": "Interrupt"}, prepend=True),
        do("call", args=[3], raises="Interrupt"),
    ),
    "H handles": program(
        LEAF,
        hook("p", "pre"),
        hook("q", "pre", "", {"remove": "p"}),
        CALL,
        CALL,
        do("remove", handle="q"),
        do("remove", handle="q"),
        CALL,
        hook("w", "forward"),
        do("with", handle="w", steps=[CALL]),
        CALL,
    ),
    "D registered while they run": program(
        PAIR,
        hook("p", "pre", "", {"register": {"hook": "late", "kind": "forward", "on": "b"}}),
        hook("f", "forward", "a", {"register": {"hook": "later", "kind": "pre", "on": ""}}, {"remove": "p"}),
        CALL,
        CALL,
    ),
    "D registered by forward": program(
        {"kind": "register", "register": {"hook": "f", "kind": "forward", "actions": [{"add": 1}]}}, CALL, CALL
    ),
    "X calls from hooks": program(
        PAIR,
        hook("p", "pre", "a", {"call": {"module": "b", "args": [7], "limit": 2}}),
        hook("f", "forward", "b"),
        CALL,
        CALL,
    ),
    "X recursion": program({"kind": "recurse", "depth": 4}, hook("p", "pre"), hook("f"), CALL),
    "X threads": program(
        PAIR, hook("p", "pre", "a"), hook("f", "forward", "b"), do("thread", count=3, steps=[do("call", args=[2])] * 3)
    ),
    "B backward": program(
        PAIR,
        hook("b", "backward", "a", {"add": 1}),
        hook("bp", "backward_pre", "b", {"add": 2}),
        hook("f", "forward", "a"),
        do("tensor", name="x", value=3),
        do("call", args=[{"name": "x"}], save="y"),
        do("backward", of="y"),
        do("read", what="grad", name="x"),
    ),
    "L legacy": program(
        LEAF,
        hook("l", "legacy"),
        do("tensor", name="x", value=3),
        do("call", args=[{"name": "x"}], save="y"),
        do("backward", of="y"),
    ),
    "T and Q": program(
        {**LEAF, "parameters": True},
        hook("q", "accumulated", "weight"),
        do("tensor", name="x", value=3),
        hook("t", "tensor", "x", {"add": 1}),
        do("call", args=[{"name": "x"}], save="y"),
        do("backward", of="y"),
        do("read", what="grad", name="x"),
        do("read", what="grad", name="weight"),
    ),
    "I copies": program(
        PAIR,
        hook("p", "pre", "a"),
        hook("f", "forward", ""),
        do("deepcopy", **{"as": "deep"}),
        do("copy", **{"as": "flat"}),
        do("deepcopy", module="a", **{"as": "part"}),
        hook("late", "pre", ""),
        *(do("call", module=f"@{name}", args=[3]) for name in ("deep", "flat", "part")),
        do("drop", **{"as": "deep"}),
        CALL,
    ),
    "I functional call": program(
        {**PAIR, "children": [{**child, "parameters": True} for child in PAIR["children"]]},
        hook("f", "forward", "a"),
        do("functional_call", parameters={"a.weight": 10, "b.bias": 20}, args=[3]),
        CALL,
    ),
    "I checkpoint": program(
        LEAF,
        hook("f", "forward", ""),
        do("tensor", name="x", value=3),
        do("checkpoint", args=[{"name": "x"}], save="y"),
        do("backward", of="y"),
        do("read", what="grad", name="x"),
    ),
    "I sequential": program(
        {"kind": "sequential", "children": PAIR["children"]},
        hook("f", "forward", "b"),
        hook("r", "pre", ""),
        do("slice", start=1, **{"as": "s"}),
        CALL,
        do("call", module="@s", args=[3]),
    ),
    "I modulelist": program(
        {
            "kind": "parallel",
            "children": [
                {"name": "s", "kind": "sequence", "children": PAIR["children"]},
                {"name": "t", "same": "s.a"},
            ],
        },
        hook("p", "pre", "s.a"),
        CALL,
        do("methods"),
        do("train"),
    ),
    "Z opaque": program({"kind": "opaque", "children": [{"name": "a", "kind": "leaf"}]}, hook("p", "pre", "a"), CALL),
    "identity": program(
        {"kind": "sequence", "children": [{"name": "a", "kind": "identity"}, {"name": "b", "kind": "detach"}]},
        hook("p", "pre", "a"),
        hook("b", "backward", "a"),
        hook("f", "forward", "b"),
        do("tensor", name="x", value=3),
        do("call", args=[{"name": "x"}], save="y"),
        do("call", args=[{"name": "y"}]),
        identity=True,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_variant_leaves_pytorchs_trace(name: str) -> None:
    expected = PyTorch().run(PROGRAMS[name])[""]
    traces = DotNet().run(PROGRAMS[name])
    assert traces
    for variant, trace in traces.items():
        assert trace == expected, variant


def test_a_tensor_hook_on_what_is_no_tensor() -> None:
    """T-1: C# has no such call to write, so Python makes it, and its error is PyTorch's."""
    random = program(
        {"kind": "keyword"},
        do("call", args=[{"plain": 0}], save="y"),
        hook("t", "tensor", "y", raises="AttributeError"),
        hook("q", "accumulated", "y", raises="AttributeError"),
    )
    expected = PyTorch().run(random)[""]
    traces = {variant: trace for variant, trace in DotNet().run(random).items() if variant.startswith("object/")}
    assert {"object/python", "object/csharp"} <= traces.keys()
    assert all(trace == expected for trace in traces.values())


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_made_on_the_cpu(name: str) -> None:
    """On the device meta each tensor of a trace is there, and none was mixed with one of the CPU."""
    expected = PyTorch().run(PROGRAMS[name], "meta")[""]
    for variant, trace in DotNet().run(PROGRAMS[name], "meta").items():
        assert trace == expected, variant
    assert not _numbers(expected)


def _numbers(item: Any) -> list[float]:
    """Replace the elements of tensors in a trace, which tensors on meta do not have."""
    if isinstance(item, dict):
        return [
            found
            for key, part in item.items()
            if key not in ("plain", "meta", "number", "ranks", "id")
            for found in _numbers(part)
        ]
    if isinstance(item, list):
        return [found for part in item for found in _numbers(part)]
    return [item] if isinstance(item, (int, float)) and not isinstance(item, bool) else []


def test_variants() -> None:
    """What would repeat another run is left out."""
    run = DotNet().run
    assert set(run(program(LEAF, CALL))) == {
        f"{form}/{language}" for form in ("typed", "object") for language in ("python", "alone")
    }
    assert set(run(program(LEAF, hook("f"), CALL))) == {
        f"{form}/{language}" for form in ("typed", "object") for language in ("python", "csharp", "alone")
    }
    assert len(run(program(LEAF, hook("f"), hook("g"), CALL))) == 8
    untyped = {
        "kind": "sequence",
        "children": [{"name": "a", "kind": "give", "form": "tuple"}, {"name": "b", "kind": "leaf"}],
    }
    assert set(run(program(untyped, do("call", args=[3], raises="TypeError")))) == {"object/python", "object/alone"}


def test_which_hooks_can_be_csharps() -> None:
    found = csharp_registration.registrable_hooks(
        program(
            PAIR,
            hook("yes", "pre", "", {"add": 1}, {"call": {"args": [1]}}),
            hook("everywhere", "pre", **{"global": True}),
            hook("everywhere_in_front", "pre", **{"global": True}, prepend=True),
            hook("kwargs", "pre", "", {"kwargs": {"x": 1}}, with_kwargs=True),
            hook("only_half", "pre", "", {"return": {"tuple": [1, 2]}}, with_kwargs=True),
            hook("backward", "backward", "", {"return": {"tuple": [None, 5, {"vector": [1, 2]}]}}),
            hook("a_list", "backward", "", {"return": {"list": [5]}}),
            hook("no_tensor", "backward_pre", "", {"return": {"tuple": [{"plain": 5}]}}),
            hook("in_place", "backward", "", {"add_": 1}),
            hook("legacy", "legacy"),
            hook("legacy_in_front", "legacy", prepend=True),
            hook("on_a_tensor", "tensor", "x", {"return": 5}),
            hook("accumulated", "accumulated", "x", {"add_": 1}),
            hook("returns", "accumulated", "x", {"return": 5}),
            hook("saved", "forward", "", {"return": {"tuple": [1, {"name": "x"}]}}),
            hook("written", "forward", by="dictionary"),
            hook("mode", "forward", "", {"read": {"what": "grad_mode"}}),
            hook("copied", "forward"),
            hook("both", "forward"),
            hook("both", "pre"),
            hook("nests", "forward", "", {"register": {"hook": "nested", "kind": "pre"}}),
            hook("raises", "forward", "", {"message": "no", "raise": "Error"}),
            do("handle_copy", handle="copied", **{"as": "c"}),
        )
    )
    assert found == (
        *("yes", "everywhere", "kwargs", "backward", "legacy", "on_a_tensor", "accumulated", "mode", "nests", "nested"),
        "raises",
    )


@pytest.mark.parametrize("nested", [False, True])
def test_a_hook_whose_handle_is_copied_is_pythons(nested: bool) -> None:
    """H-6: by the handle's name, wherever the step is."""
    copy = do("handle_copy", handle="mine", **{"as": "c"})
    copied = program(
        LEAF,
        hook("f", "forward", handle="mine"),
        hook("g"),
        do("try", steps=[copy]) if nested else copy,
        CALL,
        do("remove", handle="c"),
        CALL,
    )
    assert csharp_registration.registrable_hooks(copied) == ("g",)
    for variant, trace in DotNet().run(copied).items():
        assert trace == PyTorch().run(copied)[""], variant


def test_types_forbid_no_tree_of_the_corpus() -> None:
    """A variant that is left out fails nowhere, so none may be left out by mistake."""
    for item in corpus():
        if unsupported_reason(runtime("dotnet"), item) is None:
            assert DotNet()._trace(item, "cpu", "typed", ()), item.name  # it would raise UnsupportedTreeError


def test_csharp_hooks_are_csharps(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the variant csharp no Python callable is made for them."""
    made: list[str] = []

    class Noted(Hook):
        def __init__(self, run: Any, registration: Mapping[str, Any]) -> None:
            made.append(registration["hook"])
            super().__init__(run, registration)

    monkeypatch.setattr(interpreter, "Hook", Noted)
    kinds = ("pre", "forward", "backward_pre", "backward")
    hooks = [hook(kind, kind) for kind in kinds]
    tensor = do("tensor", name="x", value=3)
    hooks += [hook("tensor", "tensor", "x"), hook("accumulated", "accumulated", "x")]
    call = do("call", args=[{"name": "x"}], save="y")
    DotNet().run(program(LEAF, tensor, *hooks, call, do("backward", of="y")))
    names = [*kinds, "tensor", "accumulated"]
    assert made == [*names, *names[::2]] * 2


@pytest.mark.parametrize(
    ("tree", "steps", "variants"),
    [
        (LEAF, [hook("f", "forward", "", {"return": {"plain": 5}}), CALL], {"typed/csharp", "typed/alone"}),
        (
            PAIR,
            [hook("f", "forward", "a", {"return": {"plain": 5}}), CALL],
            {"typed/python", "typed/csharp", "typed/alone"},
        ),
        ({"kind": "identity"}, [do("call", args=[{"tuple": [1, 2]}])], {"typed/python", "typed/alone"}),
    ],
)
def test_what_types_forbid_is_a_type_error_with_its_clause(
    tree: Mapping[str, Any], steps: list[Mapping[str, Any]], variants: set[str]
) -> None:
    """F-2: a row of the ledger each."""
    expected = PyTorch().run(program(tree, *steps))[""]
    traces = DotNet().run(program(tree, *steps))
    differing = {variant: trace for variant, trace in traces.items() if trace != expected}
    assert set(differing) == variants
    for trace in differing.values():
        assert trace[-1] == {"event": "raise", "error": "TypeError", "key": "F-2: types in .NET are fixed"}


def test_eight_threads_on_one_model() -> None:
    """Every call's events, taken by themselves, are complete and in order, whatever else is called."""
    calls, threads = 1000, 8
    tree = {"kind": "sequence", "children": [{"name": "a", "kind": "leaf"}, {"name": "b", "kind": "identity"}]}
    busy = program(
        tree,
        hook("p", "pre", "a", {"add": 1}),
        hook("f", "forward", "b", {"add": 2}),
        hook("q", "forward", ""),
        do("thread", count=threads, steps=[do("call", args=[3], times=calls)]),
    )
    single = program(tree, *busy.steps[:-1], CALL)
    once = PyTorch().run(single)[""]
    expected: Events = [{"event": "thread", "number": number, "events": once * calls} for number in range(threads)]
    session = DotNet()._trace(busy, "cpu", "typed", ("f",))
    assert session == expected


def test_what_is_lacking_is_said() -> None:
    found = runtime("dotnet")
    assert found.name == "dotnet"
    why = unsupported_reason(found, program({"kind": "attention"}, CALL))
    assert why == "node:attention: the C# interpreter of programs has no module with attention"
    assert ".NET" in found.version()
    assert "cpu" in found.devices


@pytest.mark.parametrize("name", ["pytorch", "dotnet"])
def test_what_autograd_runs_on_a_thread_of_its_own_is_the_waiting_threads(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """X-4 as on a device, whose part of a graph autograd runs elsewhere; here the CPU's is."""
    backward = torch.Tensor.backward

    def elsewhere(*args: Any, **kwargs: Any) -> None:
        thread = threading.Thread(target=backward, args=args, kwargs=kwargs)
        thread.start()
        thread.join()

    monkeypatch.setattr(torch.Tensor, "backward", elsewhere)
    monkeypatch.setattr(TorchWorld, "device", "elsewhere")
    item = next(item for item in corpus() if item.name == "X-4-grad-mode-of-another-thread")
    for variant, events in runtime(name).run(item).items():
        assert [without_devices(event) for event in events] == list(item.expect), variant


def without_devices(item: Any) -> Any:
    """Remove the devices of tensors that are on another device than the requested one."""
    if isinstance(item, Mapping):
        if item.keys() == {"value", "device"}:
            return without_devices(item["value"])
        return {key: without_devices(value) for key, value in item.items()}
    return [without_devices(value) for value in item] if isinstance(item, list) else item
