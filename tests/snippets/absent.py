"""The commands on a machine that lacks something, for test_doctor.py and demo/test_screen.py."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from collections.abc import Collection
from typing import Any

import pytest

from bridge.clr.find import installation


def command(
    distributions: Collection[str], packages: Collection[str], dotnet: bool, sdk: bool, *arguments: str
) -> None:
    """Run one where the metadata know no such distributions, there are no such packages, and no .NET or no SDK is found by itself."""
    distribution, find_spec = importlib.metadata.distribution, importlib.util.find_spec

    def known(name: str) -> importlib.metadata.Distribution:
        if name in distributions:
            raise importlib.metadata.PackageNotFoundError(name)
        return distribution(name)

    def found(name: str, *rest: Any) -> Any:
        return None if name in packages else find_spec(name, *rest)

    patch = pytest.MonkeyPatch()
    patch.setattr(importlib.metadata, "distribution", known)
    patch.setattr(importlib.util, "find_spec", found)
    for name in {"torch", "hypothesis"}.intersection(packages):
        patch.setitem(sys.modules, name, None)  # makes an import raise ModuleNotFoundError
    if not dotnet:
        patch.setattr(installation, "install_folders", lambda environ: ())
    if not sdk:
        patch.setattr(installation, "_sdks", lambda root: ())
    from bridge.cli import main

    main(arguments)
