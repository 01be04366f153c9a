"""``PORT.md``: how each method of a port was written, and what is left to do."""

from __future__ import annotations

from typing import Final

from bridge.port.porting import Port
from bridge.port.project.rendering import render
from bridge.port.verify.summary import list_fixed, summarize

_WAYS: Final = {"source": "its source", "graph": "its graph", "instances": "its instances"}


def render_notes(port: Port, title: str) -> str:
    """Return ``PORT.md``: each method, how it was written, what is left to do, and the values that C# fixes as they were in the runs."""
    reasons = {one.where: f"{one.place}: {one.why}".replace("|", "/") for one in port.left}
    return render(
        "PORT.md",
        title=title,
        summary=summarize(port),
        methods=port.wrote,
        ways=_WAYS,
        reasons=reasons,
        said=list_fixed(port.wrote),
    )
