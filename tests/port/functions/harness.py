"""The harness: drawn functions translated, compiled in one assembly, called in C#, and compared with Python's results."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import types
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch

import csharp_compiler
from bridge.clr.find import assemblies
from bridge.port.csharp import helpers, printer, tree
from bridge.port.csharp.classes import file_of
from bridge.port.ir.errors import Untranslatable
from bridge.port.observe.models.construction import Given
from bridge.port.observe.runs import observe_function
from bridge.port.observe.sources import read_method
from bridge.port.observe.ties import Ties
from bridge.port.program import Program
from tests.port.functions import reference
from tests.port.functions.drawing import Drawn, draw, load
from tests.port.functions.values import plain, readable

_NAMESPACE: Final = "Drawn"
#: The driver in C#: it reads the calls from a file, and writes the text of each to another, from a function on.
_DRIVER: Final = Path(__file__).with_name("Driver.cs.txt")
#: A call that takes so long never ends, and so long a start of .NET takes at most.
_SECONDS: Final = 10.0
_START: Final = 120.0
_CHILD: Final = (
    "import sys, torch, bridge; torch.set_num_threads(1); bridge.load(sys.argv[1], 'Drawn.Driver')(torch.zeros(1))"
)
_ERRORS: Final = re.compile(r"^(\w*f\d+)\.cs\(.*?error (.*)$", re.MULTILINE)
#: Exceptions of C#, in its texts.
_OVERFLOW: Final = "OverflowException"
_UNSUPPORTED: Final = "NotSupportedException"


@dataclass(frozen=True, slots=True)
class Difference:
    """A function whose C# gives something else than Python; ``arguments`` is empty where it does not compile."""

    source: str
    csharp: str
    arguments: str
    python: str
    found: str

    def __str__(self) -> str:
        body = self.csharp.partition("static partial class Functions\n")[2].rstrip()
        lines = (self.source.rstrip(), body, f"arguments: {self.arguments}")
        return "\n".join((*lines, f"Python: {readable(self.python)}", f"C#:     {readable(self.found)}"))


@dataclass(slots=True)
class Report:
    """How many functions were compared, how many calls, which differ, and how many were refused by reason."""

    functions: int = 0
    calls: int = 0
    differences: list[Difference] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    raised: int = 0

    def add(self, other: Report) -> None:
        """Add what another part found."""
        self.functions += other.functions
        self.calls += other.calls
        self.raised += other.raised
        self.differences += other.differences
        self.refused += other.refused


@dataclass(slots=True)
class Translation:
    """The C# of functions by their names, the helpers that it uses, why others were refused, and the program that holds them as IR."""

    program: Program
    declarations: dict[str, tree.MethodDeclaration] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def helpers(self) -> set[str]:
        """Return the helpers that the C# uses."""
        return self.program.emission.helpers


def program() -> Program:
    """Return a program of functions alone."""
    return Program({}, {}, lambda kind: False, lambda kind: False, Given(), {}, Ties(), dict)


def translate(
    drawn: Sequence[Drawn], functions: Mapping[str, Callable[..., Any]], before: Translation | None = None
) -> Translation:
    """Observe each function, and translate it as `port` does; the observations and the IR of an earlier translation serve again."""
    found = Translation(program())
    if before is not None:
        found.program.methods |= before.program.methods
        found.program.free.lowered |= before.program.free.lowered
    for one in drawn:
        function = functions[one.name]
        assert isinstance(function, types.FunctionType)
        if function not in found.program.methods:
            method = read_method(function)
            assert method is not None
            runs = partial(_observe, one, function)
            found.program.methods |= observe_function(method, runs)
        try:
            found.program.free[function]
        except Untranslatable as error:
            found.refused[one.name] = error.why
        else:
            found.declarations[one.name] = found.program.free.declarations[function]
        found.program.free.declarations.clear()
    return found


def _observe(one: Drawn, function: Callable[..., Any]) -> None:
    for arguments in one.observed:
        with contextlib.suppress(Exception, reference.Endless), reference.limited(), torch.no_grad():
            function(*copy.deepcopy(arguments))


def sources(drawn: Sequence[Drawn], translation: Translation, without: Sequence[str] = ()) -> dict[str, str]:
    """Return the C# files: one for each function, the helpers, and the driver that calls them."""
    chosen = [one for one in drawn if one.name in translation.declarations and one.name not in without]
    files = {f"{one.name}.cs": csharp(translation.declarations[one.name]) for one in chosen}
    files["PythonMath.cs"] = helpers.text(translation.helpers, _NAMESPACE)
    files["Driver.cs"] = _DRIVER.read_text("utf-8")
    return files


def csharp(declaration: tree.MethodDeclaration) -> str:
    """Return the file of a function, which is a part of the class of all."""
    part = tree.ClassDeclaration("Functions", "internal static partial", members=(declaration,))
    return printer.text(file_of(_NAMESPACE, part))


def empty(name: str) -> tree.MethodDeclaration:
    """Return a function without statements, for one that is judged and not compiled."""
    return tree.MethodDeclaration(name, "internal static")


def calls(drawn: Sequence[Drawn]) -> str:
    """Return what the driver calls: a line of JSON for each function."""
    return "".join(
        json.dumps({"name": one.name, "kinds": one.kinds, "calls": [list(map(plain, given)) for given in one.calls]})
        + "\n"
        for one in drawn
    )


