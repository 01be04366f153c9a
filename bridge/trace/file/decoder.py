"""A decoder for the lines of a trace file, which checks each field and reports errors by line and field."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from bridge.errors import BridgeError
from bridge.trace import SCHEMA, Header
from bridge.trace.columns import is_digest
from bridge.trace.event import PHASES, SCOPES, Event, Value
from bridge.trace.file.errors import (
    DuplicateFieldError,
    FieldTypeError,
    MissingFieldError,
    NotATraceError,
    NotJsonError,
    SchemaVersionError,
    UnknownFieldError,
)

Check = tuple[Callable[[Any], bool], str]
_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@dataclass(frozen=True, slots=True)
class Footer:
    """The last line of a trace file."""

    #: The number of events.
    events: int
    #: The number of values that have a digest, or a literal that is a number or boolean.
    known: int
    #: The SHA-256 of the event lines.
    digest: str


def _integer(low: int, high: int | None = None) -> Check:
    words = f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"
    return (lambda x: type(x) is int and x >= low and (high is None or x <= high)), words


def _one_of(*names: str) -> Check:
    return (lambda x: isinstance(x, str) and x in names), " or ".join(f"'{name}'" for name in names)


_TEXT: Check = (lambda x: isinstance(x, str)), "a string"
_TEXTS: Check = (
    (lambda x: isinstance(x, list) and all(isinstance(item, str) for item in x)),
    "an array of strings",
)
_DIGESTS: Check = (
    (lambda x: isinstance(x, dict) and all(isinstance(value, str) and is_digest(value) for value in x.values())),
    "an object of digests (32 lower-case hexadecimal digits each)",
)
_DIGEST_OR_NULL: Check = (
    (lambda x: x is None or (isinstance(x, str) and is_digest(x))),
    "null or 32 lower-case hexadecimal digits",
)
_SMALL = _integer(0, 2**31 - 1)
_CALL = _integer(-1, 2**31 - 1)

_HEADER: dict[str, Check] = {
    "schema": _integer(1),
    "runtime": _TEXT,
    "runtime_version": _TEXT,
    "bridge": _TEXT,
    "torch": _TEXT,
    "python": _TEXT,
    "dotnet": ((lambda x: x is None or isinstance(x, str)), "a string or null"),
    "device": _TEXT,
    "threads": _integer(0),
    "seed": ((lambda x: type(x) is int), "an integer"),
    "modules": _integer(0),
    "values": _one_of("none", "digest", "full"),
    "roots": _TEXTS,
    "unseen": _TEXTS,
    "inputs": _DIGESTS,
    "weights": _DIGESTS,
}
#: The fields that a file may lack.
OPTIONAL: Final = frozenset({"unseen"})
_EVENT: dict[str, Check] = {
    "seq": _SMALL,
    "path": _TEXT,
    "type": _TEXT,
    "phase": _one_of(*PHASES),
    "call": _CALL,
    "parent": _CALL,
    "hook": _SMALL,
    "scope": _one_of(*SCOPES),
    "values": ((lambda x: isinstance(x, list)), "an array"),
}
_FOOTER: dict[str, Check] = {
    "events": _integer(0),
    "known": _integer(0),
    "digest": (
        (lambda x: isinstance(x, str) and len(x) == 64 and set(x) <= set("0123456789abcdef")),
        "64 lower-case hexadecimal digits",
    ),
}
_KIND = _one_of("tensor", "none", "int", "float", "bool", "str", "object")
_TENSOR: dict[str, Check] = {
    "kind": _KIND,
    "shape": (
        (lambda x: isinstance(x, list) and all(type(size) is int and 0 <= size < 2**63 for size in x)),
        "an array of sizes",
    ),
    "dtype": _TEXT,
    "device": _TEXT,
    "digest": _DIGEST_OR_NULL,
    "data": _DIGEST_OR_NULL,
}
_LITERAL: dict[str, Check] = {
    "int": ((lambda x: x is None or type(x) is int), "an integer or null"),
    "float": (
        (lambda x: x is None or (type(x) is float and math.isfinite(x)) or (isinstance(x, str) and x in _FLOATS)),
        "null, 'NaN', 'Infinity', '-Infinity' or a number with a point or exponent",
    ),
    "bool": ((lambda x: x is None or type(x) is bool), "true, false or null"),
    "str": ((lambda x: x is None or isinstance(x, str)), "a string or null"),
}


class _DuplicateNameError(BridgeError):
    """A name occurs twice in an object."""


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _DuplicateNameError(next(name for name in names if names.count(name) > 1))
    return found


def _reject_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


class Decoder:
    """A decoder of the lines of a file. :meth:`header`, :meth:`event` and :meth:`footer` raise TraceFileError for an invalid line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def header(self, line: bytes) -> Header:
        """Decode the first line."""
        try:
            found = self._object(line, 1)
        except NotJsonError as error:
            raise NotATraceError(self._path, "not a trace file: it does not begin with a header", 1) from error
        version = found.get("schema")
        if version is None:
            raise NotATraceError(self._path, "not a trace file: its first line has no schema version", 1, "schema")
        self._field("schema", version, _HEADER["schema"], 1)
        if version != SCHEMA:
            raise SchemaVersionError(
                self._path,
                f"this is a trace of schema version {version}, and this package reads version {SCHEMA}: "
                "record it again, or read it with the package that wrote it",
                1,
                "schema",
            )
        self._fields(found, _HEADER, 1)
        return Header(**{**found, "roots": tuple(found["roots"]), "unseen": tuple(found.get("unseen", ()))})

    def event(self, line: bytes, number: int) -> tuple[Event, list[bool]]:
        """Decode an event. Also returns, for each value of the event, whether the elements are in the file beside the trace."""
        found = self._object(line, number)
        self._fields(found, _EVENT, number)
        values = [self._value(value, f"values[{index}]", number) for index, value in enumerate(found["values"])]
        event = Event(**{**found, "values": tuple(value for value, _ in values)})
        return event, [stored for _, stored in values]

    def footer(self, line: bytes, number: int) -> Footer:
        """Decode the last line."""
        found = self._object(line, number)
        self._fields(found, _FOOTER, number)
        return Footer(**found)

    def is_footer(self, line: bytes) -> bool:
        """Return whether a line begins as a footer, is a valid JSON object, and is not an event."""
        if not line.startswith(b'{"events"'):
            return False
        try:
            return "seq" not in self._object(line, 0)
        except (NotJsonError, DuplicateFieldError):
            return False

    def _value(self, found: Any, field: str, number: int) -> tuple[Value, bool]:
        self._field(field, found, ((lambda x: isinstance(x, dict)), "an object"), number)
        if "kind" not in found:
            raise MissingFieldError(self._path, "the field is missing", number, f"{field}.kind")
        kind = found["kind"]
        self._field(f"{field}.kind", kind, _KIND, number)
        if kind == "tensor":
            self._fields(found, _TENSOR, number, f"{field}.")
            if found["data"] is not None and found["data"] != found["digest"]:
                raise FieldTypeError(
                    self._path, "the field should be equal to the field 'digest', or null", number, f"{field}.data"
                )
            shape = tuple(found["shape"])
            return Value(kind, shape, found["dtype"], found["device"], found["digest"]), found["data"] is not None
        checks = {"kind": _KIND, **({"literal": _LITERAL[kind]} if kind in _LITERAL else {})}
        self._fields(found, checks, number, f"{field}.")
        literal = found.get("literal")
        return Value(kind, literal=_FLOATS.get(literal, literal) if kind == "float" else literal), False

    def _object(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line.decode(), object_pairs_hook=_make_object, parse_constant=_reject_constant)
        except _DuplicateNameError as error:
            raise DuplicateFieldError(self._path, "duplicate field", number, str(error)) from None
        except (ValueError, RecursionError) as error:
            raise NotJsonError(self._path, f"the line is not JSON ({_short(str(error))})", number) from None
        if not isinstance(found, dict):
            raise NotJsonError(self._path, "the line is JSON, but not an object", number)
        return found

    def _fields(self, found: Mapping[str, Any], checks: Mapping[str, Check], number: int, within: str = "") -> None:
        for name, check in checks.items():
            if name in found:
                self._field(within + name, found[name], check, number)
            elif name not in OPTIONAL:
                raise MissingFieldError(self._path, "the field is missing", number, within + name)
        for name in found:
            if name not in checks:
                raise UnknownFieldError(self._path, "unknown field", number, within + _short(name))

    def _field(self, name: str, value: Any, check: Check, number: int) -> None:
        if not check[0](value):
            raise FieldTypeError(self._path, f"{_short(repr(value))} should be {check[1]}", number, name)


def _short(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[:limit] + "…"


#: The fields of the header, an event, a tensor and the footer, in the order of the file.
FIELDS: Mapping[str, Sequence[str]] = {
    "header": tuple(_HEADER),
    "event": tuple(_EVENT),
    "tensor": tuple(_TENSOR),
    "footer": tuple(_FOOTER),
}
