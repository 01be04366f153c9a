"""Messages for JSON Schema errors, for the author of the invalid file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hook_contract.output.sentences import suggest

if TYPE_CHECKING:
    import jsonschema

_TYPES: Final = {
    "array": "a list",
    "object": "an object",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
#: The maximum length of a value in a message.
_SHOWN: Final = 60


def reason(error: jsonschema.ValidationError) -> str:
    """Return a message that says why a value is invalid. For an unknown key or word it suggests a similar known one."""
    value, wanted = error.instance, error.validator_value
    if error.validator == "additionalProperties" and isinstance(value, dict):
        known = list(error.schema.get("properties", ()))
        (first, *others) = [key for key in value if key not in known]
        more = f" (and {', '.join(map(repr, others))})" if others else ""
        return f"unknown key '{first}'{more}.{suggest(first, known) or f' The keys here are {_listed(known)}.'}"
    if error.validator == "required" and isinstance(value, dict):
        missing = [key for key in wanted if key not in value]
        return f"the key '{missing[0]}' is missing."
    if error.validator == "type":
        types = [wanted] if isinstance(wanted, str) else wanted
        return f"{_short(value)} is not {' or '.join(_TYPES[name] for name in types)}."
    if error.validator == "enum":
        words = [str(word) for word in wanted]
        return f"{_short(value)} is not one of {_listed(words)}.{suggest(str(value), words)}"
    if error.validator == "pattern":
        return f"{_short(value)} does not match the pattern {wanted}"
    return str(error.message)[:200]


def _listed(words: list[str]) -> str:
    return ", ".join(words)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
