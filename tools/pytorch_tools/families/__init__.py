"""The checks, one file for a kind of tools. A tool is imported inside its check, so that listing the checks needs none of them."""

from __future__ import annotations

import importlib
import pkgutil


def load() -> None:
    """Register every check in :data:`pytorch_tools.checks.CHECKS`."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
