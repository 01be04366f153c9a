"""The models of a compiled assembly, and the members of TorchSharp that the assembly uses and Bridge.Torch lacks.

The assembly is read, but its code does not run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bridge.clr.start.runtime import start


@dataclass(frozen=True, slots=True)
class Missing:
    """A member of TorchSharp that Bridge.Torch lacks, as C# declares it, and the user's class that uses the member."""

    member: str
    by: str


@dataclass(frozen=True, slots=True)
class Uncalled:
    """A method or property that does not run when a model is created and called, and a member that it needs but Bridge.Torch lacks."""

    method: str
    member: str


@dataclass(frozen=True, slots=True)
class ClassSurface:
    """A class of an assembly, or the static methods of one name that return a module.

    Attributes:
        name: The full name as C# writes it.
        module: Whether the class is a module class, or the methods return a module. If true, ``bridge.load`` takes the ``name``.
        missing: The members of TorchSharp that Bridge.Torch lacks and that are needed to create and call the module. For a class that is
            not a module class, the members that any of its methods needs.
        kind: ``class`` or ``method``.
        constructors: The public and internal constructors of a module class, or the overloads of the method, as C# declares them.
        obstacle: Why no object of the class can be created, such as ``is abstract``; empty if there is no reason.
        uncalled: The members that are needed only by methods and properties that do not run when the module is created and called.
            Such a method or property throws when it runs.
    """

    name: str
    module: bool
    missing: tuple[Missing, ...]
    kind: str = "class"
    constructors: tuple[str, ...] = ()
    obstacle: str = ""
    uncalled: tuple[Uncalled, ...] = ()

    @property
    def runs(self) -> bool:
        """Return whether ``bridge.load`` can create the module, and the module can be called."""
        return self.module and not self.missing and not self.obstacle

    @property
    def note(self) -> str:
        """Return the obstacle; else what the methods and properties in ``uncalled`` need: ``Train needs A, B; Save needs C``."""
        needs: dict[str, dict[str, None]] = {}
        for entry in self.uncalled:
            needs.setdefault(entry.method, {})[entry.member] = None
        return self.obstacle or "; ".join(f"{method} needs {', '.join(members)}" for method, members in needs.items())

    def lines(self) -> list[str]:
        """Return the lines of :func:`text_lines` for this class or method."""
        missing = [f"{entry.member}{_used_by(entry, self)}" for entry in self.missing]
        name = self.name if self.module else f"{self.name} (no module)"
        return text_lines(name, self.constructors, missing, self.runs, self.note)


def text_lines(name: str, constructors: Iterable[str], missing: Iterable[str], runs: bool, note: str) -> list[str]:
    """Return a line for each constructor, an indented line for each missing member, and a line for ``runs`` and ``note``.

    Without constructors, the first line is the ``name``.
    """
    simple = name.rpartition(".")[2].partition("<")[0]
    heads = [f"{before}{name}({after}" for before, _, after in (item.partition(f"{simple}(") for item in constructors)]
    last = "; ".join([*(["runs"] if runs else []), *filter(None, [note])])
    return (heads or [name]) + [f"  {line}" for line in (*(f"lacks {item}" for item in missing), last) if line]


def _used_by(entry: Missing, user: ClassSurface) -> str:
    own = user.name if user.kind == "class" else user.name.rpartition(".")[0]
    return "" if entry.by == own else f", needed by {entry.by}"


def examine(assembly: Path) -> tuple[ClassSurface, ...]:
    """Return the classes of an assembly, and its static methods that return a module, sorted by name. Starts .NET if it does not run yet.

    Raises DotNetError when the file is not a .NET assembly, and OSError when it cannot be read.
    """
    assembly.open("rb").close()
    found: list[ClassSurface] = []
    rows: list[list[str]] = []
    for line in [*start().exports.read_surface(str(assembly.resolve())).splitlines(), "class"]:
        kind, *fields = line.split("\t")
        if kind in ("class", "method"):
            if rows:
                found.append(_surface(rows))
            rows = []
        rows.append([kind, *fields])
    return tuple(found)


def _surface(rows: list[list[str]]) -> ClassSurface:
    """Return the class or method that lines of .NET's report describe (dotnet/src/Bridge.Interop/Surface/SurfaceReport.cs)."""
    (kind, name, module, obstacle), *rest = rows
    return ClassSurface(
        name,
        module == "1",
        tuple(Missing(*fields) for key, *fields in rest if key == "lacks"),
        kind,
        tuple(fields[0] for key, *fields in rest if key == "signature"),
        obstacle,
        tuple(Uncalled(*fields) for key, *fields in rest if key == "unless"),
    )
