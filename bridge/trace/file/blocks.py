"""The reader of a trace file's lines, and the parser that converts blocks of complete lines to columns.

A block is parsed by a regular expression if all its lines are as this package writes them. Otherwise it is decoded line by line
(:mod:`bridge.trace.file.decoder`), which allows other spacing and field order, and reports errors.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from bridge.trace import Header
from bridge.trace.columns import DIGEST, Columns, Tables
from bridge.trace.event import Event
from bridge.trace.file.decoder import Decoder, Footer
from bridge.trace.file.errors import (
    DamagedTraceError,
    LineTooLongError,
    NotATraceError,
    TraceCutOffError,
)

#: The number of bytes that are read at once.
BLOCK: Final = 1 << 20
#: The maximum length of a footer.
_FOOTER: Final = 4096
#: The maximum length of a line, enough for some 100,000 tensors in one event.
LONGEST: Final = 1 << 24

_PLAIN: Final = rb'[^"\\\x00-\x1f\x7f-\xff]*'
_TEXT: Final = rb'"(' + _PLAIN + rb'(?:\\(?:["\\/bfnrt]|u[0-9a-f]{4})' + _PLAIN + rb')*)"'
_INT: Final = rb"(0|-1|[1-9][0-9]{0,8})"
_LINE: Final = re.compile(
    rb'(?m)^\{"seq":(0|[1-9][0-9]{0,8}),"path":' + _TEXT + rb',"type":' + _TEXT + rb',"phase":"(pre|forward|bypass)","call":'
    + _INT + rb',"parent":' + _INT + rb',"hook":(0|[1-9][0-9]{0,8}),"scope":"(global|module)","values":\[(.*)\]\}\n'
)  # fmt: skip
_HEX: Final = re.compile(rb"[0-9a-f]*").fullmatch
#: A field ``data`` that :func:`_cut_digests` did not replace, since it differs from ``digest``.
_OTHER_DATA: Final = re.compile(rb'"data":"[0-9a-f]')


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """The events of a block.

    ``stored`` says for each value whether its elements are in the file of values (:mod:`bridge.trace.file.elements`). ``stored`` is None
    if that file has no elements of the block.
    """

    columns: Columns
    stored: np.ndarray | None


class _Numbers(dict[bytes, int]):
    """A mapping from the JSON text of a string to the string's index in a table. Each text is decoded once."""

    def __init__(self, names: object) -> None:
        super().__init__()
        self._number = names.number  # type: ignore[attr-defined]  # names is a Names

    def __missing__(self, raw: bytes) -> int:
        number = self[raw] = self._number(json.loads(b'"' + raw + b'"'))
        return int(number)


