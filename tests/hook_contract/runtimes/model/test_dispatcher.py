"""The model of the contract: it imports nothing of the rest, is short enough to be read, and behaves as PyTorch does."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bridge.runtimes.registry import runtime
from hook_contract.program import parse
from hook_contract.runtimes.model import autograd, dispatcher, handle
from hook_contract.runtimes.runtime import unsupported_reason

LEAF = {"kind": "leaf"}
PARAMETERS = {"kind": "leaf", "parameters": True}
TWO = {"kind": "sequence", "children": [{"name": "a", **PARAMETERS}, {"name": "b", "kind": "leaf", "k": 3}]}
INPUTS = {"kind": "inputs"}
X = {"do": "tensor", "name": "x", "value": 3}
CALL = {"do": "call", "args": [{"name": "x"}], "save": "y"}
BACKWARD = {"do": "backward", "of": "y"}
GRAD = {"do": "read", "what": "grad", "name": "x"}


def on(kind: str, hook: str = "h", *actions: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {"do": "register", "hook": hook, "kind": kind, "actions": list(actions), **options}


#: By what they show: a tree and steps. One for each chapter at least.
PROGRAMS: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "C-2 an assigned forward": (LEAF, [on("pre", "h", {"assign_forward": {"k": 5}}), X, CALL, CALL]),
    "C-5 registered by a bare forward": (
        {"kind": "register", "register": {"hook": "late", "kind": "forward"}},
        [X, CALL, CALL],
    ),
    "O-2 prepend": (LEAF, [on("pre", "a"), on("pre", "b", prepend=True), on("pre", "g", **{"global": True}), X, CALL]),
    "P-2 a list is one argument": (
        LEAF,
        [on("pre", "h", {"return": {"list": [1]}}), {**CALL, "raises": "TypeError"}, X, CALL],
    ),
    "P-4 a bare tensor is unpacked": (
        INPUTS,
        [on("pre", "h", {"return": {"tuple": [{"vector": [5, 6]}, {"dict": {}}]}}, with_kwargs=True), X, CALL],
    ),
    "F-2 replaced by 0": (TWO, [on("forward", "h", {"return": {"plain": 0}}, on="a"), X, CALL]),
    "A-6 silenced": (
        {"kind": "raise"},
        [
            on("forward", "a", {"raise": "Error"}, always_call=True),
            on("forward", "b", {"return": 4}, always_call=True),
            on("forward", "c", always_call=True),
            X,
            {**CALL, "raises": "Error"},
        ],
    ),
    "G-2 of all modules, kwargs are not forgotten": (
        {"kind": "keyword"},
        [
            on("forward", "a", {"remove": "b"}, **{"global": True}),
            on("forward", "b", with_kwargs=True, **{"global": True}),
            {"do": "call", "args": [3], "kwargs": {"scale": 2}},
        ],
    ),
    "G-5 mixed": (LEAF, [on("backward", "f"), {**on("legacy", "l"), "raises": "RuntimeError"}]),
    "H-3 H-5 handles": (
        LEAF,
        [
            on("pre", "a"),
            on("pre", "b"),
            {"do": "with", "handle": "a", "steps": [X, CALL]},
            {"do": "remove", "handle": "a"},
            CALL,
            {"do": "ids", "handles": ["b", "a"]},
        ],
    ),
    "D-1 added and removed in the phase": (
        LEAF,
        [on("pre", "a", {"remove": "b"}, {"register": {"hook": "c", "kind": "pre"}}), on("pre", "b"), X, CALL, CALL],
    ),
    "B-11 B-13 B-20 around a module": (
        {"kind": "give", "form": "tuple", "parameters": True},
        [
            on("backward_pre", "p", {"add": 1}),
            on("backward", "f", {"read": {"what": "grad", "name": "weight"}}, {"add": 2}),
            on("tensor", "w", on="weight"),
            X,
            CALL,
            {"do": "backward", "of": "y.0"},
            GRAD,
        ],
    ),
    "B-7 no input requires grad": (PARAMETERS, [on("backward", "f"), {**CALL, "args": [3]}, BACKWARD]),
    "B-9 a pre hook alone": (PARAMETERS, [on("backward_pre", "p"), {**CALL, "args": [3]}, BACKWARD]),
    "B-16 in place": (
        {"kind": "identity"},
        [
            on("backward", "f"),
            on("pre", "p", {"add": 1}),
            X,
            CALL,
            {"do": "inplace", "name": "y", "raises": "RuntimeError"},
        ],
    ),
    "B-19 nested": (
        TWO,
        [on(kind, kind + at, on=at) for kind in ("backward_pre", "backward") for at in ("", "a", "b")]
        + [X, CALL, BACKWARD],
    ),
    "X-1 recursion": ({"kind": "recurse", "depth": 2}, [on("pre", "p"), on("forward", "f"), X, CALL]),
    "X-4 a thread": (
        LEAF,
        [on("pre", "p"), {"do": "no_grad", "steps": [{"do": "thread", "steps": [X, CALL, BACKWARD, GRAD]}]}],
    ),
    "L-4 L-7 legacy": (
        TWO,
        [on("legacy", "l", on="a"), on("legacy", "r", {"return": {"tuple": [5, None]}}), X, CALL, BACKWARD, GRAD],
    ),
    "T-5 T-15 tensor hooks": (
        TWO,
        [
            X,
            {"do": "compute", "name": "m", "of": "x"},
            {"do": "retain_grad", "name": "m"},
            on("tensor", "m1", {"add": 1}, on="m"),
            {**CALL, "args": [{"name": "m"}]},
            on("tensor", "x1", {"add": 5}, on="x"),
            {**BACKWARD, "retain_graph": True},
            {"do": "read", "what": "grad", "name": "m"},
            {"do": "grad", "of": "y", "inputs": ["x", "m"]},
            GRAD,
            {**BACKWARD, "raises": "RuntimeError"},
        ],
    ),
    "T-10 T-16 in place": (
        LEAF,
        [
            X,
            {"do": "compute", "name": "m", "of": "x"},
            {"do": "retain_grad", "name": "m"},
            on("tensor", "old", on="m"),
            {"do": "inplace", "name": "m"},
            on("tensor", "new", {"add": 1}, on="m"),
            {**CALL, "args": [{"name": "m"}]},
            BACKWARD,
            {"do": "read", "what": "grad", "name": "m"},
        ],
    ),
    "Q-2 Q-3 post-accumulate": (
        PARAMETERS,
        [
            X,
            on("accumulated", "w", {"add_": 1}, on="weight"),
            on("accumulated", "x", {"return": 5}, on="x"),
            CALL,
            {**BACKWARD, "raises": "RuntimeError"},
            {"do": "read", "what": "grad", "name": "weight"},
        ],
    ),
    "Q-4 no gradient": (
        LEAF,
        [X, on("accumulated", "q", on="x"), on("backward", "b", {"return": {"tuple": [None]}}), CALL, BACKWARD, GRAD],
    ),
    "N-6 of some inputs": (TWO, [X, CALL, on("tensor", "w", on="a.weight"), {**BACKWARD, "inputs": ["x"]}, GRAD]),
    "I copies": (
        TWO,
        [
            on("pre", "p", on="a"),
            {"do": "deepcopy", "as": "deep"},
            {"do": "copy", "as": "flat"},
            {"do": "remove", "handle": "p"},
            X,
            {**CALL, "module": "@deep"},
            {**CALL, "module": "@flat"},
        ],
    ),
    "create_graph": (
        PARAMETERS,
        [
            on("backward", "f"),
            X,
            CALL,
            {"do": "grad", "of": "y", "inputs": ["x"], "create_graph": True, "save": "g"},
            {"do": "backward", "of": "g.0"},
            {"do": "read", "what": "grad", "name": "weight"},
        ],
    ),
}


@pytest.mark.parametrize("identity", [False, True], ids=["values", "identity"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_does_as_pytorch_does(name: str, identity: bool) -> None:
    tree, steps = PROGRAMS[name]
    program = parse({"name": "test", "clauses": [], "about": name, "tree": tree, "steps": steps, "identity": identity})
    expected = runtime("pytorch").run(program)[""]
    assert expected, "the program left no trace"
    assert runtime("model").run(program)[""] == expected


def test_keeps_no_hook_of_another_program() -> None:
    steps = [on("pre", "everywhere", **{"global": True}), X, CALL]
    hooked = parse({"name": "a", "clauses": [], "about": "", "tree": LEAF, "steps": steps})
    bare = parse({"name": "b", "clauses": [], "about": "", "tree": LEAF, "steps": [X, CALL]})
    first = runtime("model").run(hooked)[""]
    assert [event["event"] for event in first] == ["pre", "enter", "return"]
    assert [event["event"] for event in runtime("model").run(bare)[""]] == ["enter", "return"]


def test_says_what_it_lacks() -> None:
    step = {"do": "checkpoint", "args": [3]}
    program = parse({"name": "a", "clauses": [], "about": "", "tree": LEAF, "steps": [step]})
    assert (unsupported_reason(runtime("model"), program) or "").startswith("step:checkpoint: ")


def test_runs_without_torch_and_without_dotnet(run_snippet: Callable[..., Any]) -> None:
    program = {"name": "a", "clauses": [], "about": "", "tree": LEAF, "steps": [on("pre"), X, CALL, BACKWARD, GRAD]}
    run = run_snippet("events", "run", "model", program, False, new=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "4 []"


@pytest.mark.parametrize("module", [handle, autograd, dispatcher], ids=lambda module: module.__name__)
def test_needs_the_standard_library_and_the_model_alone(module: ModuleType) -> None:
    imported = set()
    for node in ast.walk(ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    foreign = {name for name in imported if name.partition(".")[0] not in sys.stdlib_module_names}
    assert foreign <= {"hook_contract.runtimes.model.handle", "hook_contract.runtimes.model.autograd"}
