"""A hook program as a file: what is refused and where, what the text looks like, what words it needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hook_contract.program.errors import ProgramError
from hook_contract.program.format import Program, dumps, load, nodes, parse, registrations, steps, words


def program(**changed: Any) -> dict[str, Any]:
    data = {
        "name": "O-1-example",
        "clauses": ["O-1"],
        "about": "An example.",
        "tree": {"kind": "sequence", "children": [{"name": "a", "kind": "leaf"}]},
        "steps": [{"do": "call", "args": [3]}],
    }
    return data | changed


def test_a_program_is_parsed() -> None:
    parsed = parse(program(identity=True, expect=[{"event": "return", "value": 7}]))

    assert parsed == Program(
        "O-1-example",
        ("O-1",),
        "An example.",
        {"kind": "sequence", "children": [{"name": "a", "kind": "leaf"}]},
        ({"do": "call", "args": [3]},),
        identity=True,
        expect=({"event": "return", "value": 7},),
    )


def test_a_program_may_say_which_pytorch_it_is_about() -> None:
    data = program(since="2.2", until="2.15")
    assert (parse(data).since, parse(data).until) == ("2.2", "2.15")
    assert json.loads(dumps(parse(data))) == data
    assert (parse(program()).since, parse(program()).until) == ("", None)
    with pytest.raises(ProgramError, match=r"at until: 'new' does not match"):
        parse(program(until="new"))


def test_a_program_that_nobody_accepted_expects_nothing() -> None:
    assert parse(program()).expect is None


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"name": "no blanks"}, "at name: "),
        ({"clauses": ["O-1", "first"]}, "at clauses[1]: "),
        ({"steps": []}, "at steps: "),
        ({"steps": [{"do": "call"}, {"do": "register", "hook": "p", "kind": "before"}]}, "at steps[1]"),
        ({"steps": [{"do": "call", "args": [{"number": 3}]}]}, "at steps[0]"),
        ({"steps": [{"do": "call", "arguments": [3]}]}, "at steps[0]"),
        ({"tree": {"kind": "tree"}}, "at tree"),
        ({"tree": {}}, "at tree"),
        ({"tree": {"kind": "sequence", "children": [{"kind": "leaf"}]}}, "at tree"),
        ({"remark": "no such field"}, "at the top: "),
    ],
)
def test_what_the_schema_forbids_is_reported_with_its_place(changed: dict[str, Any], place: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(program(**changed), source="example.json")

    assert str(caught.value).startswith(f"example.json ({changed.get('name', 'O-1-example')}): {place}")


@pytest.mark.parametrize(
    ("step", "place", "named"),
    [
        ({"do": "registr", "hook": "p", "kind": "pre"}, "steps[0].do", "'registr' is not one of register, "),
        ({"do": "register", "hook": "p", "kind": "before"}, "steps[0].kind", "'before' is not one of pre, "),
        (
            {"do": "register", "hook": "p", "kind": "pre", "prepnd": True},
            "steps[0]",
            "unknown key 'prepnd'. Did you mean prepend?",
        ),
        ({"do": "register", "kind": "pre"}, "steps[0]", "the key 'hook' is missing."),
        ({"hook": "p", "kind": "pre"}, "steps[0]", "the key 'do' is missing."),
        ({"do": "remove"}, "steps[0]", "the key 'handle' is missing."),
        ({"do": "backward"}, "steps[0]", "the key 'of' is missing."),
        ({"do": "call", "args": [{"number": 3}]}, "steps[0].args[0]", "unknown key 'number'."),
        ({"do": "call", "args": ["a"]}, "steps[0].args[0]", "'a' is not a number or null."),
    ],
)
def test_what_is_wrong_with_a_step_is_named(step: dict[str, Any], place: str, named: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(program(steps=[step]))

    assert str(caught.value).startswith(f"the program (O-1-example): at {place}: ")
    assert named in str(caught.value)


@pytest.mark.parametrize("action", [{"add": 1, "remove": "p"}, {"message": "alone"}, {"message": "m", "add": 1}])
def test_an_action_has_one_word(action: dict[str, Any]) -> None:
    """A second one would be ignored silently."""
    step = {"do": "register", "hook": "p", "kind": "pre", "actions": [action]}

    with pytest.raises(ProgramError, match=r"at steps\[0\].actions\[0\]: "):
        parse(program(steps=[step]))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"steps": [{"do": "register", "hook": "p", "kind": "pre", "on": "b"}]},
            "hook 'p' is on 'b', but there is no such module",
        ),
        (
            {"steps": [{"do": "register", "hook": "p", "kind": "pre", "actions": [
                {"register": {"hook": "q", "kind": "forward", "on": "a.b"}}]}]},
            "hook 'q' is on 'a.b', but there is no such module",
        ),
        ({"steps": [{"do": "register", "hook": "t", "kind": "tensor"}]}, "hook 't' needs a tensor's name in 'on'"),
        (
            {"tree": {"kind": "sequence", "children": [{"name": "a", "kind": "leaf"}, {"name": "a", "kind": "leaf"}]}},
            "two modules have the path 'a'",
        ),
        (
            {"tree": {"kind": "sequence", "children": [{"name": "a", "same": "b"}, {"name": "b", "kind": "leaf"}]}},
            "'a' refers to the module at 'b', which is not defined before it",
        ),
        ({"steps": [{"do": "call", "module": "a.b"}]}, "step 'call' has the module 'a.b', but there is no such module"),
        (
            {"steps": [{"do": "no_grad", "steps": [{"do": "remove", "handle": "h"}]}]},
            "step 'remove' has the handle 'h', but no registration defines it",
        ),
        ({"steps": [{"do": "ids", "handles": ["h"]}]}, "step 'ids' has the handle 'h', but no registration defines it"),
    ],
)  # fmt: skip
def test_names_that_stand_for_nothing_are_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(program(**changed))

    assert str(caught.value) == f"the program (O-1-example): {message}"


def test_a_step_may_say_that_there_is_no_such_name() -> None:
    steps = [
        {"do": "call", "module": "b", "raises": "AttributeError"},
        {"do": "remove", "handle": "h", "raises": "KeyError"},
    ]

    assert parse(program(steps=steps)).steps == tuple(steps)


@pytest.mark.parametrize("path", ["@copy.a", "inner.linear1"])
def test_modules_that_are_made_while_it_runs_are_not_looked_for(path: str) -> None:
    data = program(tree={"kind": "encoder"}, steps=[{"do": "register", "hook": "p", "kind": "pre", "on": path}])

    assert parse(data).steps[0]["on"] == path


def test_text_that_is_not_json() -> None:
    with pytest.raises(ProgramError, match="^the program is not JSON: "):
        parse("{")
    with pytest.raises(ProgramError, match="^the program is not JSON: "):
        parse("[" * 100_000)


def test_what_is_not_an_object() -> None:
    with pytest.raises(ProgramError, match="^the program: at the top: "):
        parse("[]")


def test_without_validation_nothing_is_refused() -> None:
    data = program(steps=[{"do": "register", "hook": "p", "kind": "pre", "on": "nowhere"}], clauses=["?"])

    assert parse(data, validate=False).clauses == ("?",)


def test_the_text_has_a_line_for_each_step_and_each_event(tmp_path: Path) -> None:
    data = program(steps=[{"do": "call"}, {"do": "call", "args": [3]}], expect=[{"event": "return", "value": None}])
    file = tmp_path / "O-1-example.json"
    file.write_text(dumps(parse(data)), encoding="utf-8")

    assert file.read_text(encoding="utf-8").splitlines()[5:] == [
        '  "steps": [',
        '    {"do": "call"},',
        '    {"do": "call", "args": [3]}',
        "  ],",
        '  "expect": [',
        '    {"event": "return", "value": null}',
        "  ]",
        "}",
    ]
    assert load(file) == parse(data)
    assert json.loads(file.read_bytes()) == data


def test_a_file_is_named_when_it_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text("{", encoding="utf-8")

    with pytest.raises(ProgramError, match=r"^broken\.json is not JSON"):
        load(file)


def test_nodes_come_with_their_paths_parents_first() -> None:
    tree = {
        "kind": "sequence",
        "children": [
            {"name": "a", "kind": "parallel", "children": [{"name": "x", "kind": "leaf"}]},
            {"name": "b", "same": "a"},
        ],
    }

    assert [path for path, _ in nodes(tree)] == ["", "a", "a.x", "b"]


def test_steps_within_steps_are_steps() -> None:
    items = [{"do": "no_grad", "steps": [{"do": "with", "steps": [{"do": "call"}]}]}, {"do": "drop"}]

    assert [step["do"] for step in steps(items)] == ["no_grad", "with", "call", "drop"]


def test_registrations_are_found_in_steps_actions_and_nodes() -> None:
    late = {"hook": "late", "kind": "pre", "actions": [{"register": {"hook": "later", "kind": "pre"}}]}
    parsed = parse(
        program(
            tree={"kind": "register", "register": {"hook": "inside", "kind": "forward"}},
            steps=[
                {
                    "do": "thread",
                    "steps": [{"do": "register", "hook": "first", "kind": "pre", "actions": [{"register": late}]}],
                },
            ],
        )
    )

    assert [registration["hook"] for registration in registrations(parsed)] == ["first", "late", "later", "inside"]


def test_the_words_of_a_program() -> None:
    hook = {"hook": "p", "kind": "pre", "global": True, "prepend": True, "with_kwargs": False}
    parsed = parse(
        program(
            identity=True,
            tree={"kind": "sequence", "children": [{"name": "a", "kind": "leaf", "parameters": True}, {"name": "b", "same": "a"}]},
            steps=[
                {"do": "register", **hook, "actions": [{"return": {"tuple": [{"text": "t"}]}}, {"remove": "p"}]},
                {"do": "register", **hook, "actions": [{"read": {"what": "grad_mode"}}]},
                {"do": "read", "what": "device", "name": "a.weight"},
                {"do": "thread", "count": 2, "steps": [{"do": "call", "kwargs": {"c": {"plain": 1}}}]},
            ],
        )
    )  # fmt: skip

    assert words(parsed) == {
        "identity", "parameters", "global", "kwargs", "threads", "node:sequence", "node:leaf", "node:same", "step:register",
        "step:thread", "step:call", "hook:pre", "option:prepend", "action:return", "action:remove", "value:tuple", "value:text",
        "value:plain", "action:read", "step:read", "read:grad_mode", "read:device",
    }  # fmt: skip


def test_the_word_of_an_action_is_not_its_message() -> None:
    action = {"message": "no", "raise": "Error"}
    parsed = parse(program(steps=[{"do": "register", "hook": "p", "kind": "pre", "actions": [action]}]))

    assert {word for word in words(parsed) if word.startswith("action:")} == {"action:raise"}


def test_a_single_thread_and_empty_kwargs_need_no_word() -> None:
    parsed = parse(program(steps=[{"do": "thread", "count": 1, "steps": [{"do": "call", "kwargs": {}}]}]))

    assert not {"threads", "kwargs"} & words(parsed)