class Parser:
    """A parser that converts blocks to columns. All these columns share the parser's tables. The parser is not thread-safe.

    If a block differs from the previous block only in digests, all columns except ``digests`` are reused. This is common when the blocks of
    two files are parsed in turn.
    """

    def __init__(self, tables: Tables | None = None) -> None:
        self.tables = tables or Tables()
        self._paths, self._types = _Numbers(self.tables.paths), _Numbers(self.tables.types)
        self._phases, self._scopes = _Numbers(self.tables.phases), _Numbers(self.tables.scopes)
        self._values: dict[bytes, tuple[tuple[int, ...], tuple[bool, ...], tuple[bool, ...]]] = {}
        # The previous block without digests, the number of its first event, its chunk, and which of its values have a digest.
        self._last: tuple[bytes, int, Chunk, np.ndarray] | None = None

    def parse(self, block: bytes, decoder: Decoder, line: int, seq: int) -> Chunk:
        """Parse a block of complete lines. ``line`` is the number of the first line, ``seq`` the number of the first event.

        Raises TraceFileError for the first invalid line.
        """
        try:
            digests, text = _cut_digests(block)
            return self._parse_canonical(text, digests, seq)
        except ValueError:
            decoded = [decoder.event(text, line + index) for index, text in enumerate(block.split(b"\n")[:-1])]
            return self._convert(decoded, seq)

    def _parse_canonical(self, text: bytes, digests: bytes, seq: int) -> Chunk:
        """Parse a block whose digests were cut out. Raises ValueError if a line is not as the writers write it."""
        if self._last is None or self._last[0] != text or self._last[1] != seq:
            self._last = (text, seq, *self._match_lines(text, seq))
        _, _, chunk, hashed = self._last
        if int(np.count_nonzero(hashed)) * 32 != len(digests):
            raise ValueError("there is an invalid digest")
        if not digests:
            return chunk
        column = np.zeros(len(hashed), DIGEST)
        column[hashed] = np.frombuffer(bytes.fromhex(digests.decode()), DIGEST)
        return replace(chunk, columns=replace(chunk.columns, digests=column))

    def _match_lines(self, text: bytes, seq: int) -> tuple[Chunk, np.ndarray]:
        """Return the events without digests, and for each value whether it has a digest. Raises ValueError if a line does not match."""
        rows = _LINE.findall(text)
        if len(rows) != text.count(b"\n"):
            raise ValueError("there is a line that no writer writes")
        seqs, paths, types, phases, calls, parents, hooks, scopes, values = zip(*rows, strict=True)
        known = self._values
        found = [known.get(value) or self._decode_values(value) for value in values]
        count = len(rows)
        forms = _flatten([forms for forms, _, _ in found])
        hashed = np.fromiter(chain.from_iterable([marks for _, marks, _ in found]), bool, len(forms))
        stored = None
        if any(True in marks for marks in {marks for _, _, marks in found}):
            stored = np.fromiter(chain.from_iterable([marks for _, _, marks in found]), bool, len(forms))

        def numbers(texts: tuple[bytes, ...], table: dict[bytes, int], dtype: str) -> np.ndarray:
            return np.fromiter(map(table.__getitem__, texts), dtype, count)

        def integers(texts: tuple[bytes, ...]) -> np.ndarray:
            return np.fromstring(b" ".join(texts).decode(), np.int32, sep=" ")

        order = integers(seqs)
        columns = Columns(
            self.tables,
            numbers(paths, self._paths, "i4"),
            numbers(types, self._types, "i4"),
            numbers(phases, self._phases, "u1"),
            integers(calls),
            integers(parents),
            integers(hooks),
            numbers(scopes, self._scopes, "u1"),
            np.fromiter([len(forms) for forms, _, _ in found], np.int32, count),
            forms,
            None,
            None if np.array_equal(order, np.arange(seq, seq + count)) else order,
        )
        return Chunk(columns, stored), hashed

    def _decode_values(self, text: bytes) -> tuple[tuple[int, ...], tuple[bool, ...], tuple[bool, ...]]:
        """Return for each value of an event the index of its form, whether it has a digest, and whether its elements are stored.

        A form is a :class:`bridge.trace.columns.Form`. Raises ValueError for text that no writer writes.
        """
        line = b'{"seq":0,"path":"","type":"","phase":"pre","call":0,"parent":0,"hook":0,"scope":"global","values":['
        event, stored = Decoder(Path()).event(line + _MARKED.sub(_PLACEHOLDER, text) + b"]}", 0)
        if _OTHER_DATA.search(text):
            raise ValueError("there is a field 'data' that differs from 'digest'")
        forms = tuple(map(self.tables.forms.number, event.values))
        hashed = tuple(self.tables.forms.items[form].hashed for form in forms)
        if len(self._values) > 100_000:
            self._values.clear()
        found = self._values[text] = (forms, hashed, tuple(stored))
        return found

    def _convert(self, decoded: list[tuple[Event, list[bool]]], seq: int) -> Chunk:
        tables = self.tables
        values = [value for event, _ in decoded for value in event.values]
        forms, digests = tables.forms.column(values)
        stored = np.array([mark for _, marks in decoded for mark in marks], bool)
        events = [event for event, _ in decoded]

        def column(items: list[int]) -> np.ndarray:
            return np.array(items, np.int32)

        order = column([event.seq for event in events])
        return Chunk(
            Columns(
                tables,
                tables.paths.column([event.path for event in events]),
                tables.types.column([event.type for event in events]),
                tables.phases.column([event.phase for event in events]).astype("u1"),
                column([event.call for event in events]),
                column([event.parent for event in events]),
                column([event.hook for event in events]),
                tables.scopes.column([event.scope for event in events]).astype("u1"),
                column([len(event.values) for event in events]),
                forms,
                digests,
                None if np.array_equal(order, np.arange(seq, seq + len(events))) else order,
            ),
            stored if stored.any() else None,
        )


