"""The corpus: every file is a program in its place, PyTorch does what it says, and all words of the format are used."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import resources
from itertools import product
from pathlib import Path

import pytest
import torch

from bridge.runtimes.pytorch.world import TorchWorld
from hook_contract.conformance.runs import name_device
from hook_contract.contract.versions import holds
from hook_contract.program import Json, Program, corpus, corpus_files, dumps, load, nodes, words
from hook_contract.runtimes.interpreter import run

PROGRAMS = corpus()
CHAPTERS = sorted({program.clauses[0][0] for program in PROGRAMS})


def test_there_are_enough() -> None:
    assert len(PROGRAMS) >= 200


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_file_is_a_program_as_it_would_be_written(chapter: str) -> None:
    files = [path for path in corpus_files() if path.parent.name == chapter]

    assert files
    for path in files:
        assert dumps(load(path)) == path.read_text(encoding="utf-8"), path.name


def test_names_and_folders_tell_the_first_clause() -> None:
    for path, program in zip(corpus_files(), PROGRAMS, strict=True):
        assert path.stem == program.name
        assert program.name.startswith(f"{program.clauses[0]}-"), program.name
        assert path.parent.name == program.clauses[0][0], program.name


def test_names_are_unique() -> None:
    assert [name for name, times in Counter(program.name for program in PROGRAMS).items() if times > 1] == []


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_pytorch_does_what_it_says(program: Program) -> None:
    assert program.expect
    if not holds(torch.__version__, program.since, program.until):
        pytest.skip(
            f"it is about another PyTorch than {torch.__version__}: from {program.since or 'any'} until {program.until}"
        )
    assert name_device(run(program, TorchWorld()), "cpu") == program.expect


def test_every_word_of_the_format_is_used() -> None:
    schema = json.loads((resources.files("hook_contract") / "contract" / "program.schema.json").read_bytes())["$defs"]
    known = {
        *(f"step:{word}" for word in schema["stepWord"]["properties"]["do"]["enum"]),
        *(f"node:{word}" for word in (*schema["node"]["properties"]["kind"]["enum"], "same")),
        *(f"hook:{word}" for word in schema["hookKind"]["enum"]),
        *(f"action:{word}" for word in schema["action"]["properties"] if word != "message"),
        *(f"value:{word}" for word in schema["value"]["then"]["properties"]),
        *(f"read:{word}" for word in schema["reading"]["properties"]["what"]["enum"]),
        *(f"option:{word}" for word in ("prepend", "with_kwargs", "always_call", "by")),
        *("identity", "parameters", "global", "kwargs", "threads"),
    }
    used = set().union(*(words(program) for program in PROGRAMS))

    assert used == known - {"step:try"}, "a program of the corpus says what it raises; `try` is for random ones"


def test_every_event_of_the_format_comes() -> None:
    schema = json.loads((resources.files("hook_contract") / "contract" / "program.schema.json").read_bytes())["$defs"]
    known = set(schema["event"]["properties"]["event"]["enum"])

    assert {event["event"] for program in PROGRAMS for event in flat(program.expect or ())} == known


def test_hooks_stand_at_each_depth_to_five() -> None:
    depths = {path.count(".") + 2 if path else 1 for program in PROGRAMS for path, _ in nodes(program.tree)}

    assert {1, 2, 3, 4, 5} <= depths


def test_hooks_are_registered_from_every_phase_on_hooked_and_bare_ancestors() -> None:
    """C-5: by a pre hook, by ``forward``, by a forward hook; each where the registering module's ancestor has a hook and has none."""
    found = {program.name for program in PROGRAMS}
    for phase, ancestor in product(("pre-hook", "forward-hook"), ("bare", "hooked")):
        assert f"C-5-{phase}-of-child-registers-on-{ancestor}-root" in found
    assert {"C-5-bare-ancestor", "C-5-hooked-ancestor", "C-5-registered-by-a-backward-hook"} <= found


# A native path of the library looks at the device (Z-4), so these differ there.
@pytest.mark.parametrize("chapter", [chapter for chapter in CHAPTERS if chapter != "Z"])
def test_on_the_meta_device_all_but_the_values_is_the_same(chapter: str) -> None:
    """No tensor is made on another device than the run's: two devices in one operation would be an error."""
    for program in PROGRAMS:
        if program.clauses[0][0] == chapter and holds(torch.__version__, program.since, program.until):
            there = run(program, TorchWorld("meta"))
            assert [*without_values(there)] == [*without_values(program.expect or ())], program.name


def without_values(events: Iterable[Json]) -> Iterator[Json]:
    fields = ("event", "hook", "module", "error", "key", "category", "what", "name", "ranks", "number")
    return ({field: event[field] for field in fields if field in event} for event in flat(events))


def flat(events: Iterable[Json]) -> Iterator[Json]:
    for event in events:
        yield event
        yield from flat(event.get("events", ()))


def test_no_other_file_lies_among_them() -> None:
    folder = Path(str(resources.files("hook_contract") / "contract" / "programs"))

    assert [path.name for path in folder.rglob("*") if path.is_file() and path.suffix != ".json"] == []
