"""bridge.conformance.ledger_page."""

from __future__ import annotations

from dataclasses import replace

from bridge.conformance.ledger_page import divergences_page
from bridge.runtimes.ledger import ledger


def test_every_row_is_in_the_page() -> None:
    page = divergences_page(ledger())
    for row in ledger():
        assert f"| {row.id} |" in page
        assert not row.upstream or row.upstream in page


def test_a_pipe_in_a_row_ends_no_cell() -> None:
    assert "a \\| b" in divergences_page([replace(ledger()[0], reason="a | b")])
