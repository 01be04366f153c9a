"""The rendering of self-contained HTML pages: their templates, content security policy and escaping.

A page loads no other file. Its policy allows only its own script and style, by their digests, and embedded images. All other content is
escaped text, or a string in a data block. The policy keeps the script from inserting such a string as HTML.
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
    """Render ``templates/NAME.html`` of a package with its ``NAME.css`` and ``NAME.js``; ``values`` are escaped, except Markup objects.

    Templates extend ``page.html`` of ``hook_contract.output``, whose variables are ``title``, ``sign``, ``good``, ``verdict`` and ``data``.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("hook_contract.output")]),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = _read_part(package, f"{name}.css"), _read_part(package, f"{name}.js")
    return environment.get_template(f"{name}.html").render(
        policy=_policy(style, script), style=Markup(style), script=Markup(script), **values
    )


def _read_part(package: str, file: str) -> str:
    """Read a file of the page with the line endings that a browser hashes."""
    return (files(package) / "templates" / file).read_text(encoding="utf-8").replace("\r\n", "\n")


def _policy(style: str, script: str) -> str:
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'"
    )


def to_json(data: object) -> str:
    """Format data as JSON for a script element, without characters that could end the element or begin another.

    Raises ValueError for NaN and infinities.
    """
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False).translate(_ESCAPES)
