"""The templates of a project's files, rendered as plain text."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(name: str, /, **values: Any) -> str:
    """Render ``templates/NAME.j2`` with these values, which are not escaped."""
    return _environment().get_template(f"{name}.j2").render(**values)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("bridge.port.project"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
