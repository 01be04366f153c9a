"""What a compiled assembly uses of TorchSharp that Bridge.Torch lacks, class by class; read from metadata, nothing of it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bridge.clr.start.runtime import start


@dataclass(frozen=True, slots=True)
class Missing:
    """A member of TorchSharp, as C# declares it, and the class of the user's that needs it."""

    member: str
    by: str


@dataclass(frozen=True, slots=True)
class ClassSurface:
    """A class of the assembly, as :func:`bridge.load` takes its name, and what it needs, itself or in what it reaches."""

    name: str
    module: bool
    missing: tuple[Missing, ...]


def examine(assembly: Path) -> tuple[ClassSurface, ...]:
    """All classes of an assembly, by name. Starts .NET if it does not run yet.

    Raises DotNetError when the file is not a .NET assembly, and OSError when it cannot be read.
    """
    assembly.open("rb").close()
    lines = start().exports.surface(str(assembly.resolve())).splitlines()
    return tuple(_class(*line.split("\t")) for line in lines)


def _class(name: str, module: str, *missing: str) -> ClassSurface:
    pairs = zip(missing[::2], missing[1::2], strict=True)
    return ClassSurface(name, module == "1", tuple(Missing(member, by) for member, by in pairs))
