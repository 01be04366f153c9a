"""The page of the contract, ``docs/contract.md``, from the clauses and their programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hook_contract.contract import Clause, Contract
from hook_contract.program import Program, description
from hook_contract.program.events import lines

#: The maximum number of lines of an example, program and trace together. A clause whose programs are all longer has no example.
LINES: Final = 40
_GENERATED: Final = "Made by `python tools/contract.py write`; a test fails when it is stale."
_READING: Final = """## How to read it

After a clause's id, which never changes its meaning, come its level and the versions of PyTorch that it holds for. A *key* in a note is a
part of an error's or warning's message that is the same in all runtimes.

An example shows a hook program and its trace, one event per line. Both use the words of [programs.md](programs.md). In short: a `leaf`
computes `2 x + 1`; a `sequence` calls its children one after the other; the root's module path is shown as `(root)`; `enter` is the
beginning of a module's own `forward`; `pre`, `forward`, `backward` and the like are hooks that fire, each with its arguments; `return` is
the result that the caller receives, `raise` the exception that it catches. Numbers are tensors with one element.
"""


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


def _clause_section(clause: Clause, example: Program | None) -> list[str]:
    until = f" until {clause.until}" if clause.until else ""
    parts = [
        f'<a id="{_anchor(clause.id)}"></a>**{clause.id}** · {clause.level} · PyTorch {clause.since}{until or "+"}',
        clause.text,
    ]
    if clause.note:
        parts.append(f"*{clause.note}*" if "*" not in clause.note else f"Note: {clause.note}")
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
