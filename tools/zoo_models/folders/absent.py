"""Stand-ins for packages that are not installed, so that files which import them can be run as far as they do not use them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock


class _Module(ModuleType):
    """A module in which every name is found."""

    __version__ = "99"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock(name=f"{self.__name__}.{name}")


class _Finder(MetaPathFinder, Loader):
    """Finds the packages and all modules below them."""

    def __init__(self, packages: Sequence[str]) -> None:
        self.packages = tuple(packages)

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return the specification of a stand-in."""
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in self.packages else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the stand-in."""
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is."""


def stand_in(packages: Sequence[str]) -> None:
    """Let these packages be imported where nothing else finds them."""
    if not any(isinstance(finder, _Finder) and finder.packages == tuple(packages) for finder in sys.meta_path):
        sys.meta_path.append(_Finder(packages))
