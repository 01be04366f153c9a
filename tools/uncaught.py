"""Finds what lets a C++ exception out of TorchSharp's native library, and so ends the process.

    python tools/uncaught.py LibTorchSharp.so TorchSharp.dll

reads the two files without running their code. It writes bridge/torchsharp/in_process/uncaught.json, and the list at the end of
docs/torchsharp-uncaught.md, which explains how it works.
"""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import sdk

ROOT: Final = Path(__file__).resolve().parents[1]
FACTS: Final = ROOT / "bridge" / "torchsharp" / "in_process" / "uncaught.json"
REPLACEMENTS: Final = ROOT / "dotnet" / "src" / "Bridge.InProcess" / "NativeFunctions.cs"
PAGE: Final = ROOT / "docs" / "torchsharp-uncaught.md"
_PROGRAM: Final = sdk.ARTIFACTS / "bin" / "TorchSharp.Reference" / "release" / "TorchSharp.Reference.dll"
#: The type_info of PyTorch's exception, and the zero that stands for `catch (...)`.
_ERROR, _ANY = "_ZTIN3c105ErrorE", ""
#: The beginning of instructions between 64-bit registers, such as `and rax, rbp`, whose operand is the byte of a call.
_BETWEEN: Final = re.compile(rb"[\x48\x4C][\x01\x03\x09\x0B\x21\x23\x29\x2B\x31\x33\x39\x3B\x85\x89\x8B]")
#: C++ functions that fail for no value that a caller passes: what their mangled names contain.
_SAFE: Final = re.compile(
    r"D[012]Ev$"  # destructors: noexcept
    r"|^_Z(n[wa]m|d[la]Pv)|^_ZNK?St7__cxx1112basic_string|^_ZSt20__throw_length_error|19promote_to_negative"  # memory is short
    r"|^_ZNK?St13runtime_error|^_ZNK3c105Error4what|incref_pyobject|^_ZTH|^_ZSt9terminate"  # noexcept
    r"|8GradMode|13InferenceMode|13globalContext|CPUGenerator|^_ZN2at11manual_seed|^_ZN5torch4cuda"  # the process's state
    r"|^_ZNK?5torch(5optim9Optimizer|5optim19OptimizerParamGroup|2nn6Module|3jit6Module)\d+[a-z]"  # parts of an object
    r"|OptionsC[12]E|14SequentialImpl|14torchCheckFailEPKcS2_jS2_$|23torchInternalAssertFail|^_ZN3c104Type4cast"  # constant texts
)
#: Functions and members that pass to what can throw only values that TorchSharp has checked or made.
_SAFE_FUNCTIONS: Final = re.compile(
    r"THSNN_(Module_(get_named|child)|Optimizer)|THSJIT_Module_(named_|parameters$|modules$|zero_grad$)"
    r"|THSTensor_(names|fractional_max_pool[23]d|(lp_|max_un)pool1d)$"
)
#: Functions that fail for the step 0 of a slice alone: no warning says so of each model that has an indexer.
_RARE: Final = re.compile(r"THSTensor_index(_put_(scalar_)?)?$")
_SAFE_MEMBERS: Final = re.compile(r"\.((c|jl|np|meta)?str|print|ToString)$|\bBatchNorm")


class Site(NamedTuple):
    """A range of instructions, and the types of the exceptions that are caught there."""

    start: int
    end: int
    caught: frozenset[str]


class Function(NamedTuple):
    """Where a function of the library is, and its call sites: none if it has no handlers of any kind."""

    start: int
    size: int
    sites: list[Site]

    def catches(self, at: int) -> bool:
        """Return whether PyTorch's exceptions do not pass an instruction. A gap between the sites is noexcept."""
        if not self.sites:
            return False
        found = next((site for site in self.sites if site.start <= at < site.end), None)
        return found is None or not found.caught.isdisjoint({_ERROR, _ANY})


