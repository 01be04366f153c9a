"""bridge/port/README.md: which room imports which, and that no C# is put together outside of the rooms for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PORT: Final = ROOT / "bridge" / "port"
#: What each room imports of port; ``errors`` is everyone's.
IMPORTED: Final[dict[str, set[str]]] = {
    "observe": set(),
    "forwards": {"observe"},
    "ir": set(),
    "passes": {"ir"},
    "frontend": {"observe", "ir"},
    "graphs": {"observe", "frontend", "ir"},
    "csharp": {"observe", "ir"},
    "project": {"forwards", "verify", "porting"},
    "verify": {"observe", "forwards", "methods", "porting"},
}
#: The rooms that turn Python into C#, and may not know how they are put together.
COMPILER: Final = sorted(IMPORTED.keys() - {"project", "verify"})
#: What C# has and Python has not.
OF_CSHARP: Final = re.compile(r";\s*$|=>|^\s*(?:var|new|using|public|private|namespace) \S+[^:,.]*[;{(]|\?\?|\{\n")


def _sources(folder: str) -> list[Path]:
    return sorted((PORT / folder).rglob("*.py"))


def _rooms(path: Path) -> Iterator[str]:
    """Yield the room, or the module at the top of port, of each import of port's."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for name in node.names:
                parts = f"{node.module}.{name.name}".split(".")
                if parts[:2] == ["bridge", "port"]:
                    yield parts[2]


def test_the_table_has_every_room() -> None:
    assert set(IMPORTED) == {path.parent.name for path in PORT.glob("*/__init__.py")}
    assert set(re.findall(r"^\| \[(\w+)\]\(\1\)", (PORT / "README.md").read_text(encoding="utf-8"), re.M)) == set(
        IMPORTED
    )


@pytest.mark.parametrize("room", sorted(IMPORTED))
def test_imports_go_one_way(room: str) -> None:
    allowed = IMPORTED[room] | {room, "errors"}
    wrong = {
        f"{path.relative_to(PORT)}: {name}" for path in _sources(room) for name in _rooms(path) if name not in allowed
    }
    assert wrong == set()


def test_csharp_knows_of_observation_only_what_a_layer_is() -> None:
    found = {
        node.module
        for path in _sources("csharp")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("bridge.port.observe")
    }
    assert found <= {"bridge.port.observe.modules"}


@pytest.mark.parametrize("room", sorted(IMPORTED))
def test_every_room_says_what_it_is_for(room: str) -> None:
    for folder in {path.parent for path in _sources(room)}:
        text = (folder / "README.md").read_text(encoding="utf-8")
        title, _, rest = text.partition("\n")
        name = folder.relative_to(PORT).as_posix()
        assert title in (f"# {name}", f"# port/{name}")
        named = set(re.findall(r"`([\w/]+\.py)`", rest))
        assert [one for one in named if not any((place / one).is_file() for place in (folder, PORT, ROOT))] == []


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a file that are no documentation, those of f-strings included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


@pytest.mark.parametrize("room", [*(one for one in COMPILER if one != "csharp"), "verify", ""])
def test_csharp_is_built_in_its_rooms_alone(room: str) -> None:
    """``port/`` itself stands for the modules at its top."""
    paths = _sources(room) if room else sorted(PORT.glob("*.py"))
    found = [
        f"{path.relative_to(PORT)}:{line}: {text!r}"
        for path in paths
        for line, text in _strings(path)
        if OF_CSHARP.search(text)
    ]
    assert found == []


def test_one_module_makes_text_of_nodes() -> None:
    """Besides the printer and what it consists of, only what assembles files asks for text."""
    asking = {
        path.relative_to(PORT).as_posix()
        for path in PORT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and any(
            f"{node.module}.{one.name}".startswith(("bridge.port.csharp.printer", "bridge.port.csharp.words"))
            for one in node.names
        )
    }
    assert asking == {"porting.py", "csharp/printer.py", "csharp/helpers.py"}


@pytest.mark.parametrize("text", ["return x;", "x => x", "var x = f(", "new Tensor(", "a ?? b", "class A\n{\n"])
def test_csharp_is_recognized(text: str) -> None:
    assert OF_CSHARP.search(text)
