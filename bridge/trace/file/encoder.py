r"""The encoder of the lines of a trace file. Equal headers, events and footers give equal bytes. ``TraceWriter.cs`` in C# writes the same.

Keys are in the order of the schema, without spaces. Text is ASCII, with ``\u`` and lower-case digits for other characters. Floats are
written as by Python's ``repr`` (``1e-05``), NaN and infinities as strings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from json.encoder import encode_basestring_ascii as quoted

from bridge.trace import Header
from bridge.trace.columns import Columns, Form
from bridge.trace.event import PHASES, SCOPES

#: The kinds of values with a literal, and the types of the literals.
LITERALS = {"int": int, "float": float, "bool": bool, "str": str}


def header_line(header: Header) -> bytes:
    """Return the first line."""
    fields = {
        "schema": header.schema,
        "runtime": header.runtime,
        "runtime_version": header.runtime_version,
        "bridge": header.bridge,
        "torch": header.torch,
        "python": header.python,
        "dotnet": header.dotnet,
        "device": header.device,
        "threads": header.threads,
        "seed": header.seed,
        "modules": header.modules,
        "values": header.values,
        "roots": list(header.roots),
        **({"unseen": list(header.unseen)} if header.unseen else {}),
        "inputs": dict(header.inputs),
        "weights": dict(header.weights),
    }
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def footer_line(events: int, known: int, digest: str) -> bytes:
    """Return the last line. The parameters are the fields of :class:`bridge.trace.file.decoder.Footer`."""
    return f'{{"events":{events},"known":{known},"digest":"{digest}"}}\n'.encode()


def event_lines(columns: Columns, stored: Callable[[int], bool]) -> Iterator[str]:
    """Yield the lines of all events.

    ``stored(position)`` returns whether the file of values has the elements of a value; positions count the values of all events. Raises
    ValueError, with the event's number, for an event that cannot be written.
    """
    tables = columns.tables
    paths, types, phases, scopes = (
        [quoted(name) for name in names.items] for names in (tables.paths, tables.types, tables.phases, tables.scopes)
    )
    forms = tables.forms.items
    texts: list[str | None] = [None] * len(forms)
    first = 0
    for low in range(0, len(columns), 4096):
        part = slice(low, min(low + 4096, len(columns)))
        counts = columns.counts[part].tolist()
        last = first + sum(counts)
        digests = "" if columns.digests is None else columns.digests[first:last].tobytes().hex()
        numbers = columns.form[first:last].tolist()
        seqs = range(low, part.stop) if columns.seq is None else columns.seq[part].tolist()
        at = 0
        fields = (columns.path, columns.type, columns.phase, columns.call, columns.parent, columns.hook, columns.scope)
        for seq, path, kind, phase, call, parent, hook, scope, count in zip(
            seqs, *(field[part].tolist() for field in fields), counts, strict=True
        ):
            values = []
            for index in range(at, at + count):
                number = numbers[index]
                text = texts[number]
                if text is None:
                    try:
                        text = texts[number] = _form(forms[number])
                    except ValueError as error:
                        raise ValueError(f"event {seq}: {error}") from None
                if forms[number].hashed:
                    digest = digests[32 * index : 32 * index + 32]
                    data = f'"{digest}"' if stored(first + index) else "null"
                    values.append(f'{text}"{digest}","data":{data}}}')
                else:
                    values.append(text)
            at += count
            if phase >= len(PHASES) or scope >= len(SCOPES):
                raise ValueError(f"event {seq}: phase {phases[phase]} or scope {scopes[scope]} is unknown")
            if call < -1 or parent < -1 or hook < 0 or seq < 0 or max(seq, call, parent, hook) >= 1 << 31:
                raise ValueError(
                    f"event {seq}: its numbers are out of range (call {call}, parent {parent}, hook {hook})"
                )
            yield (
                f'{{"seq":{seq},"path":{paths[path]},"type":{types[kind]},"phase":{phases[phase]},"call":{call},'
                f'"parent":{parent},"hook":{hook},"scope":{scopes[scope]},"values":[{",".join(values)}]}}\n'
            )
        first = last


def literal(value: int | float | bool | str | None) -> str:
    """Return a literal as JSON."""
    if isinstance(value, float) and not math.isfinite(value):
        return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'
    return json.dumps(value)


def _form(form: Form) -> str:
    """Return the JSON text of a value. If the digest of the value is in a column, return the text before the digest."""
    value = form.value
    kind = value.kind
    if kind == "tensor":
        if value.shape is None or value.dtype is None or value.device is None:
            raise ValueError("a tensor without shape, dtype or device cannot be written")
        if value.digest is not None:
            raise ValueError(f"'{value.digest}' is not a digest (32 lower-case hexadecimal digits)")
        shape = ",".join(map(str, value.shape))
        text = f'{{"kind":"tensor","shape":[{shape}],"dtype":{quoted(value.dtype)},"device":{quoted(value.device)},"digest":'
        return text if form.hashed else text + 'null,"data":null}'
    if kind in ("none", "object"):
        return f'{{"kind":"{kind}"}}'
    wanted = LITERALS.get(kind)
    if wanted is None:
        raise ValueError(f"a value of kind '{kind}' cannot be written")
    found = value.literal
    if found is not None and type(found) is not wanted:
        if not (wanted is int and isinstance(found, int) and not isinstance(found, bool)) and not (
            wanted is float and isinstance(found, float)
        ):
            raise ValueError(f"the literal {found!r} is not a {kind}")
        found = wanted(found)  # found is of a subclass, such as numpy.float64 or an IntEnum
    return f'{{"kind":"{kind}","literal":{literal(found)}}}'
