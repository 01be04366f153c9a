"""How the package is laid out, kept by reading its imports: layers, no circles, small folders, the public surface."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import bridge

ROOT: Final = Path(__file__).resolve().parents[1]

#: Our import packages: the first imports the second, never the other way.
OURS: Final = ("bridge", "hook_contract")
#: The top of the package: its public names, and what users import or run.
TOP: Final = {
    "__init__",
    "__main__",
    "errors",
    "version",
    "cli",
    "testing",
    "doctor",
    "loading",
    "tensors",
    "weight_file",
}
#: What may import what: a name imports those of later lines, and of its own line itself alone.
LAYERS: Final[tuple[set[str], ...]] = (
    {"__main__"},
    {"cli"},
    {"commands"},
    {"testing", "doctor", "demo"},
    {"port", "exporting"},
    {"conformance", "compare"},
    {"samples", "runtimes"},
    {"loading"},
    {"torchsharp"},
    {"mirror"},
    {"tensors", "weight_file"},
    {"clr"},
    {"trace"},
    {"errors", "version"},
)
#: The same in hook_contract. Its own ``__init__`` is the public surface.
CONTRACT_LAYERS: Final[tuple[set[str], ...]] = (
    {"__main__"},
    {"cli"},
    {"commands"},
    {"conformance"},
    {"runtimes"},
    {"program"},
    {"contract", "output"},
    {"errors"},
)
#: These need neither torch nor .NET, so that they can be read and written where there is none.
WITHOUT_TORCH: Final = ("bridge.trace", "hook_contract")
#: The only one that knows pythonnet.
PYTHONNET: Final = "bridge.clr"
MODULES_A_FOLDER: Final = 15
FILES_A_FOLDER: Final = 25
CSHARP_LINE: Final = 140


def _modules() -> dict[str, Path]:
    """Return the modules of both packages by their dotted names; a package is its ``__init__``."""
    found = {}
    for folder in (ROOT, ROOT / "hook-contract"):
        for package in OURS:
            for path in sorted((folder / package).rglob("*.py")):
                name = ".".join(path.relative_to(folder).with_suffix("").parts)
                found[name.removesuffix(".__init__")] = path
    return found


MODULES: Final = _modules()


def _imported(path: Path) -> Iterator[str]:
    """Yield the imports of a file, including those in functions and for type checkers: ``torch.nn``, ``bridge.trace.Event``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def _imports() -> dict[str, set[str]]:
    """Return our modules that each module imports, without itself."""
    return {name: set(_ours(_imported(path))) - {name} for name, path in MODULES.items()}


