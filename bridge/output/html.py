"""What every self-contained HTML page shares: its parts, its content policy, its escaping.

A page loads nothing from outside. Its own script and style are the only ones that its policy lets run, named by their digests; what
comes from elsewhere is escaped text, or a string inside a data block that the script sets as text (the policy forbids it to do otherwise).
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any, Final

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

_ESCAPES: Final = str.maketrans({char: f"\\u{ord(char):04x}" for char in "<>&'\u2028\u2029"})


def render(package: str, name: str, **values: Any) -> str:
    """The page ``templates/NAME.html`` of a package, with ``NAME.css`` and ``NAME.js`` in it; everything in ``values`` is escaped.

    Templates extend this package's ``page.html``, which takes ``title``, ``sign``, ``good``, ``verdict`` and ``data``.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("bridge.output")]),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = _part(package, f"{name}.css"), _part(package, f"{name}.js")
    return environment.get_template(f"{name}.html").render(
        policy=_policy(style, script), style=Markup(style), script=Markup(script), **values
    )


def _part(package: str, file: str) -> str:
    """A file of the page's own, with the line ends that a browser sees, so that its digest is the browser's."""
    return (files(package) / "templates" / file).read_text(encoding="utf-8").replace("\r\n", "\n")


def _policy(style: str, script: str) -> str:
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'"
    )


def to_json(data: object) -> str:
    """JSON that is safe inside a script element: no character of it can end that element or open another."""
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False).translate(_ESCAPES)
