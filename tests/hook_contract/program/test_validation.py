"""hook_contract/program/validation.py: what is wrong with a JSON file, without JSON Schema's words."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from hook_contract.program.validation import reason

SCHEMA = {
    "type": "object",
    "required": ["about"],
    "additionalProperties": False,
    "properties": {
        "about": {"type": "string"},
        "name": {"type": "string", "pattern": "^[a-z]+$"},
        "steps": {"type": "array", "minItems": 1},
        "kind": {"enum": ["forward", "backward"]},
        "count": {"type": ["integer", "null"]},
    },
}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"abuot": ""}, "unknown key 'abuot'. Did you mean about?"),
        ({"zzz": 1, "yyy": 2}, "unknown key 'zzz' (and 'yyy'). The keys here are about, name, steps, kind, count."),
        ({"about": None}, "None is not a string."),
        ({"steps": 3}, "3 is not a list."),
        ({"count": "x" * 80}, f"'{'x' * 58}… is not an integer or null."),
        ({"kind": "forwrad"}, "'forwrad' is not one of forward, backward. Did you mean forward?"),
        ({"name": "A b"}, "'A b' does not match the pattern ^[a-z]+$"),
        ({"steps": []}, "[] should be non-empty"),
    ],
)
def test_the_reason_is_in_our_words(changed: dict[str, Any], words: str) -> None:
    (error,) = jsonschema.Draft202012Validator(SCHEMA).iter_errors({"about": "", **changed})
    assert reason(error) == words


def test_a_key_that_is_missing() -> None:
    (error,) = jsonschema.Draft202012Validator(SCHEMA).iter_errors({})
    assert reason(error) == "the key 'about' is missing."
