"""Pairs of which one file, or both, cannot be read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

from trace_pairs.calls import net, record, tensor
from trace_pairs.corpus import Pair, TraceFile

_DROP: Final = object()


def pairs() -> Iterator[Pair]:
    """Yield all pairs."""
    good = TraceFile.of(record(net("fc", given=(tensor([1, 2]),)), inputs={"0.0": "1" * 32}))
    other = TraceFile.of(record(net("fc", "fc"), "dotnet"))
    for name, trace in (*_cut(good.trace), *_lines(good.trace), *_fields(good.trace), *_footers(good.trace)):
        bad = TraceFile(trace)
        yield Pair(f"damaged: {name}", bad, other)
    bad = TraceFile(good.trace[:-5])
    yield Pair("damaged: the second file", good, bad)
    yield Pair("damaged: both files", bad, bad)
    yield Pair("damaged: both files, otherwise", TraceFile(good.trace.replace(b'"pre"', b'"before"')), bad)
    for count in range(1, len(other.trace.splitlines())):
        cut = TraceFile(b"".join(other.trace.splitlines(keepends=True)[:count]))
        yield Pair(f"incomplete: {count - 1} events", cut, other)
        yield Pair(f"incomplete: {count - 1} events against others", good, cut)
    # Equal files are compared as bytes: only the footer is checked.
    for name, trace in (*_fields(good.trace), *_footers(good.trace)):
        yield Pair(f"equal and odd: {name}", TraceFile(trace), TraceFile(trace))
    yield from _values()


def _cut(good: bytes) -> Iterator[tuple[str, bytes]]:
    lines = good.splitlines(keepends=True)
    yield "empty", b""
    yield "the header is incomplete", good[:20]
    yield "the header has no line feed", lines[0][:-1]
    yield "only the header", lines[0]
    yield "no footer", b"".join(lines[:-1])
    yield "an incomplete event", b"".join(lines[:3]) + lines[3][:30]
    yield "an incomplete footer", good[:-10]
    yield "the footer has no line feed", good[:-1]
    yield "a line feed too many", good + b"\n"
    yield "more after the footer", good + lines[1]
    yield "an incomplete line after the footer", good + b"more"
    yield "two footers", good + lines[-1]
    yield "two traces", good + good
    yield "no events line by line", lines[0] + lines[-1]


def _lines(good: bytes) -> Iterator[tuple[str, bytes]]:
    lines = good.splitlines(keepends=True)
    for name, line in (
        ("empty", b"\n"),
        ("not JSON", b"nonsense\n"),
        ("an array", b"[1, 2]\n"),
        ("a number", b"7\n"),
        ("not UTF-8", b'{"seq":\xff}\n'),
        ("a byte order mark", b"\xef\xbb\xbf" + lines[2]),
        ("more after the object", lines[2][:-1] + b" 1\n"),
        ("NaN", lines[2].replace(b'"hook":0', b'"hook":NaN')),
        ("a leading zero", lines[2].replace(b'"hook":0', b'"hook":00')),
        ("a control character", lines[2].replace(b'"fc"', b'"f\x01c"')),
        ("a wrong escape", lines[2].replace(b'"fc"', b'"f\\xc"')),
        ("a short escape", lines[2].replace(b'"fc"', b'"f\\u00"')),
        ("a comma too many", lines[2].replace(b"]}", b"]},")),
        ("a duplicate field", lines[2].replace(b'"hook":0', b'"hook":0,"hook":0')),
        ("a duplicate field of a value", lines[2].replace(b'"device":"cpu"', b'"device":"cpu","device":"cpu"')),
    ):
        yield f"line 3: {name}", b"".join((*lines[:2], line, *lines[3:]))
        yield f"line 1: {name}", b"".join((line, *lines[1:]))
    for name, blank in (
        ("blanks", lines[2].replace(b",", b" ,\t").replace(b":", b": ")),
        ("escapes", lines[2].replace(b'"fc"', b'"\\u0066c"')),
        ("UTF-8", lines[2].replace(b'"fc"', '"é"'.encode())),
        ("a carriage return", lines[2][:-1] + b"\r\n"),
        ("another order of fields", _line(dict(reversed(json.loads(lines[2]).items())))),
    ):
        yield f"valid: {name}", _signed([*lines[:2], blank, *lines[3:-1]], lines[-1])


def _fields(good: bytes) -> Iterator[tuple[str, bytes]]:
    lines = good.splitlines(keepends=True)
    for name, value in (
        ("schema", 2), ("seed", 1.0), ("threads", -1), ("dotnet", 7), ("values", "all"), ("roots", [1]), ("inputs", {"0.0": "x"}),
        ("schema", _DROP), ("device", _DROP), ("more", 1), ("schema", True), ("roots", ""), ("unseen", []), ("unseen", ["b", "a"]),
        ("unseen", None), ("unseen", "a"), ("unseen", ["a", 1]), ("unseen", {"a": 1}),
    ):  # fmt: skip
        yield f"header: {name} {_said(value)}", b"".join((_changed(lines[0], value, name), *lines[1:]))
    for name, value in (
        ("seq", -1), ("seq", 1.0), ("seq", 2**31), ("path", None), ("type", 5), ("phase", "before"), ("call", -2), ("parent", "0"),
        ("hook", True), ("scope", "all"), ("values", {}), ("values", [1]), ("values", [{}]), ("values", [{"kind": "list"}]),
        ("values", [{"kind": "int"}]), ("values", [{"kind": "int", "literal": 1.5}]), ("values", [{"kind": "float", "literal": 1}]),
        ("values", [{"kind": "bool", "literal": 1}]), ("values", [{"kind": "str", "literal": 1}]),
        ("values", [{"kind": "none", "literal": None}]),
        ("values", [{"kind": "float", "literal": "nan"}]), ("seq", _DROP), ("values", _DROP), ("more", [[]]), ("path", ["x" * 100]),
        ("unseen", []),
    ):  # fmt: skip
        yield (
            f"event: {name} {_said(value)}",
            _signed([*lines[:2], _changed(lines[2], value, name), *lines[3:-1]], lines[-1]),
        )
    for name, value in (
        ("shape", [-1]), ("shape", [1.0]), ("shape", [2**63]), ("dtype", None), ("device", 0), ("digest", "F" * 32), ("digest", "0"),
        ("digest", None), ("data", "0" * 32), ("data", _DROP), ("literal", 1),
    ):  # fmt: skip
        yield (
            f"tensor: {name} {_said(value)}",
            _signed([*lines[:2], _changed(lines[2], value, "values", 0, name), *lines[3:-1]], lines[-1]),
        )


def _footers(good: bytes) -> Iterator[tuple[str, bytes]]:
    *lines, last = good.splitlines(keepends=True)
    for name, value in (
        ("events", 3), ("known", 7), ("digest", "0" * 64), ("digest", "short"), ("events", -1), ("known", _DROP), ("more", 1), ("seq", 1),
        ("known", 4.0),
    ):  # fmt: skip
        yield f"footer: {name} {_said(value)}", b"".join((*lines, _changed(last, value, name)))


def _values() -> Iterator[Pair]:
    a = TraceFile.of(record(net("a", "b", given=(tensor([1, 2], "full"),), result=(tensor([4, 5], "full"),))))
    near = TraceFile.of(
        record(net("a", "b", given=(tensor([1, 2], "full"),), result=(tensor([4, 6], "full"),)), "dotnet")
    )
    far = TraceFile.of(
        record(net("b", "a", given=(tensor([1, 2], "full"),), result=(tensor([4, 6], "full"),)), "dotnet")
    )
    stored = a.values
    assert stored is not None
    length = int.from_bytes(stored[:8], "little")
    header = stored[8 : 8 + length]

    def with_header(text: bytes) -> bytes:
        return len(text).to_bytes(8, "little") + text + stored[8 + length :]

    for name, values in (
        ("missing", None), ("empty", b""), ("cut", stored[:-4]), ("more", stored + b"1234"), ("the header is cut", stored[:30]),
        ("the header is not JSON", with_header(header.replace(b"{", b"[", 1))), ("other elements", stored[:-4] + b"1234"),
        ("other elements at the start", stored[: 8 + length] + b"1234" + stored[12 + length :]),
        ("another dtype", with_header(header.replace(b'"F32"', b'"I32"', 1))),
        ("an unknown dtype", with_header(header.replace(b'"F32"', b'"X32"', 1))),
        ("another shape", with_header(header.replace(b"[2]", b"[1,2]", 1))),
        ("another size", with_header(header.replace(b"[2]", b"[3]", 1))),
        ("another name", with_header(header.replace(header[2:10], b"01234567", 1))), ("a huge header", b"\xff" * 8 + stored[8:]),
    ):  # fmt: skip
        for place, other in (("near", near), ("far", far), ("equal", a)):
            yield Pair(f"values: {name}, {place}", TraceFile(a.trace, values), other)
    yield Pair("values: the other file's are missing", a, TraceFile(near.trace))


def _changed(line: bytes, value: Any, *path: str | int) -> bytes:
    """Return a line with another value at ``path``."""
    found = json.loads(line)
    *outer, last = path
    inner: Any = found
    for name in outer:
        inner = inner[name]
    if value is _DROP:
        del inner[last]
    else:
        inner[last] = value
    return _line(found)


def _line(found: Any) -> bytes:
    return json.dumps(found, separators=(",", ":")).encode() + b"\n"


def _signed(lines: list[bytes], footer: bytes) -> bytes:
    """Return the file with the digest of its lines in the footer."""
    return b"".join((*lines, _changed(footer, hashlib.sha256(b"".join(lines[1:])).hexdigest(), "digest")))


def _said(value: Any) -> str:
    return "is missing" if value is _DROP else f"is {json.dumps(value):.40}"
