"""The generated pages: ``docs/contract.md`` from the clauses and their programs, ``docs/divergences.md`` from the known divergences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bridge.contract import Clause, Contract
from bridge.contract.ledger import Divergence
from bridge.program import Program, description
from bridge.program.events import lines

#: The maximum number of lines of an example, program and trace together. A clause whose programs are all longer has no example.
LINES: Final = 40
_GENERATED: Final = "Made by `python tools/contract.py write`; a test fails when it is stale."
_READING: Final = """## How to read it

After a clause's id, which never changes its meaning, come its kind, the versions of PyTorch that it holds for, and the runtimes that it
is tested on: `hooks` is the C# registry without tensors, `model` a model of this contract in pure Python, `pytorch` PyTorch itself,
`dotnet` C# modules in Python, `torchsharp+bridge` TorchSharp's modules with our ordered hooks, and `torchsharp-in-process` TorchSharp's
modules with Python's hooks. A *key* in a note is a part of an error's or warning's message that is the same in all runtimes.

An example shows a hook program and its trace, one event per line. Both use the words of [programs.md](programs.md). In short: a `leaf`
computes `2 x + 1`; a `sequence` calls its children one after the other; the root's module path is shown as `(root)`; `enter` is the
beginning of a module's own `forward`; `pre`, `forward`, `backward` and the like are hooks that fire, each with its arguments; `return` is
the result that the caller receives, `raise` the exception that it catches. Numbers are tensors with one element.
"""
_SECTIONS: Final = (
    ("contract", "Departures from the contract",
     "Each is shown by hook programs, exactly as its row describes. A row is untested in a run without its runtime and version."),
    ("interface", "Differences that no hook program shows",
     "They affect everyone who ports a model."),
    ("port", "Bridge.Torch and TorchSharp",
     "Where the same C# source behaves differently on Bridge.Torch than on TorchSharp, and why."),
)  # fmt: skip


def contract_page(contract: Contract, programs: Sequence[Program]) -> str:
    """Return the text of ``docs/contract.md``."""
    parts = [
        f"# The hook contract, version {contract.version}",
        _GENERATED,
        contract.prose,
        _READING.strip(),
        "\n".join(
            f"- [{chapter.letter}: {chapter.title}](#{_anchor(chapter.letter)})" for chapter in contract.chapters
        ),
    ]
    examples = _examples(contract, programs)
    for chapter in contract.chapters:
        parts.append(f'<a id="{_anchor(chapter.letter)}"></a>\n\n## {chapter.letter}: {chapter.title}')
        parts.append(chapter.prose)
        for clause in chapter.clauses:
            parts += _clause_section(clause, examples.get(clause.id))
    return "\n\n".join(parts) + "\n"


def divergences_page(rows: Sequence[Divergence]) -> str:
    """Return the text of ``docs/divergences.md``."""
    parts = [
        "# Known divergences",
        f"{_GENERATED} The ledger is `bridge/contract/divergences.toml`; [conformance.md](conformance.md) says how it is judged.",
    ]
    for kind, title, words in _SECTIONS:
        mine = [row for row in rows if row.kind == kind]
        if not mine:
            continue
        parts.append(f"## {title}\n\n{words}")
        table = ["| row | runtime | difference | reason |", "|---|---|---|---|"]
        table += [
            f"| {row.id} | {_cell(_scope(row))} | {_cell(_title(row))} | {_cell(_explanation(row))} |" for row in mine
        ]
        parts.append("\n".join(table))
    return "\n\n".join(parts) + "\n"


def _clause_section(clause: Clause, example: Program | None) -> list[str]:
    until = f" until {clause.until}" if clause.until else ""
    where = ", ".join(clause.runtimes)
    parts = [
        f'<a id="{_anchor(clause.id)}"></a>**{clause.id}** · {clause.kind} · PyTorch {clause.since}{until or "+"} · {where}',
        clause.text,
    ]
    if clause.note:
        parts.append(f"*{clause.note}*" if "*" not in clause.note else f"Note: {clause.note}")
    if clause.reason:
        parts.append(f"Not for all runtimes: {clause.reason}")
    if example is not None:
        parts.append(f"Example `{example.name}`: {example.about}")
        described = [*description.describe_program(example), "", *lines(example.expect or ())]
        parts.append("\n".join(["```text", *described, "```"]))
    return parts


def _examples(contract: Contract, programs: Sequence[Program]) -> Mapping[str, Program]:
    """Return an example for each clause that has a program of at most :data:`LINES` lines.

    The example is the program that the clause names, else the smallest that lists the clause first, else the smallest that lists it.
    """
    found: dict[str, Program] = {}
    accepted = [program for program in programs if program.expect and _size(program) <= LINES]
    for clause in contract:
        mine = [program for program in accepted if clause.id in program.clauses]
        if mine:
            found[clause.id] = min(
                mine,
                key=lambda item: (item.name != clause.example, item.clauses[0] != clause.id, _size(item), item.name),
            )
    return found


def _size(program: Program) -> int:
    return len(description.describe_program(program)) + len(lines(program.expect or ()))


def _anchor(name: str) -> str:
    return name.lower()


def _scope(row: Divergence) -> str:
    parts = [row.runtime, row.about, *row.devices]
    return " ".join(part for part in parts if part)


def _title(row: Divergence) -> str:
    return f"{row.title} ({', '.join(row.clauses)})" if row.clauses else row.title


def _explanation(row: Divergence) -> str:
    parts = [row.reason]
    if row.upstream:
        parts.append(f"[{row.upstream.removeprefix('https://github.com/')}]({row.upstream})")
    if row.programs:
        parts.append(f"Programs: {', '.join(f'`{name}`' for name in row.programs)}.")
    if row.shown_by:
        parts.append(f"Shown by {', '.join(f'`{name}`' for name in row.shown_by)}, run by hand.")
    return " ".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
