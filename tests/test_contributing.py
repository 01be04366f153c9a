"""CONTRIBUTING.md: what it names is there, and no folder is left out."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_PATH = re.compile(r"`((?:bridge|dotnet|tests|tools|docs|benchmarks)/[^`\s]*)`")


def test_every_path_is_there() -> None:
    named = {path for path in _PATH.findall(TEXT) if "NAME" not in path}
    assert len(named) > 30
    assert [path for path in sorted(named) if not any(ROOT.glob(path.rstrip("/")))] == []


def test_the_layout_has_every_folder() -> None:
    table = TEXT.partition("## The layout")[2].partition("##")[0]
    folders = [path.parent.name for path in (ROOT / "bridge").glob("*/__init__.py")]
    projects = [path.stem for path in (ROOT / "dotnet" / "src").glob("*/*.csproj")]
    assert folders
    assert projects
    assert [name for name in folders + projects if not re.search(rf"\b{re.escape(name)}/`", table)] == []


def test_every_target_and_script_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)`", TEXT)) <= targets
    scripts = re.findall(r"`python (tools/\w+\.py)", TEXT)
    assert scripts
    assert [script for script in scripts if not (ROOT / script).is_file()] == []
