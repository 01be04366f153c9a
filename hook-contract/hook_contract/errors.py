"""The base class of this package's exceptions."""

from __future__ import annotations


class HookContractError(Exception):
    """The base class of this package's exceptions."""
