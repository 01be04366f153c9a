"""hook_contract.program.generate: random programs are valid, reach the entire format, and go to their end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, seed, settings

import hook_contract.contract
from bridge.runtimes.registry import runtime
from hook_contract.program import Program, parse, words
from hook_contract.program.generate import programs
from hook_contract.runtimes.runtime import unsupported_reason

QUICK = settings(max_examples=300, database=None, deadline=None, suppress_health_check=list(HealthCheck))
SCHEMA = json.loads(Path(hook_contract.contract.__file__).with_name("program.schema.json").read_bytes())
#: What of the format no random program has: the trace that PyTorch leaves, which nobody has accepted yet, and the versions it is about.
NOT_DRAWN = {"expect", "since", "until"}


@cache
def drawn(number: int, *, plain: bool | None = None) -> tuple[Program, ...]:
    """Return 300 random programs of a seed. Drawing them takes longer than most of what the tests do with them."""
    found: list[Program] = []

    @seed(number)
    @QUICK
    @given(programs(plain=plain))
    def draw(program: Program) -> None:
        found.append(program)

    draw()
    return tuple(found)


def test_a_random_program_is_valid() -> None:
    for program in drawn(6):
        assert parse(program.to_json()) == program


def test_a_plain_program_needs_no_gradients() -> None:
    without = set(runtime("hooks").lacks) - {"node:sequential", "node:modulelist", "node:attention", "node:encoder"}
    for program in drawn(5, plain=True):
        assert not words(program) & without - {"step:train", "step:eval"}


def test_no_step_fails_but_in_a_try() -> None:
    """What may fail is in a try, so that a program goes on to its end."""
    for program in drawn(6):
        ended = replace(program, steps=(*program.steps, {"do": "ids", "handles": []}))
        assert runtime("pytorch").run(ended)[""][-1] == {"event": "ids", "handles": [], "ranks": []}


def test_random_programs_have_every_word_of_the_format() -> None:
    """Every property that the schema knows, and every word that it lists, is in one of at most a few thousand programs.

    What a runtime lacks is drawn all the same.
    """
    keys: set[str] = set()
    said: set[str] = set()
    found: set[str] = set()
    wanted = {"threads", "identity", "kwargs", "parameters", "global", "node:same"}
    wanted |= {f"value:{form}" for form in ("plain", "text", "vector", "tuple", "list", "dict", "name")}
    lacked = {word for name in ("model", "hooks", "dotnet") for word in runtime(name).lacks}
    wanted |= {word for word in lacked if not word.startswith("read:")}

    for number in range(6, 16):
        for program in drawn(number):
            data = program.to_json()
            keys.update(_keys(data))
            said.update(_texts(data))
            found.update(words(program))
        absent = (_properties(SCHEMA) - keys - NOT_DRAWN) | (_enumerated(SCHEMA) - said) | (wanted - found)
        if not absent:
            break
    assert not absent
    assert not keys & NOT_DRAWN


def test_every_runtime_can_run_many() -> None:
    ran = {
        name: sum(unsupported_reason(runtime(name), program) is None for program in drawn(6))
        for name in ("model", "hooks")
    }
    assert ran["model"] > 240
    assert ran["hooks"] > 50


def _mappings(data: Any, *, without: str = "") -> Iterator[Mapping[str, Any]]:
    """Yield every mapping in ``data``, except those under the key ``without``."""
    if isinstance(data, Mapping):
        yield data
        for name, part in data.items():
            if name != without:
                yield from _mappings(part, without=without)
    elif isinstance(data, (list, tuple)):
        for part in data:
            yield from _mappings(part, without=without)


def _properties(schema: Any) -> set[str]:
    """Return the names of the properties of a program, without those of events."""
    return {name for part in _mappings(schema, without="event") for name in part.get("properties", ())}


def _enumerated(schema: Any) -> set[str]:
    """Return the words of a program."""
    parts = list(_mappings(schema, without="event"))
    constants = {part["const"] for part in parts if isinstance(part.get("const"), str)}
    return constants | {word for part in parts for word in part.get("enum", ())}


def _keys(data: Any) -> set[str]:
    return {name for part in _mappings(data) for name in part}


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for part in data.values():
            yield from _texts(part)
    elif isinstance(data, (list, tuple)):
        for part in data:
            yield from _texts(part)
