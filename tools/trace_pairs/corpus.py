"""The file of pairs: JSON lines, first the files, then the pairs with their verdicts.

A file is ``{"trace": NAME, "lines": […], "values": BASE64}``. A line is an object, or the number of an equal line of an earlier file: the
objects are numbered from 0. ``values`` is the safetensors file beside the trace. A file that the writers do not write has ``text``, or
``base64`` if it is not UTF-8, instead of ``lines``. A pair is
``{"pair": NAME, "a": …, "b": …, "rtol": …, "atol": …, "verdict": {…}}``.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bridge.compare.report.summary import diff_to_json
from bridge.trace import Trace
from bridge.trace.file import beside, diff_files, write
from bridge.trace.file.errors import TraceFileError
from hook_contract.output.json_text import format_json
from trace_pairs.calls import Call, record

ROOT: Final = Path(__file__).resolve().parents[2]
PAIRS: Final = ROOT / "tests" / "trace" / "pairs.jsonl"


@dataclass(frozen=True)
class TraceFile:
    """The bytes of a trace file, and of the file of values beside it, if any."""

    trace: bytes
    values: bytes | None = None

    @staticmethod
    def of(trace: Trace) -> TraceFile:
        """Return the files that the writer writes."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "trace.jsonl"
            write(path, trace)
            values = beside(path)
            return TraceFile(path.read_bytes(), values.read_bytes() if values.exists() else None)

    def save(self, path: Path) -> None:
        """Write both files."""
        path.write_bytes(self.trace)
        if self.values is None:
            beside(path).unlink(missing_ok=True)
        else:
            beside(path).write_bytes(self.values)


@dataclass(frozen=True)
class Pair:
    """Two files, and the tolerances of their comparison."""

    name: str
    a: TraceFile
    b: TraceFile
    rtol: float = 0.0
    atol: float = 0.0


def pair(name: str, a: Trace, b: Trace, rtol: float = 0.0, atol: float = 0.0) -> Pair:
    """Return a pair of the files of two traces."""
    return Pair(name, TraceFile.of(a), TraceFile.of(b), rtol, atol)


def calls_pair(name: str, a: list[Call], b: list[Call], rtol: float = 0.0, atol: float = 0.0) -> Pair:
    """Return a pair of the traces of calls, of PyTorch and of C#."""
    return pair(name, record(a), record(b, "dotnet"), rtol, atol)


def verdict(pair: Pair, folder: Path) -> dict[str, Any]:
    """Return Python's verdict: the explanation, the first differences and the digest of the JSON output, or the error."""
    paths = folder / "a.jsonl", folder / "b.jsonl"
    pair.a.save(paths[0])
    pair.b.save(paths[1])
    try:
        found = diff_to_json(diff_files(*paths, rtol=pair.rtol, atol=pair.atol))
    except TraceFileError as error:
        return {
            "error": type(error).__name__,
            "file": error.path.name,
            "line": error.line,
            "field": error.field,
        }
    first = [found["first_structural"], found["first_numeric"]]
    return {
        "verdict": found["verdict"],
        "first": [item and [item["kind"], item["path"], item["positions"]] for item in first],
        "explanation": found["explanation"],
        "sha256": hashlib.sha256(format_json(found).encode()).hexdigest(),
    }


def save(pairs: Iterable[Pair], about: Mapping[str, Any]) -> int:
    """Write the pairs and Python's verdicts to the file of pairs. Each file is stored once. Returns the number of pairs."""
    names: dict[TraceFile, str] = {}
    known: dict[str, int] = {}
    lines = [_line(about)]
    with TemporaryDirectory() as folder:
        for pair in pairs:
            for file in (pair.a, pair.b):
                if file not in names:
                    names[file] = f"t{len(names)}"
                    lines.append(_line({"trace": names[file], **_content(file, known)}))
            options = {name: number for name, number in (("rtol", pair.rtol), ("atol", pair.atol)) if number}
            sides = {"a": names[pair.a], "b": names[pair.b]}
            lines.append(_line({"pair": pair.name, **sides, **options, "verdict": verdict(pair, Path(folder))}))
    PAIRS.write_text("".join(lines), encoding="ascii")
    return len(lines) - len(names) - 1


def load() -> Iterator[tuple[Pair, dict[str, Any]]]:
    """Yield the pairs of the file, with their verdicts."""
    files: dict[str, TraceFile] = {}
    known: list[str] = []
    for text in PAIRS.read_text(encoding="ascii").splitlines():
        line = json.loads(text)
        if "trace" in line:
            files[line["trace"]] = _file(line, known)
        elif "pair" in line:
            pair = Pair(line["pair"], files[line["a"]], files[line["b"]], line.get("rtol", 0.0), line.get("atol", 0.0))
            yield pair, line["verdict"]


def _line(item: Mapping[str, Any]) -> str:
    return json.dumps(item, separators=(",", ":"), allow_nan=False) + "\n"


def _content(file: TraceFile, known: dict[str, int]) -> dict[str, Any]:
    """Return the fields of a file. ``known`` has the numbers of the lines."""
    values = {} if file.values is None else {"values": base64.b64encode(file.values).decode()}
    try:
        text = file.trace.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(file.trace).decode(), **values}
    try:
        objects = [json.loads(line) for line in text.splitlines()]
        texts = [_line(item) for item in objects]
    except ValueError:
        return {"text": text, **values}
    if "".join(texts) != text or not all(isinstance(item, dict) for item in objects):
        return {"text": text, **values}
    found: list[Any] = []
    for item, written in zip(objects, texts, strict=True):
        found.append(known.get(written, item))
        known.setdefault(written, len(known))
    return {"lines": found, **values}


def _file(line: Mapping[str, Any], known: list[str]) -> TraceFile:
    values = base64.b64decode(line["values"]) if "values" in line else None
    if "base64" in line:
        return TraceFile(base64.b64decode(line["base64"]), values)
    if "text" in line:
        return TraceFile(line["text"].encode(), values)
    texts = []
    for item in line["lines"]:
        if isinstance(item, dict):
            known.append(_line(item))
        texts.append(known[item] if isinstance(item, int) else known[-1])
    return TraceFile("".join(texts).encode(), values)
