"""JSON as text for people and files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def format_json(found: Mapping[str, Any]) -> str:
    """Return JSON with an indentation of two spaces. Raises ValueError for NaN and infinities."""
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
