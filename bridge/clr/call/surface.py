"""The members of TorchSharp that a compiled assembly uses and Bridge.Torch lacks, by class. The assembly is read, but not run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bridge.clr.start.runtime import start


@dataclass(frozen=True, slots=True)
class Missing:
    """A member of TorchSharp that Bridge.Torch lacks, as C# declares it, and the user's class that uses it."""

    member: str
    by: str


@dataclass(frozen=True, slots=True)
class ClassSurface:
    """A class of an assembly, and the members of TorchSharp that the class needs and Bridge.Torch lacks.

    ``missing`` includes the members that the class needs only through other classes. ``module`` tells whether the class is a TorchSharp
    module.
    """

    name: str
    module: bool
    missing: tuple[Missing, ...]


def examine(assembly: Path) -> tuple[ClassSurface, ...]:
    """Return the classes of an assembly. Starts .NET if it does not run yet.

    Raises DotNetError when the file is not a .NET assembly, and OSError when it cannot be read.
    """
    assembly.open("rb").close()
    lines = start().exports.missing_members(str(assembly.resolve())).splitlines()
    return tuple(_class(*line.split("\t")) for line in lines)


def _class(name: str, module: str, *missing: str) -> ClassSurface:
    pairs = zip(missing[::2], missing[1::2], strict=True)
    return ClassSurface(name, module == "1", tuple(Missing(member, by) for member, by in pairs))