def _ours(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if name.partition(".")[0] in OURS:
            yield name if name in MODULES else name.rpartition(".")[0]


def _layer(module: str) -> int:
    package, part, *_ = [*module.split("."), ""]
    layers = LAYERS if package == "bridge" else CONTRACT_LAYERS
    return next(number for number, names in enumerate(layers) if part in names)


def test_every_part_of_the_package_has_a_layer_and_no_module_is_loose() -> None:
    top = {path.stem for path in (ROOT / "bridge").glob("*.py")}
    folders = {path.parent.name for path in (ROOT / "bridge").glob("*/__init__.py")}
    assert top == TOP
    assert top | folders == set().union(*LAYERS, {"__init__"})


def test_every_part_of_the_contracts_package_has_a_layer() -> None:
    folder = ROOT / "hook-contract" / "hook_contract"
    parts = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    assert parts == set().union(*CONTRACT_LAYERS, {"__init__"})


def test_imports_go_downwards() -> None:
    """A package's own name is its public surface, above all but what users import or run."""
    upwards = [
        f"{name} imports {other}"
        for name, imported in _imports().items()
        for other in imported
        if name not in OURS and name.split(".")[0] == other.split(".")[0] and name.split(".")[1] != _part(other)
        if (other == "bridge" and _layer(name) > _layer("bridge.demo"))
        or (other not in OURS and _layer(other) <= _layer(name))
    ]
    assert upwards == []


def _part(module: str) -> str:
    return [*module.split("."), ""][1]


def test_the_contract_stands_alone() -> None:
    assert {
        (name, other)
        for name, imported in _imports().items()
        for other in imported
        if name.startswith("hook_contract") and not other.startswith("hook_contract")
    } == set()


def test_there_is_no_circle() -> None:
    assert list(_circles(_imports())) == []


def _circles(graph: Mapping[str, Iterable[str]]) -> Iterator[list[str]]:
    """Yield each import cycle as a path from a module to itself."""
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> Iterator[list[str]]:
        if module in way:
            yield [*way[way.index(module) :], module]
        elif module not in done:
            for other in graph[module]:
                yield from visit(other, (*way, module))
            done.add(module)

    for module in graph:
        yield from visit(module, ())


def test_a_circle_is_found() -> None:
    assert list(_circles({"a": ["b"], "b": ["c"], "c": ["b"]})) == [["b", "c", "b"]]


@pytest.mark.parametrize("package", WITHOUT_TORCH)
def test_what_is_data_needs_neither_torch_nor_dotnet(package: str) -> None:
    reached, waiting = set[str](), [name for name in MODULES if f"{name}.".startswith(f"{package}.")]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += [other for other in _imports()[module] if other not in OURS]
    foreign = {name.partition(".")[0] for module in reached for name in _imported(MODULES[module])}
    assert not foreign & {"torch", "clr", "clr_loader", "pythonnet", "System", "Bridge"}


def test_one_folder_knows_pythonnet() -> None:
    """``System`` and ``Bridge`` are namespaces of .NET, which pythonnet makes importable."""
    knowing = {
        name
        for name, path in MODULES.items()
        if {item.partition(".")[0] for item in _imported(path)} & {"clr", "clr_loader", "pythonnet", "System", "Bridge"}
    }
    assert knowing
    assert {name for name in knowing if not name.startswith(f"{PYTHONNET}.")} == set()


def test_folders_are_small() -> None:
    """A reader sees a folder at a glance."""
    folders = Counter(path.parent.relative_to(ROOT).as_posix() for path in MODULES.values())
    assert {name: count for name, count in folders.items() if count > MODULES_A_FOLDER} == {}


def test_folders_of_csharp_are_small() -> None:
    folders = Counter(path.parent.relative_to(ROOT).as_posix() for path in _csharp("dotnet/src"))
    assert {name: count for name, count in folders.items() if count > FILES_A_FOLDER} == {}


def test_lines_of_csharp_are_short() -> None:
    """The limit is that of ``dotnet/.editorconfig``, which the compiler does not check."""
    long = [
        f"{path.relative_to(ROOT)}:{number}: {len(line)}"
        for folder in ("dotnet", "tests", "tools", "benchmarks")
        for path in _csharp(folder)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > CSHARP_LINE
    ]
    assert long == []


def _csharp(folder: str) -> list[Path]:
    """Return the C# sources of a folder, in order, without what a build writes there."""
    built = {"artifacts", "bin", "obj"}
    return [path for path in sorted((ROOT / folder).rglob("*.cs")) if not built & set(path.parts)]


#: Packages whose exceptions do not derive from BridgeError yet.
WITHOUT_ROOT: Final = {"clr"}


def test_exceptions_derive_from_bridge_error() -> None:
    """``except bridge.BridgeError`` catches each exception class of both packages that is an ``Exception``."""
    bases = {
        node.name: (name.split(".")[1], [ast.unparse(base).rpartition(".")[2] for base in node.bases])
        for name, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and name not in OURS
    }

    rooted, exceptions = {"BridgeError", "HookContractError"}, {name for name in dir(builtins) if _is_exception(name)}
    for known in (rooted, exceptions):
        while more := {name for name, (_, above) in bases.items() if known & {*above}} - known:
            known |= more
    without = exceptions & {*bases} - rooted
    assert {bases[name][0] for name in without if not without & set(bases[name][1])} == WITHOUT_ROOT


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, Exception)


def test_what_is_public_is_said_and_what_the_documentation_shows_is_public() -> None:
    """The rule is in the package's own docstring."""
    assert "The public API consists of the names in ``__all__``, :mod:`bridge.testing` and the commands" in (
        bridge.__doc__ or ""
    )
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    shown = {
        (page.name, name)
        for page in pages
        for name in re.findall(r"\b(?:from|import) (bridge[\w.]*)", page.read_text(encoding="utf-8"))
    }
    assert {name for _, name in shown} == {"bridge", "bridge.testing"}, shown


def test_what_silences_a_checker_says_why() -> None:
    """``# noqa`` everywhere, ``# type: ignore`` outside of the tests: the code of the rule, and the reason behind it."""
    silenced = re.compile(
        r"# (?:noqa|type: ignore)(?P<rule>: [A-Z]+\d+(?:, [A-Z]+\d+)*|\[[a-z-]+(?:, ?[a-z-]+)*\])?(?P<why>  # \S)?"
    )
    found = []
    for folder in ("bridge", "hook-contract", "examples", "tools", "benchmarks", "tests"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                for match in silenced.finditer(line):
                    needed = folder != "tests" or "noqa" in match[0]
                    if file != Path(__file__) and not (match["rule"] and (match["why"] or not needed)):
                        found.append(f"{file.relative_to(ROOT)}:{number}: {line.strip()}")
    assert found == []
