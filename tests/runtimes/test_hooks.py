"""Bridge.Hooks alone against PyTorch, program by program; both run for real."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pytest

import hook_contract.contract
from bridge.runtimes import hooks
from bridge.runtimes.errors import InterpreterError
from bridge.runtimes.pytorch import programs as pytorch
from bridge.runtimes.registry import runtime
from hook_contract.program import Json, Program, parse, words
from hook_contract.runtimes.runtime import unsupported_reason

pytestmark = pytest.mark.usefixtures("dotnet_host")

SCHEMA: Final = Path(hook_contract.contract.__file__).with_name("program.schema.json")
LEAF: Final = {"kind": "leaf"}
RAISE: Final = {"kind": "raise"}


def node(name: str, kind: str, *children: Mapping[str, Json], **fields: Json) -> dict[str, Json]:
    return (
        {"name": name, "kind": kind, "children": list(children), **fields}
        if children
        else {"name": name, "kind": kind, **fields}
    )


def tree(kind: str, *children: Mapping[str, Json], **fields: Json) -> dict[str, Json]:
    return {key: value for key, value in node("x", kind, *children, **fields).items() if key != "name"}


def step(do: str, **fields: Json) -> dict[str, Json]:
    return {"do": do, **fields}


def hook(name: str, kind: str, *actions: Mapping[str, Json], **fields: Json) -> dict[str, Json]:
    on = fields.pop("on", "")
    place = {"global": True} if on is None else {"on": on}
    return {
        "do": "register",
        "hook": name,
        "kind": kind,
        **place,
        **fields,
        **({"actions": list(actions)} if actions else {}),
    }


def inner(registration: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in registration.items() if key != "do"}


def call(*args: Json, **fields: Json) -> dict[str, Json]:
    return step("call", args=list(args), **fields)


PAIR: Final = tree("sequence", node("a", "leaf"), node("b", "leaf", k=3))
CHANGING: Final = hook("late", "pre", {"return": 5})
ALWAYS: Final = hook("f", "forward", always_call=True)

#: Clauses, tree, steps.
PROGRAMS: Final[dict[str, tuple[str, Mapping[str, Json], list[dict[str, Json]]]]] = {
    "bypass": ("C-3", PAIR, [hook("p", "pre"), hook("q", "pre", on="a"), step("forward", args=[3]), call(3)]),
    "children by forward": (
        "C-3",
        {**PAIR, "by": "forward"},
        [hook("p", "pre", on="a"), hook("g", "forward", on=None), call(3)],
    ),
    "registers in forward, bare": ("C-5", tree("register", register=inner(hook("f", "forward"))), [call(3, times=2)]),
    "registers in forward, hooked": (
        "C-7",
        tree("sequence", node("a", "register", register=inner(hook("f", "forward", on="a")))),
        [hook("p", "pre", on="a"), call(3)],
    ),
    "opaque": ("C-8", tree("opaque", node("a", "leaf")), [hook("p", "pre", on="a"), hook("q", "forward"), call(3)]),
    "nested": (
        "C-9",
        tree("sequence", node("a", "sequence", node("b", "sequence", node("c", "leaf"), node("d", "identity")))),
        [hook(f"p{n}", "pre", on=path) for n, path in enumerate(["", "a", "a.b", "a.b.c"])]
        + [hook("g", "pre", on=None), hook("h", "forward", on=None), call(1)],
    ),
    "global before own": (
        "O-1",
        LEAF,
        [hook("own", "pre"), hook("all", "pre", on=None), hook("o", "forward"), hook("a", "forward", on=None), call(3)],
    ),
    "prepend": (
        "O-2",
        LEAF,
        [hook("a", "pre"), hook("b", "pre", prepend=True), hook("c", "pre", prepend=True), hook("d", "pre"), call(1)],
    ),
    "a removed place is not used again": (
        "O-4",
        LEAF,
        [
            hook("a", "forward"),
            hook("b", "forward"),
            step("remove", handle="a"),
            hook("c", "forward"),
            hook("a", "forward"),
            call(1),
        ],
    ),
    "results of pre hooks": (
        "P-2",
        tree("sequence", node("a", "identity")),
        [
            hook("p", "pre", {"return": {"list": [1, 2]}}),
            call(3),
            hook("q", "pre", {"return": {"dict": {"a": 1}}}, on="a"),
            call(3),
            hook("r", "pre", {"return": {"tuple": [4]}}, on=None),
            call(3),
        ],
    ),
    "no argument": ("P-2", LEAF, [hook("p", "pre", {"return": {"tuple": []}}), call(3)]),
    "two arguments": ("P-2", LEAF, [hook("p", "pre", {"return": {"tuple": [1, 2]}}), call(3)]),
    "a chain of pre hooks": (
        "P-6",
        tree("inputs"),
        [
            hook("a", "pre", {"add": 1}),
            hook("b", "pre", {"return": None}),
            hook("c", "pre", {"add": 10}),
            call(1, 2),
            call(1, 2, 3),
        ],
    ),
    "results of forward hooks": (
        "F-2",
        LEAF,
        [
            hook("a", "forward", {"return": 0}),
            call(3),
            hook("b", "forward", {"return": {"plain": 0}}),
            call(3),
            hook("c", "forward", {"return": {"text": "t"}}),
            call(3),
            hook("d", "forward", {"return": None}),
            call(3),
            hook("e", "forward", {"return": {"list": [{"tuple": []}, {"dict": {}}]}}, on=None),
            call(3),
        ],
    ),
    **{
        f"give {form}": (
            "F-3",
            tree("give", form=form),
            [hook("a", "forward", {"add": 5}), hook("b", "forward", on=None), call(3)],
        )
        for form in ("tuple", "list", "dict", "nested", "plain", "none")
    },
    "always called": (
        "A-3",
        tree("sequence", node("a", "raise")),
        [
            hook("f", "forward"),
            hook("g", "forward", {"return": 5}, always_call=True),
            hook("h", "forward", always_call=True),
            hook("i", "forward", always_call=True, on="a"),
            hook("j", "forward", always_call=True, on=None),
            hook("p", "pre", {"add": 1}),
            call(3),
        ],
    ),
    "always called, a hook raises": (
        "A-2",
        LEAF,
        [
            hook("f", "forward", {"raise": "Error"}, always_call=True),
            ALWAYS | {"hook": "g"},
            call(3, raises="Error"),
            call(4),
        ],
    ),
    "interrupt": ("A-4", {**RAISE, "error": "Interrupt"}, [ALWAYS, call(3)]),
    "silenced": (
        "A-6",
        RAISE,
        [
            hook("a", "forward", {"raise": "Error"}, always_call=True),
            hook("b", "forward", {"raise": "Error", "message": "other"}, always_call=True, on=None),
            hook("c", "forward", always_call=True),
            call(3),
        ],
    ),
    "an interrupt is not silenced": (
        "A-6",
        RAISE,
        [hook("a", "forward", {"raise": "Interrupt"}, always_call=True), ALWAYS, call(3)],
    ),
    "swallowed": (
        "A-9",
        tree("swallow", node("a", "raise")),
        [ALWAYS, hook("g", "forward", on="a", always_call=True), call(3)],
    ),
    "no always_call for pre hooks": ("A-1", LEAF, [hook("p", "pre", always_call=True)]),
    "twice": (
        "G-8",
        LEAF,
        [
            hook("p", "pre", handle="one"),
            hook("p", "pre", handle="two"),
            call(1),
            step("remove", handle="one"),
            call(1),
        ],
    ),
    "no prepend for global hooks": ("O-3", LEAF, [hook("p", "pre", on=None, prepend=True)]),
    "handles": (
        "H-1",
        LEAF,
        [
            hook("b", "forward", on=None),
            hook("a", "pre", prepend=True),
            step("ids", handles=["a", "b"]),
            step("remove", handle="b"),
            step("remove", handle="b"),
            call(1),
            step("with", handle="a", steps=[call(2)]),
            call(3),
            step("remove", handle="none", raises="KeyError"),
            step("remove", handle="a", raises="Error"),
        ],
    ),
    "registers in its own phase": (
        "D-1",
        LEAF,
        [
            hook("a", "pre", {"register": inner(CHANGING)}),
            hook("b", "pre"),
            call(1),
            step("remove", handle="a"),
            call(1),
        ],
    ),
    "removes itself and a later one": (
        "D-1",
        LEAF,
        [
            hook("a", "forward", {"remove": "a"}, {"remove": "c"}),
            hook("b", "forward"),
            hook("c", "forward"),
            call(1, times=2),
        ],
    ),
    "a global pre hook registers": (
        "D-1",
        LEAF,
        [
            hook("g", "pre", {"register": inner(CHANGING)}, {"register": inner(hook("f", "forward"))}, on=None),
            call(1),
            step("remove", handle="g"),
            call(1),
        ],
    ),
    "recursion": (
        "X-1",
        tree("recurse", depth=3),
        [hook("p", "pre", {"add": 1}), hook("f", "forward", on=None), call(1)],
    ),
    "a hook calls its module": (
        "X-2",
        PAIR,
        [
            hook("p", "pre", {"call": {"module": "", "args": [7], "limit": 2}}),
            hook("f", "forward", {"call": {"module": "b", "args": [1]}}, on="a"),
            call(1),
        ],
    ),
    "shared": (
        "X-3",
        tree("parallel", node("a", "leaf"), {"name": "b", "same": "a"}, node("c", "give", form="unused")),
        [hook("f", "forward", {"return": 2}, on="c"), hook("p", "pre", on="b"), call(3), call(1, module="b")],
    ),
    "threads": (
        "X-4",
        tree("sequence", node("a", "recurse", depth=2)),
        [
            hook("p", "pre", on="a"),
            hook("f", "forward", {"add": 1}, on=None),
            call(2, save="x"),
            step(
                "thread", count=8, steps=[call({"name": "x"}, times=20, save="y"), call({"name": "y"}), call(), call(1)]
            ),
            step("read", name="x", what="value"),
            step("read", name="y", what="value", raises="AttributeError"),
        ],
    ),
    "tries": (
        "X-2",
        tree("raise"),
        [
            step("try", steps=[call(3), call(4)]),
            hook("p", "pre"),
            step("try", steps=[call(1)]),
            step("forward", args=[2], raises="Error"),
        ],
    ),
    "names": (
        "F-3",
        tree("sequence", node("a", "give", form="dict")),
        [
            call(3, save="x"),
            call({"name": "x.b"}),
            hook("f", "forward", {"read": {"name": "a.weight", "what": "value"}}),
            call(1),
        ],
    ),
}


def program(name: str) -> Program:
    clauses, nodes, steps = PROGRAMS[name]
    return parse(
        {
            "name": name.replace(" ", "-").replace(",", ""),
            "clauses": [clauses],
            "about": "",
            "tree": nodes,
            "steps": steps,
        }
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_leaves_the_trace_that_pytorch_leaves(name: str) -> None:
    subject = program(name)
    assert unsupported_reason(hooks.RUNTIME, subject) is None
    expected = pytorch.RUNTIME.run(subject)[""]
    assert expected
    assert hooks.RUNTIME.run(subject) == {"": expected}


def test_every_word_is_run_above_or_lacked_with_a_reason() -> None:
    definitions = json.loads(SCHEMA.read_bytes())["$defs"]
    options = {"prepend", "with_kwargs", "always_call", "by"}
    known = chain(
        (f"step:{word}" for word in definitions["stepWord"]["properties"]["do"]["enum"]),
        (f"node:{kind}" for kind in ("same", *definitions["node"]["properties"]["kind"]["enum"])),
        (f"hook:{kind}" for kind in definitions["hookKind"]["enum"]),
        (f"action:{word}" for word in definitions["action"]["properties"] if word != "message"),
        (f"value:{form}" for form in definitions["value"]["then"]["properties"]),
        (f"read:{what}" for what in definitions["reading"]["properties"]["what"]["enum"]),
        (f"option:{name}" for name in options),
        ("global", "kwargs", "parameters", "identity", "threads"),
    )
    run = frozenset().union(*(words(program(name)) for name in PROGRAMS))
    assert set(known) == run | set(hooks.RUNTIME.lacks)
    assert not run & set(hooks.RUNTIME.lacks)


@pytest.mark.parametrize(
    "change", [{"register": inner(hook("new", "forward"))}, {"remove": "f"}], ids=["registers", "removes"]
)
def test_a_hook_that_changes_its_list_during_recovery_leaves_the_exception_as_it_was(change: dict[str, Json]) -> None:
    """A-8: PyTorch replaces it. Bridge.Hooks does not, on purpose."""
    steps = [hook("f", "forward", change, always_call=True), ALWAYS | {"hook": "last", "handle": "last"}, call(3)]
    subject = parse({"name": "a8", "clauses": ["A-8"], "about": "", "tree": RAISE, "steps": steps})
    *_, last = pytorch.RUNTIME.run(subject)[""]
    assert last == {"event": "raise", "error": "RuntimeError", "key": "mutated during iteration"}
    enter, first, second, last = hooks.RUNTIME.run(subject)[""]
    assert (enter["event"], first["hook"], second["hook"]) == ("enter", "f", "last")
    assert last == {"event": "raise", "error": "Error", "key": "boom"}


def test_a_program_that_it_lacks_a_word_for_is_a_defect() -> None:
    subject: Any = parse(
        {"name": "grad", "clauses": [], "about": "", "tree": LEAF, "steps": [step("no_grad", steps=[])]}
    )
    assert (
        unsupported_reason(hooks.RUNTIME, subject) == "step:no_grad: Bridge.Hooks alone has no tensors and no autograd"
    )
    with pytest.raises(InterpreterError, match="grad: unknown step 'no_grad'"):
        hooks.RUNTIME.run(subject)


def test_it_starts_what_it_needs_in_a_new_process(run_snippet: Callable[..., Any]) -> None:
    ran = run_snippet("events", "run", "hooks", program("nested").to_json(), True, new=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("20 [")


def test_the_runtime_is_found_by_its_name_and_says_what_runs() -> None:
    found = runtime("hooks")
    assert found is hooks.RUNTIME
    assert (found.name, found.devices) == ("hooks", ("cpu",))
    assert found.version().startswith("Bridge.Hooks ")
