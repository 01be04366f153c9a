"""bridge.conformance.ledger, and the ledger itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge import contract
from bridge.conformance.ledger import Divergence, LedgerError, explaining, ledger, parse

ENTER, RETURN = {"event": "enter", "module": "", "args": [3]}, {"event": "return", "value": 7}
ERROR = {"event": "raise", "error": "TypeError", "key": ""}
_ROW = (
    'id = "BR-1"\nkind = "contract"\nclauses = ["F-2"]\nruntime = "dotnet"\ntitle = "t"\nreason = "r"\nsince = "1.0"\n'
)


def test_the_contracts_ledger_cites_clauses_that_exist_and_tests_that_exist() -> None:
    rows = ledger()
    assert rows
    written = contract.load()
    for item in rows:
        assert all(clause in written for clause in item.clauses), item
        assert item.reason.endswith("."), item.id
        if item.test:
            assert (Path(__file__).parents[2] / item.test.partition("::")[0]).is_file(), item.test


def test_the_ledger_has_what_is_known_of_torchsharp() -> None:
    """D1 to D11 of the survey of TorchSharp are its first rows."""
    assert [item.id for item in ledger()][:11] == [f"TS-{number}" for number in range(1, 12)]
    assert any(item.kind == "port" for item in ledger())


def test_a_row_explains_the_difference_that_it_describes_and_no_other(row: Callable[..., Divergence]) -> None:
    ends = row(expected=({"event": "return"},), got=({"event": "raise", "error": "TypeError"},))
    assert ends.explains([ENTER, RETURN], [ENTER, ERROR])
    assert not ends.explains([ENTER, RETURN], [ENTER, RETURN])
    assert not ends.explains([ENTER, RETURN], [ENTER, {**ERROR, "error": "ValueError"}])
    assert not ends.explains([ENTER, RETURN], [ENTER])
    assert not ends.explains([ENTER, RETURN], [ENTER, ERROR, RETURN]), "the trace must end there"
    assert not ends.explains([ENTER, ENTER], [ENTER, ERROR]), "another event was expected"


def test_a_row_that_goes_on_wants_the_rest_as_expected(row: Callable[..., Divergence]) -> None:
    swapped = row(
        expected=({"event": "enter"}, {"event": "return"}), got=({"event": "return"}, {"event": "enter"}), goes_on=True
    )
    assert swapped.explains([ENTER, RETURN, ERROR], [RETURN, ENTER, ERROR])
    assert not swapped.explains([ENTER, RETURN, ERROR], [RETURN, ENTER])
    assert not swapped.explains([ENTER, RETURN, ERROR], [RETURN, ENTER, RETURN])


def test_an_explanation_is_found_for_a_program_of_no_corpus(row: Callable[..., Divergence]) -> None:
    rows = (row(id="BR-1", runtime="other", got=(ERROR,)), row(id="BR-2", programs=("gone",), got=(ERROR,)))
    there = {"runtime": "wrong", "version": "2"}
    assert explaining(rows, [RETURN], [ERROR], **there) is rows[1]
    assert explaining(rows, [RETURN], [ENTER], **there) is None
    assert explaining(rows, [RETURN], [ERROR], **{**there, "runtime": "right"}) is None


def test_a_sign_may_stand_behind_the_difference_in_a_thread_too(row: Callable[..., Divergence]) -> None:
    rows = (row(sign={"event": "raise"}),)
    there = {"runtime": "wrong", "version": "2"}
    thread = {"event": "thread", "number": 0, "events": [RETURN, ERROR]}
    assert explaining(rows, [RETURN], [ENTER, ERROR], **there) is rows[0]
    assert explaining(rows, [ENTER, {**thread, "events": [ENTER, ERROR]}], [RETURN], **there) is rows[0]
    assert explaining(rows, [ERROR, ENTER], [ERROR, RETURN], **there) is None, "it came before the difference"
    assert explaining(rows, [ENTER, RETURN, ERROR], [RETURN, ERROR], **there) is None, "it came in a later step"
    without = (row(expected=({"event": "return"},), got=({"event": "raise"},)),)
    other = {**thread, "events": [ERROR, ERROR]}
    assert explaining(without, [ENTER, thread], [ENTER, other], **there) is without[0]
    assert explaining(without, [ENTER, other], [ENTER, thread], **there) is None


def test_a_row_explains_in_the_variants_that_are_named(row: Callable[..., Divergence]) -> None:
    rows = (row(expected=({"event": "enter"},), variants=("typed/*",)),)
    there = {"runtime": "wrong", "version": "2"}
    assert explaining(rows, [ENTER], [RETURN], variant="typed/python", **there) is rows[0]
    assert explaining(rows, [ENTER], [RETURN], variant="object/python", **there) is None


def test_a_pattern_may_stand_for_any_number_of_events(row: Callable[..., Divergence]) -> None:
    item = row(
        expected=({"event": "raise"},),
        got=({"event": "forward", "times": "any"}, {"event": "raise", "error": "TypeError"}),
    )
    hook = {"event": "forward", "hook": "f", "module": "", "args": [3], "output": None}
    raised = {**ERROR, "error": "RuntimeError"}
    for count in range(3):
        assert item.explains([ENTER, raised], [ENTER, *[hook] * count, ERROR])
    assert not item.explains([ENTER, raised], [ENTER, hook, RETURN, ERROR])
    assert not item.explains([ENTER, raised], [ENTER, hook])


def test_a_row_is_about_its_versions_and_devices(row: Callable[..., Divergence]) -> None:
    item = row(versions=">=2", devices=("cuda*",))
    assert item.applies("wrong", "Wrong 2.0", "cuda:0")
    for other in (("wrong", "1.9", "cuda"), ("wrong", "2", "cpu"), ("x", "2", "cuda")):
        assert not item.applies(*other)


def test_a_row_lists_programs_in_variants(row: Callable[..., Divergence]) -> None:
    item = row(programs=("F-2-*@typed/*", "P-2-a"))
    assert item.lists("F-2-int", "typed/python")
    assert not item.lists("F-2-int", "object/python")
    assert item.lists("P-2-a", "object/python")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[divergence]]\n" + _ROW * 1 + 'colour = "red"\n', "BR-1: there is no field colour"),
        ("[[divergence]]\n" + _ROW + "[[divergence]]\n" + _ROW, "two rows have the id BR-1"),
        ("[[divergence]]\n" + _ROW.replace('reason = "r"\n', ""), "BR-1 lacks reason"),
        ("[[divergence]]\n" + _ROW.replace('"contract"', '"other"'), "the kind is one of"),
        ("[[divergence]]\n" + _ROW.replace('clauses = ["F-2"]\n', ""), "BR-1 names no clause"),
        ("[[divergence]]\n" + _ROW + 'versions = "2"\n', "'2' is no bound"),
        ("[[divergence]]\n" + _ROW + 'programs = ["F-2-*"]\n', "does not say what differs"),
        ("[[divergence", "no TOML"),
    ],
)
def test_a_row_that_says_too_little_or_too_much_is_refused(text: str, message: str) -> None:
    with pytest.raises(LedgerError, match=message.replace("(", r"\(")):
        parse(text)


def test_a_row_is_read_whole() -> None:
    (found,) = parse(
        "[[divergence]]\n" + _ROW + 'programs = ["F-2-*"]\ngot = [{event = "raise", error = "TypeError"}]\n'
    )
    expected: dict[str, Any] = {"event": "raise", "error": "TypeError"}
    assert found.got == (expected,)
    assert found.lists("F-2-int")
    assert not found.lists("F-3-int")