def compiled(sdk: Any, drawn: Sequence[Drawn], translation: Translation) -> tuple[Path, dict[str, str]]:
    """Return the assembly of all functions that compile, and the compiler's first error of the others."""
    folder, _ = assemblies.folder()
    failed: dict[str, str] = {}
    while True:
        files = sources(drawn, translation, tuple(failed))
        references = (folder / "Bridge.Hooks.dll", folder / "Bridge.Torch.dll")
        try:
            made = csharp_compiler.Compilation("DrawnFunctions", files, references, checked=True, nullable=False)
            return csharp_compiler.compile_sources(sdk, made), failed
        except csharp_compiler.CompileError as error:
            wrong = dict(_ERRORS.findall(str(error)))
            if not wrong:
                raise
            failed |= wrong


def run(assembly: Path, drawn: Sequence[Drawn], folder: Path) -> dict[tuple[str, int], str]:
    """Return the text of each call in C#. One that hangs or ends the process costs its function, and another process for the rest."""
    names = [one.name for one in drawn]
    asked, start = folder / "calls.jsonl", 0
    asked.write_text(calls(drawn), "utf-8")
    found: dict[tuple[str, int], str] = {}
    while start < len(names):
        output = folder / f"from{start}.txt"
        why = _run_from(assembly, asked, start, output)
        lines = output.read_text("utf-8").splitlines() if output.is_file() else []
        for name, number, *text in (line.split(" ", 2) for line in lines):
            found[name, int(number)] = text[0] if text and text[0] else why
        if not why:
            return found
        if not lines:
            raise RuntimeError(f"the C# of the functions cannot be run: {why}")
        start = names.index(lines[-1].split(" ")[0]) + 1
    return found


def _run_from(assembly: Path, asked: Path, start: int, output: Path) -> str:
    """Run the driver from a function on; return why it did not come to its end."""
    environ = {**os.environ, "DRAWN_OUTPUT": str(output), "DRAWN_START": str(start), "DRAWN_CALLS": str(asked)}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = subprocess.Popen([sys.executable, "-c", _CHILD, str(assembly)], env=environ, stderr=errors)
        size, since = -1, time.monotonic()
        while process.poll() is None:
            time.sleep(0.05)
            now = output.stat().st_size if output.is_file() else -1
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > (_START if size < 0 else _SECONDS):
                process.kill()
                process.wait()
                return "hangs"
        errors.seek(0)
        return f"ends the process: {errors.read()[-400:]!r}" if process.returncode else ""


def compare(drawn: Sequence[Drawn], functions: Mapping[str, Callable[..., Any]], sdk: Any, folder: Path) -> Report:
    """Translate, compile and run functions, and compare each call with Python's."""
    translation = translate(drawn, functions)
    assembly, failed = compiled(sdk, drawn, translation)
    made = [one for one in drawn if one.name in translation.declarations and one.name not in failed]
    return judged(drawn, functions, translation, failed, run(assembly, made, folder))


def judged(
    drawn: Sequence[Drawn],
    functions: Mapping[str, Callable[..., Any]],
    translation: Translation,
    failed: Mapping[str, str],
    texts: Mapping[tuple[str, int], str],
) -> Report:
    """Compare the texts of C# with Python's results."""
    report = Report(len(drawn), refused=Counter(map(_reason, translation.refused.values())))
    for one in drawn:
        if one.name in translation.refused:
            continue
        made = csharp(translation.declarations[one.name])
        if one.name in failed:
            report.differences.append(Difference(one.source, made, "", "", f"does not compile: {failed[one.name]}"))
            continue
        for number, arguments in enumerate(one.calls):
            found = texts.get((one.name, number))
            wanted = reference.call(functions[one.name], arguments, one.result, one.kinds)
            if found is None or wanted == "":
                break  # an earlier call ended the process, or Python's never ends
            report.calls += 1
            report.raised += wanted == reference.RAISES
            if _UNSUPPORTED in found and wanted != reference.RAISES:
                report.refused[_reason(found)] += 1
                break
            if not _agree(one, arguments, wanted, found):
                report.differences.append(Difference(one.source, made, repr(arguments), wanted, found))
                break
    return report


def _agree(one: Drawn, arguments: tuple[Any, ...], wanted: str, found: str) -> bool:
    if found.startswith(reference.RAISES):
        return wanted == reference.RAISES or (_OVERFLOW in found and reference.is_wide_within(one, arguments))
    return wanted == found


def _reason(why: str) -> str:
    """Return why without names, numbers and places; of a quoted expression the call at its end."""
    why = re.sub(r"'(\w+\()?.*?(\.\w+\(\))?'(?= of a | is an |, which|$)", r"'\1…\2'", why)
    return re.sub(r"(drawn_\w+\.py)?:?\b(?:[pviw]\d+x?|f\d+)\b|\d+", "…", why)[-160:]


def check(sdk: Any, count: int, number: int) -> Report:
    """Draw so many functions for a seed, and compare them."""
    drawn = draw(count, number)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        return compare(drawn, load(drawn, folder / f"drawn_{number}_{count}.py"), sdk, folder)
