"""bridge.program.generate: random programs are valid, reach the entire format, and go to their end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, seed, settings

import bridge
from bridge.program import Program, parse, words
from bridge.program.generate import programs
from bridge.runtimes.runtime import missing, runtime

QUICK = settings(max_examples=300, database=None, deadline=None, suppress_health_check=list(HealthCheck))
SCHEMA = json.loads((Path(bridge.__file__).parent / "contract" / "program.schema.json").read_bytes())
#: What of the format no random program has: the trace that PyTorch leaves, which nobody has accepted yet, and the versions it is about.
NOT_DRAWN = {"expect", "since", "until"}


@seed(5)
@QUICK
@given(programs())
def test_a_random_program_is_valid(program: Program) -> None:
    assert parse(program.to_json()) == program


@seed(5)
@QUICK
@given(programs(plain=True))
def test_a_plain_program_needs_no_gradients(program: Program) -> None:
    without = set(runtime("hooks").lacks) - {"node:sequential", "node:modulelist", "node:attention", "node:encoder"}
    needed = words(program) & without - {"step:train", "step:eval"}
    assert not needed


@seed(7)
@QUICK
@given(programs())
def test_no_step_fails_but_in_a_try(program: Program) -> None:
    """What may fail is in a try, so that a program goes on to its end."""
    ended = replace(program, steps=(*program.steps, {"do": "ids", "handles": []}))
    assert runtime("pytorch").run(ended)[""][-1] == {"event": "ids", "handles": [], "ranks": []}


def test_random_programs_have_every_word_of_the_format() -> None:
    """Every property that the schema knows, and every word that it lists, is in one of a few thousand programs."""
    keys: set[str] = set()
    said: set[str] = set()
    found: set[str] = set()

    @seed(6)
    @settings(QUICK, max_examples=3000)
    @given(programs())
    def look(program: Program) -> None:
        data = program.to_json()
        keys.update(_keys(data))
        said.update(_texts(data))
        found.update(words(program))

    look()
    assert set(_properties(SCHEMA)) - keys == NOT_DRAWN
    assert set(_enumerated(SCHEMA)) <= said
    assert {"threads", "identity", "kwargs", "parameters", "global", "node:same"} <= found
    assert {f"value:{form}" for form in ("plain", "text", "vector", "tuple", "list", "dict", "name")} <= found
    lacked = {word for name in ("model", "hooks", "dotnet") for word in runtime(name).lacks}
    assert {word for word in lacked if not word.startswith("read:")} <= found, (
        "what a runtime lacks is drawn all the same"
    )


def test_every_runtime_can_run_many() -> None:
    ran = dict.fromkeys(("model", "hooks"), 0)

    @seed(8)
    @QUICK
    @given(programs())
    def look(program: Program) -> None:
        for name in ran:
            ran[name] += missing(runtime(name), program) is None

    look()
    assert ran["model"] > 240
    assert ran["hooks"] > 50


def _properties(schema: Any) -> Iterator[str]:
    """The names of the properties that a program may have; those of events belong to traces."""
    if isinstance(schema, Mapping):
        for name, part in schema.items():
            if name == "properties":
                yield from part
            if name != "event":
                yield from _properties(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _properties(part)


def _enumerated(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        yield from schema.get("enum", ())
        yield from (part for name, part in schema.items() if name == "const" and isinstance(part, str))
        for name, part in schema.items():
            if name != "event":
                yield from _enumerated(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _enumerated(part)


def _keys(data: Any) -> Iterator[str]:
    if isinstance(data, Mapping):
        for name, part in data.items():
            yield name
            yield from _keys(part)
    elif isinstance(data, (list, tuple)):
        for part in data:
            yield from _keys(part)


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for part in data.values():
            yield from _texts(part)
    elif isinstance(data, (list, tuple)):
        for part in data:
            yield from _texts(part)