_MARKED: Final = re.compile(rb'"(digest|data)":"!"')
_PLACEHOLDER: Final = rb'"\1":"' + b"0" * 32 + b'"'


def _cut_digests(block: bytes) -> tuple[bytes, bytes]:
    """Cut the digests out of a block. Returns the digests, and the block with ``!`` in place of each digest.

    A field ``data`` that equals the digest gets ``!`` too. The text ``"digest":"`` does not occur inside strings, where quotation marks
    are escaped. Raises ValueError for an invalid digest or an invalid field ``data``.
    """
    if b'"digest":"' not in block:
        return b"", block
    first, *rest = block.split(b'"digest":"')
    digests = [part[:32] for part in rest]
    tails = [part[32:] for part in rest]
    if b',"data":"' in block:
        if b'"data":"!' in block:
            raise ValueError("there is an invalid field 'data'")
        tails = [
            b'","data":"!"' + tail[43:] if tail[:43] == b'","data":"' + digest + b'"' else tail
            for digest, tail in zip(digests, tails, strict=True)
        ]
    together = b"".join(digests)
    if _HEX(together) is None:
        raise ValueError("there is an invalid digest")
    return together, b'"digest":"!'.join((first, *tails))


def _flatten(items: list[tuple[int, ...]]) -> np.ndarray:
    return np.fromiter(chain.from_iterable(items), np.int32)


