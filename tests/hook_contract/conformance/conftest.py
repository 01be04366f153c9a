"""A small contract, programs about it, and a runtime that is wrong in a chosen way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bridge.runtimes.registry import runtime
from hook_contract.conformance.judgement import Judgement, judge
from hook_contract.conformance.runs import run
from hook_contract.conformance.selection import select
from hook_contract.contract import Chapter, Clause, Contract
from hook_contract.contract.ledger import Divergence
from hook_contract.program import Program
from hook_contract.runtimes.runtime import Events

ENTER = {"event": "enter", "module": "", "args": [3]}
RETURN = {"event": "return", "value": 7}
PRE = {"event": "pre", "hook": "p", "module": "", "args": [3]}
#: What PyTorch does with a leaf that has one pre hook, called with 3.
TRACE = (PRE, ENTER, RETURN)


def clause(id: str, level: str = "MUST", **rest: object) -> Clause:
    """Return a clause."""
    given = {"since": "1.7", **rest}
    return Clause(id, f"The text of {id}.", level, **given)  # type: ignore[arg-type]


def _program(name: str, *clauses: str, **changes: object) -> Program:
    """Return a program that calls a leaf with a pre hook; PyTorch's trace is :data:`TRACE`."""
    steps = ({"do": "register", "hook": "p", "kind": "pre"}, {"do": "call", "args": [3]})
    made = Program(name, clauses, f"About {name}.", {"kind": "leaf"}, steps, expect=TRACE)
    return replace(made, **changes)  # type: ignore[arg-type]


@dataclass
class Wrong:
    """Leaves the given traces, by program and variant, and otherwise PyTorch's."""

    traces: Mapping[str, Mapping[str, Events]] = field(default_factory=dict)
    lacks: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[str, ...] = ("cpu",)
    breaks: bool = False
    name: str = "wrong"
    variants: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list)
    on: str = "Wrong 2.0"

    def version(self) -> str:
        return self.on

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        self.asked.append(program.name)
        if self.breaks:
            raise RuntimeError("out of order")
        return self.traces.get(program.name, {"": [dict(event) for event in TRACE]})


@pytest.fixture
def wrong() -> type[Wrong]:
    """Return a factory of runtimes with mistakes: ``wrong({program: {variant: trace}}, lacks=…, devices=…, breaks=…, on=version)``."""
    return Wrong


@pytest.fixture
def program() -> Callable[..., Program]:
    """Return a factory of programs, ``program(name, *clauses, **changes)``: see :func:`_program`."""
    return _program


@pytest.fixture
def row() -> Callable[..., Divergence]:
    """Return a factory of ledger rows about the runtime ``wrong``: ``row(**fields)``."""

    def made(**fields: Any) -> Divergence:
        given = {
            "id": "BR-1",
            "kind": "contract",
            "runtime": "wrong",
            "title": "It differs",
            "reason": "So it is.",
            "since": "1.0",
        }
        return Divergence(**{**given, "clauses": ("O-1",), **fields})

    return made


@pytest.fixture
def contract() -> Contract:
    first = Chapter("O", "Order", "Prose of O.", (clause("O-1"), clause("O-2")))
    second = Chapter("P", "Pre hooks", "Prose of P.", (clause("P-1"), clause("P-2", "MAY")))
    return Contract("1.0", "Prose.", (first, second))


@pytest.fixture
def programs() -> tuple[Program, ...]:
    return _program("O-1-a", "O-1"), _program("O-1-b", "O-1", "O-2"), _program("O-2-a", "O-2"), _program("P-1-a", "P-1")


@pytest.fixture
def judged(contract: Contract, programs: tuple[Program, ...]) -> Callable[..., Judgement]:
    """Return ``judged(Wrong(…), rows)``, which judges a runtime, by default PyTorch itself."""

    def judgement(
        wrong: Wrong | None = None,
        rows: tuple[Divergence, ...] = (),
        *,
        filters: tuple[str, ...] = (),
        devices: tuple[str, ...] = ("cpu",),
        programs: tuple[Program, ...] = programs,
        contract: Contract = contract,
        torch_version: str = "2.13.0",
    ) -> Judgement:
        selection = select(contract, programs, filters)
        runs = run([wrong or runtime("pytorch")], selection.programs, devices)
        return judge(runs, contract, rows, selection, torch_version=torch_version)

    return judgement