class Library:
    """A shared library for Linux on x86-64, as clang writes it (System V ABI, Itanium C++ ABI)."""

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()
        (start,) = self.unpack("Q", 0x28)
        size, count, names = self.unpack("HHH", 0x3A)
        # Of each section: address, offset, size, and the index of the section of its names.
        self.tables = [self.unpack("QQQI", start + i * size + 16) for i in range(count)]
        texts = [self.text(self.tables[names][1] + self.unpack("I", start + i * size)[0]) for i in range(count)]
        self.sections = dict(zip(texts, self.tables, strict=True))
        self.exported = {name: at for at, name in self._symbols(".dynsym") if name.startswith("THS")}
        self.names = dict(self._symbols(".symtab" if ".symtab" in self.sections else ".dynsym"))
        self.slots = dict(self._relocations())
        self.names.update(self._stubs())
        self.functions = {function.start: function for function in self._frames()}

    def text(self, at: int) -> str:
        """Return the text at an offset, up to the next zero."""
        return self.data[at : self.data.index(0, at)].decode()

    def unpack(self, format: str, at: int) -> tuple[int, ...]:
        """Return little-endian integers at an offset."""
        return struct.unpack_from(f"<{format}", self.data, at)

    def number(self, at: int) -> tuple[int, int]:
        """Return an unsigned LEB128 number at an offset, and the offset after it."""
        value = shift = 0
        while True:
            value |= (self.data[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if self.data[at - 1] < 0x80:
                return value, at

    def callees(self, function: Function) -> Iterator[tuple[int, str]]:
        """Yield where a function calls which named function. Calls through pointers are not followed."""
        address, offset, _, _ = self.sections[".text"]
        for at in range(function.start, function.start + function.size - 4):
            place = at - address + offset
            if self.data[place] == 0xE9 or (self.data[place] == 0xE8 and not _BETWEEN.match(self.data, place - 2)):
                target = at + 5 + self.unpack("i", place + 1)[0]  # jmp or call
                if target in self.names and target != function.start:
                    yield at, self.names[target]

    def _symbols(self, section: str) -> Iterator[tuple[int, str]]:
        _, start, size, link = self.sections[section]
        for at in range(start, start + size, 24):
            name, info, _, defined, address = self.unpack("IBBHQ", at)
            if info & 15 == 2 and defined:  # a function of this library
                yield address, self.text(self.tables[link][1] + name)

    def _relocations(self) -> Iterator[tuple[int, str]]:
        """Yield the name of what each slot of the global offset table points to."""
        _, symbols, _, link = self.sections[".dynsym"]
        for section in (".rela.plt", ".rela.dyn"):
            _, start, size, _ = self.sections[section]
            for at in range(start, start + size, 24):
                slot, info, _ = self.unpack("QQq", at)
                yield slot, self.text(self.tables[link][1] + self.unpack("I", symbols + (info >> 32) * 24)[0])

    def _stubs(self) -> Iterator[tuple[int, str]]:
        """Yield the names of the stubs through which functions of other libraries are called."""
        for section in (".plt", ".plt.got"):
            address, start, size, _ = self.sections[section]
            for at in range(start, start + size, 8):
                if self.data[at : at + 2] == b"\xff\x25":  # jmp through a slot
                    stub = address + at - start
                    yield stub, self.slots[stub + 6 + self.unpack("i", at + 2)[0]]

    def _frames(self) -> Iterator[Function]:
        """Yield the functions in .eh_frame, whose addresses are relative and of 4 bytes."""
        address, start, _, _ = self.sections[".eh_frame"]
        at = start
        while length := self.unpack("I", at)[0]:
            (back,) = self.unpack("I", at + 4)
            if back:  # not a common entry, to which the others refer
                move, size = self.unpack("iI", at + 8)
                table = self.unpack("i", at + 17)[0] if "L" in self.text(at + 13 - back) else 0
                function, table_at = address + at + 8 - start + move, address + at + 17 - start + table
                yield Function(function, size, list(self._sites(function, table_at)) if table else [])
            at += length + 4

    def _sites(self, function: int, table: int) -> Iterator[Site]:
        """Yield the call sites in a function's part of .gcc_except_table."""
        address, start, _, _ = self.sections[".gcc_except_table"]
        base, at = self.data[start + table - address], start + table - address + 2
        types, at = self.number(at) if self.data[at - 1] != 0xFF else (0, at)
        if base != 0xFF or self.data[at] != 1:
            raise ValueError("the table of call sites has another encoding than clang's for x86-64")
        types += at
        length, at = self.number(at + 1)
        end = at + length
        while at < end:
            begin, at = self.number(at)
            count, at = self.number(at)
            pad, at = self.number(at)
            action, at = self.number(at)
            caught = frozenset(self._caught(end + action - 1, types)) if pad and action else frozenset[str]()
            yield Site(function + begin, function + begin + count, caught)

    def _caught(self, at: int, types: int) -> Iterator[str]:
        """Yield the types that a chain of actions catches. Its two numbers are signed LEB128 of one byte."""
        address, start, _, _ = self.sections[".gcc_except_table"]
        while True:
            kind, move = (((byte ^ 0x40) & 0x7F) - 0x40 for byte in self.data[at : at + 2])
            if kind > 0:
                entry = types - kind * 4
                (there,) = self.unpack("i", entry)
                yield self.slots.get(address + entry - start + there, "?") if there else _ANY
            if not move:
                return
            at += 1 + move


def escaping(library: Library) -> dict[str, set[str]]:
    """Return, by exported function, the functions that can throw and that it calls where nothing catches their exceptions."""
    functions = library.functions.values()
    open_calls = {f.start: {name for at, name in library.callees(f) if not f.catches(at)} for f in functions}
    own = {name: at for at, name in library.names.items() if at in open_calls and not _SAFE.search(name)}
    throwing: set[str] = set()

    def throws(name: str) -> bool:
        if name in own:
            return name in throwing
        return name in ("__cxa_throw", "__cxa_rethrow") or (name.startswith("_Z") and not _SAFE.search(name))

    while more := {name for name in own.keys() - throwing if any(map(throws, open_calls[own[name]]))}:
        throwing |= more
    found = {name: set(filter(throws, open_calls[at])) for name, at in sorted(library.exported.items())}
    return {name: called for name, called in found.items() if called and not _SAFE_FUNCTIONS.match(name)}


def members(dll: Path, functions: list[str]) -> dict[str, list[str]]:
    """Return, by public member of TorchSharp, such as ``torch.Tensor.add``, which of the native functions it reaches."""
    found = sdk.Sdk()
    command = [found.command, "exec", str(_PROGRAM), "--reaching", str(dll), *functions]
    done = subprocess.run(command, env=found.environ, text=True, check=True, capture_output=True)
    rows = (line.split("\t") for line in done.stdout.splitlines())
    return {member: reached.split() for member, reached in rows if not _SAFE_MEMBERS.search(member)}


def facts(reaching: dict[str, list[str]]) -> list[str]:
    """Return the members that a warning names: those that reach a function which is neither rare nor replaced in Python's process."""
    replaced = set(re.findall(r'\["(THS\w+)"\]', REPLACEMENTS.read_text(encoding="utf-8")))
    return sorted(m for m, reached in reaching.items() if not all(f in replaced or _RARE.match(f) for f in reached))


def table(library: Library, found: dict[str, set[str]], reaching: dict[str, list[str]]) -> str:
    """Return the part of the page that lists the functions."""
    sites = {name: library.functions[at].sites for name, at in library.exported.items()}
    protected = {name for name in sites if any(_ERROR in site.caught for site in sites[name])}
    lines = [
        f"Of {len(sites):,} exported functions, {len(protected)} have a `try`. {len(found)} let PyTorch's exceptions out, "
        f"{len(protected & found.keys())} of them outside their `try`. {len(reaching)} public members reach them.",
        "",
        "| native function | what calls PyTorch | reached from |",
        "| --- | --- | --- |",
    ]
    for name in found:
        public = [f"`{member}`" for member, reached in reaching.items() if name in reached] or ["nothing public"]
        public.sort(key=lambda member: not member.startswith("`torch."))
        more = f" and {len(public) - 4} more" if len(public) > 4 else ""
        where = "is outside the `try`" if name in protected else "has no `try`"
        lines.append(f"| `{name}` | {where} | {', '.join(public[:4])}{more} |")
    return "\n".join(lines) + "\n"


def main(native: str, dll: str) -> None:
    """Write the data file and the last part of the page."""
    library = Library(Path(native))
    found = escaping(library)
    reaching = members(Path(dll), list(found))
    FACTS.write_text(json.dumps(facts(reaching), indent=1) + "\n", encoding="utf-8")
    text, heading, _ = PAGE.read_text(encoding="utf-8").partition("## The functions\n\n")
    PAGE.write_text(text + heading + table(library, found, reaching), encoding="utf-8")
    print(f"{len(found)} functions, {len(reaching)} members")


if __name__ == "__main__":
    main(*sys.argv[1:])
