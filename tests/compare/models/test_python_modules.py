"""bridge/compare/models/python_modules.py: a Python module by its name or by its file."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from bridge.compare.errors import TargetError
from bridge.compare.models.python_modules import import_by_name, import_file


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Change to an empty folder, and remove the modules that the test imports."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "modules", sys.modules.copy())
    monkeypatch.chdir(tmp_path)


def test_a_file_is_imported_under_its_own_name_and_finds_its_neighbours(tmp_path: Path) -> None:
    """Also from another folder; and only once, so that a class is one class."""
    (folder := tmp_path / "models").mkdir()
    (folder / "layers_of_mine.py").write_text("width = 3\n")
    (folder / "net_of_mine.py").write_text("from layers_of_mine import width\n")
    module = import_file(Path("models/net_of_mine.py"))
    assert (module.__name__, module.width) == ("net_of_mine", 3)
    assert import_file(folder / "net_of_mine.py") is import_by_name("net_of_mine") is module


def test_a_file_of_a_package_is_a_part_of_it(tmp_path: Path) -> None:
    (folder := tmp_path / "package_of_mine").mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "layers.py").write_text("width = 3\n")
    (folder / "net.py").write_text("from .layers import width\n")
    module = import_file(folder / "net.py")
    assert (module.__name__, module.width) == ("package_of_mine.net", 3)


@pytest.mark.parametrize("name", ["json.py", "colorsys.py", "my-net.py"])
def test_a_file_with_the_name_of_another_module_takes_nobodys_place(tmp_path: Path, name: str) -> None:
    """Whether that is imported or not; and what a dataclass reads of its module is there."""
    (tmp_path / name).write_text(
        "from __future__ import annotations\nimport dataclasses\n@dataclasses.dataclass\nclass Net:\n    width: int = 3\n"
    )
    before = sys.modules.get(name.removesuffix(".py"))
    module = import_file(tmp_path / name)
    assert module.Net().width == 3
    assert import_file(tmp_path / name) is module
    assert sys.modules.get(name.removesuffix(".py"), before) is before or before is None


def test_an_import_error_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "broken_of_mine.py").write_text("import torch\nwidth = 1 / 0\n")
    with pytest.raises(TargetError, match=r"importing broken_of_mine\.py raised ZeroDivisionError: .*, line 2\)"):
        import_file(Path("broken_of_mine.py"))
    assert "broken_of_mine" not in sys.modules


def test_a_file_that_is_not_there_is_told_with_one_that_is(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "lenet.py").write_text("")
    missing, there = Path("models/lennet.py"), Path("models/lenet.py")
    with pytest.raises(TargetError, match=re.escape(f"there is no file {missing}. Did you mean {there}?")):
        import_file(missing)


def test_a_suggestion_keeps_the_package(tmp_path: Path) -> None:
    (folder := tmp_path / "vision_of_mine").mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "model.py").write_text("")
    with pytest.raises(
        TargetError, match=r"no Python module vision_of_mine\.modl\. Did you mean vision_of_mine\.model\?"
    ):
        import_by_name("vision_of_mine.modl")