class Lines:
    """A reader of a file's lines: the header, then blocks of event lines, then the footer.

    Raises :class:`TraceFileError` for invalid data. If the footer is missing, :meth:`check` raises :class:`TraceCutOffError`.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self.decoder = Decoder(path)
        self.footer: Footer | None = None
        self._file = file
        self._hash = hashlib.sha256()
        self._lines = 1
        self._rest = b""
        self._ended = False
        self.header = self._header()

    @property
    def line(self) -> int:
        """Return the number of the next line."""
        return self._lines + 1

    def same_rest(self, other: BinaryIO) -> Footer | None:
        """Return the footer if the unread parts of both files are equal, complete and undamaged, else None.

        Raises TraceFileError for a footer with an invalid field.
        """
        state = hashlib.sha256()
        tail = b""
        ends = 0
        while True:
            block = self._file.read(BLOCK)
            if block != other.read(BLOCK):
                return None
            if not block:
                break
            if len(tail) > _FOOTER:
                state.update(memoryview(tail)[:-_FOOTER])
                tail = tail[-_FOOTER:]
            tail += block
            ends += block.count(b"\n")
        start = tail.rfind(b"\n", 0, -1) + 1
        if not tail.endswith(b"\n") or not self.decoder.is_footer(tail[start:]):
            return None
        footer = self.decoder.footer(tail[start:], 0)
        state.update(tail[:start])
        undamaged = state.hexdigest() == footer.digest and ends - 1 == footer.events
        return footer if undamaged else None

    def _header(self) -> Header:
        line = self._file.readline(LONGEST)
        if not line:
            raise TraceCutOffError(self.path, "the file is empty", 1)
        if not line.endswith(b"\n"):
            if not line.lstrip().startswith(b"{"):
                raise NotATraceError(self.path, "not a trace file: it does not begin with a header", 1)
            if len(line) >= LONGEST:
                raise LineTooLongError(self.path, f"the line is longer than {LONGEST:,} bytes", 1)
            raise TraceCutOffError(self.path, "the file is truncated: its header is incomplete", 1)
        return self.decoder.header(line)

    def take(self, size: int = BLOCK) -> bytes:
        """Return complete event lines of about ``size`` bytes, b"" at the end. Sets :attr:`footer` at the end of a complete file."""
        if self.footer is not None:
            return b""
        parts = [self._rest]
        length = len(self._rest)
        while not self._ended:
            read = self._file.read(size)
            self._ended = not read
            parts.append(read)
            length += len(read)
            if b"\n" in read:
                break
            if length > LONGEST:
                raise LineTooLongError(self.path, f"the line is longer than {LONGEST:,} bytes", self.line)
        block = b"".join(parts)
        end = block.rfind(b"\n") + 1
        block, self._rest = block[:end], block[end:]
        if self._ended or not self._has_more() or block.startswith(b'{"events"', block.rfind(b"\n", 0, -1) + 1):
            block = self._cut_footer(block)
        self._hash.update(block)
        self._lines += block.count(b"\n")
        return block

    def _has_more(self) -> bool:
        if not self._rest:
            self._rest = self._file.read(1)
            return bool(self._rest)
        return True

    def _cut_footer(self, block: bytes) -> bytes:
        """Decode the last line of the block if it is the footer, and return the other lines."""
        if self._rest and self.decoder.is_footer(self._rest):
            block, self._rest = block + self._rest + b"\n", b""
        start = block.rfind(b"\n", 0, len(block) - 1) + 1
        last = block[start:]
        if not self.decoder.is_footer(last):
            return block
        number = self.line + block.count(b"\n") - 1
        if self._rest or self._has_more():
            raise DamagedTraceError(self.path, "there is data after the footer", number + 1)
        self.footer = self.decoder.footer(last, number)
        return block[:start]

    def check(self, events: int, known: int | None = None) -> None:
        """Compare the number of events, the digest and, if it is given, ``known`` with the fields of the footer (:class:`Footer`).

        Raises TraceCutOffError if the file has no footer, DamagedTraceError for a mismatch.
        """
        if self.footer is None:
            words = "the file is truncated: it has no footer"
            raise TraceCutOffError(self.path, f"{words}; {events} complete events could be read", self.line)
        line = self.line
        if self.footer.events != events:
            words = f"the number of events is {events}, but the footer says {self.footer.events}"
            raise DamagedTraceError(self.path, words, line, "events")
        if self._hash.hexdigest() != self.footer.digest:
            raise DamagedTraceError(self.path, "the events do not match the footer's digest", line, "digest")
        if known is not None and known != self.footer.known:
            words = f"the events have {known} numbers, booleans and digests, but the footer says {self.footer.known}"
            raise DamagedTraceError(self.path, words, line, "known")


def blocks(lines: Lines, parser: Parser) -> Iterator[Chunk]:
    seq = 0
    while True:
        line = lines.line
        block = lines.take()
        if not block:
            return
        chunk = parser.parse(block, lines.decoder, line, seq)
        seq += len(chunk.columns)
        yield chunk


def join_chunks(chunks: list[Chunk], tables: Tables) -> Chunk:
    columns = [chunk.columns for chunk in chunks]

    def joined_column(name: str, dtype: str) -> np.ndarray:
        parts = [getattr(part, name) for part in columns]
        return np.concatenate(parts) if parts else np.zeros(0, dtype)

    digests = seq = stored = None
    if any(part.digests is not None for part in columns):
        digests = np.concatenate(
            [np.zeros(len(part.form), DIGEST) if part.digests is None else part.digests for part in columns]
        )
    if any(part.seq is not None for part in columns):
        starts = np.cumsum([0, *(len(part) for part in columns)]).tolist()
        seq = np.concatenate(
            [
                np.arange(start, start + len(part), dtype=np.int32) if part.seq is None else part.seq
                for start, part in zip(starts, columns, strict=False)
            ]
        )
    if any(chunk.stored is not None for chunk in chunks):
        stored = np.concatenate([np.zeros(len(c.columns.form), bool) if c.stored is None else c.stored for c in chunks])
    return Chunk(
        Columns(
            tables,
            joined_column("path", "i4"),
            joined_column("type", "i4"),
            joined_column("phase", "u1"),
            joined_column("call", "i4"),
            joined_column("parent", "i4"),
            joined_column("hook", "i4"),
            joined_column("scope", "u1"),
            joined_column("counts", "i4"),
            joined_column("form", "i4"),
            digests,
            seq,
        ),
        stored,
    )
