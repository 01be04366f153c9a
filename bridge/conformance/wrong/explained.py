"""Survivors among the mechanical mutants that no program can catch, each with the reason: a part of its title, and why."""

from __future__ import annotations

from typing import Final

EXPLAINED: Final[dict[str, str]] = {}
