"""What the demo lacks on this machine, all of it at once, with the one command that installs it."""

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
class Need:
    """One thing that is missing: what, and the distributions that bring it. Those of ``alone`` are installed without what they depend on.

    ``fix`` is what to do where no distribution brings it.
    """

    what: str
    distributions: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    fix: str = ""


def missing() -> tuple[Need, ...]:
    """Everything that the demo lacks; nothing is started and nothing is imported for it."""
    return tuple(_missing())


def said(needs: tuple[Need, ...]) -> str:
    """All that is missing, a line each, and the command."""
    plain = sorted({name for need in needs for name in need.distributions})
    alone = sorted({name for need in needs for name in need.alone})
    commands = [f"{_PIP} {' '.join(plain)}"] * bool(plain) + [f"{_PIP} --no-deps {' '.join(alone)}"] * bool(alone)
    lines = [f"  - {need.what}{f'. {need.fix}' if need.fix else ''}" for need in needs]
    if commands:
        lines.append(f"Install it with: {' && '.join(commands)}")
    return "\n".join(lines)


def _missing() -> Iterator[Need]:
    for module, distribution in (("skimage", "scikit-image"), ("PIL", "pillow")):
        if importlib.util.find_spec(module) is None:
            yield Need(f"the package {distribution}, for the picture", (distribution,))
    try:
        for name in weights.NAMES:
            weights.locate(name)
    except WeightsNotFound as error:
        what = str(error).partition(" Install it with")[0].rstrip(".")
        yield Need(what, alone=(f"{weights.DISTRIBUTION}=={weights.VERSION}",))
    try:
        installation.find_dotnet()
    except installation.DotNetNotFound as error:
        yield _dotnet(error)
    try:
        assemblies.folder()
    except assemblies.AssembliesNotFound as error:
        what, _, fix = str(error).rpartition("\n")
        yield Need(what.rstrip("."), fix=fix)


def _dotnet(error: installation.DotNetNotFound) -> Need:
    text, _, fix = str(error).rpartition("\n")
    what = text.partition("\n")[0].partition(". Looked at")[0].rstrip(".")
    if installation.BRIDGE_VARIABLE in what or (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return Need(what, fix=fix)
    return Need(what, alone=(installation.DISTRIBUTION,))
