"""The search for missing requirements of the demo, and the commands that install them."""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bridge.clr.find import assemblies, installation
from bridge.samples import weights
from bridge.samples.errors import WeightsNotFound

_PIP: Final = "python -m pip install"


@dataclass(frozen=True, slots=True)
class Requirement:
    """A missing requirement.

    ``distributions`` are the PyPI distributions to install, ``without_dependencies`` those to install with ``--no-deps``. ``fix`` says what
    else to do.
    """

    name: str
    distributions: tuple[str, ...] = ()
    without_dependencies: tuple[str, ...] = ()
    fix: str = ""


def find_missing() -> tuple[Requirement, ...]:
    """Return all missing requirements, without starting .NET or importing the required packages."""
    return tuple(_find_missing())


def describe(missing: tuple[Requirement, ...]) -> str:
    """Return a line for each missing requirement, and the commands that install them."""
    plain = sorted({name for requirement in missing for name in requirement.distributions})
    bare = sorted({name for requirement in missing for name in requirement.without_dependencies})
    commands = [f"{_PIP} {' '.join(plain)}"] * bool(plain) + [f"{_PIP} --no-deps {' '.join(bare)}"] * bool(bare)
    lines = [f"  - {requirement.name}{f'. {requirement.fix}' if requirement.fix else ''}" for requirement in missing]
    if commands:
        lines.append(f"Install with: {' && '.join(commands)}")
    return "\n".join(lines)


def _find_missing() -> Iterator[Requirement]:
    for module, distribution in (("skimage", "scikit-image"), ("PIL", "pillow")):
        if importlib.util.find_spec(module) is None:
            yield Requirement(f"the package {distribution}, for the picture", (distribution,))
    try:
        for name in weights.NAMES:
            weights.locate(name)
    except WeightsNotFound as error:
        name = str(error).partition(" Install it with")[0].rstrip(".")
        yield Requirement(name, without_dependencies=(f"{weights.DISTRIBUTION}=={weights.VERSION}",))
    try:
        installation.find_dotnet()
    except installation.DotNetNotFound as error:
        yield _dotnet(error)
    try:
        assemblies.folder()
    except assemblies.AssembliesNotFound as error:
        name, _, fix = str(error).rpartition("\n")
        yield Requirement(name.rstrip("."), fix=fix)


def _dotnet(error: installation.DotNetNotFound) -> Requirement:
    text, _, fix = str(error).rpartition("\n")
    name = text.partition("\n")[0].partition(". Searched")[0].rstrip(".")
    if installation.BRIDGE_VARIABLE in name or (sys.platform, platform.machine()) not in installation.DISTRIBUTED:
        return Requirement(name, fix=fix)
    return Requirement(name, without_dependencies=(installation.DISTRIBUTION,))
