"""hook_contract.program.description."""

from __future__ import annotations

from typing import Any

import pytest

from hook_contract.program import description


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"do": "register", "hook": "p", "kind": "pre"}, "register pre hook p on (root)"),
        (
            {"do": "register", "hook": "f", "kind": "forward", "global": True, "always_call": True, "handle": "h",
             "actions": [{"add": 1}, {"raise": "Error"}]},
            "register forward hook f globally, always_call, handle h: returns the output plus 1, then raises Error",
        ),
        (
            {"do": "register", "hook": "b", "kind": "backward", "on": "a",
             "actions": [{"register": {"hook": "t", "kind": "tensor", "on": "x"}}]},
            "register full backward hook b on a: registers tensor hook t on x",
        ),
        (
            {"do": "register", "hook": "p", "kind": "pre",
             "actions": [{"message": "no", "raise": "Error"}, {"call": {"module": "a", "limit": 2}}, {"call": {"args": [1]}}]},
            'register pre hook p on (root): raises Error "no", then calls a () at most 2 times, then calls (root) (1) once',
        ),
        ({"do": "call", "args": [3, {"name": "x"}], "kwargs": {"scale": 2}, "save": "y"}, "call (root) (3, x, scale=2), save y"),
        ({"do": "forward", "module": "a", "args": [], "raises": "Error"}, "call forward of a (), which raises Error"),
        ({"do": "remove", "handle": "h"}, "remove handle h"),
        ({"do": "read", "what": "device", "name": "a.weight"}, "read what device, name a.weight"),
        ({"do": "backward", "of": "y", "inputs": ["x", "w"]}, "backward of y, inputs x w"),
    ],
)  # fmt: skip
def test_a_step_in_words(step: dict[str, Any], words: str) -> None:
    assert description.describe_steps([step]) == [words]


def test_steps_within_a_step_are_indented() -> None:
    inner = {"do": "call", "args": [1]}
    assert description.describe_steps([{"do": "thread", "count": 2, "steps": [inner]}]) == [
        "thread count 2",
        "  call (root) (1)",
    ]


def test_a_tree_in_words() -> None:
    tree = {
        "kind": "sequence", "by": "forward",
        "children": [{"name": "a", "kind": "leaf", "k": 3}, {"name": "b", "same": "a"}],
    }  # fmt: skip
    assert description.describe_tree(tree) == "sequence by=forward(a: leaf k=3, b: the module at a)"


def test_every_program_of_the_corpus_has_words() -> None:
    from hook_contract.program import corpus

    for program in corpus():
        lines = description.describe_program(program)
        assert len(lines) > 1
        assert all(line.strip() and "{'" not in line and "None of" not in line for line in lines), (program.name, lines)
