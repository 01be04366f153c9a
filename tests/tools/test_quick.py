"""tools/quick.py: which tests a changed file needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def quick(tools: Callable[[str], ModuleType]) -> ModuleType:
    return tools("quick")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small checkout."""
    for name in (
        "tests/test_cli.py",
        "tests/test_conftest.py",
        "tests/test_docs.py",
        "tests/diff/test_align.py",
        "tests/diff/test_align_browser.py",
        "tests/diff/test_aligned.py",
        "tests/clr/conftest.py",
        "tests/clr/test_host.py",
        "tests/clr/test_locate.py",
        "tests/tools/test_quick.py",
        "tests/contract/test_programs.py",
        "tests/contract/test_ledger.py",
        "tests/torchsharp/test_operators.py",
        "tests/torchsharp/test_modules.py",
        "dotnet/tests/Bridge.Hooks.Tests/Bridge.Hooks.Tests.csproj",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "tests/clr/test_host.py").write_text('run_snippet("starting.first")')
    return tmp_path


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("bridge/cli.py", ["tests/test_cli.py"]),
        ("bridge/diff/align.py", ["tests/diff/test_align.py", "tests/diff/test_align_browser.py"]),
        ("bridge/diff/_align.py", ["tests/diff/test_align.py", "tests/diff/test_align_browser.py"]),
        ("bridge/diff/deep/align.py", ["tests/diff/test_align.py", "tests/diff/test_align_browser.py"]),
        ("bridge/diff/values.py", ["tests/diff"]),
        ("bridge/nowhere.py", []),
        ("tools/quick.py", ["tests/tools/test_quick.py"]),
        ("tests/diff/test_align.py", ["tests/diff/test_align.py"]),
        ("tests/diff/test_gone.py", []),
        ("tests/clr/conftest.py", ["tests/clr"]),
        ("tests/clr/snippets/starting.py", ["tests/clr/test_host.py"]),
        ("tests/clr/snippets/other.py", ["tests/clr/test_host.py", "tests/clr/test_locate.py"]),
        ("tests/conftest.py", ["tests/test_conftest.py"]),
        ("docs/trace.md", ["tests/test_docs.py"]),
        ("bridge/contract/programs/O/O-1-global.json", ["tests/contract/test_programs.py"]),
        ("bridge/contract/divergences.toml", ["tests/contract/test_ledger.py"]),
        ("dotnet/src/Bridge.Hooks/Registry.cs", []),
        ("dotnet/src/Bridge.Torch/Operators/Tensor.cs", ["tests/torchsharp/test_operators.py"]),
        ("dotnet/src/Bridge.Torch/Modules/Linear.cs", ["tests/torchsharp/test_modules.py"]),
        ("tests/torchsharp/rows/math.py", ["tests/torchsharp/test_operators.py"]),
    ],
)
def test_a_file_has_its_mirror_or_the_folder_of_its_place(
    quick: ModuleType, house: Path, file: str, tests: list[str]
) -> None:
    assert quick.tests_for([file], house) == tests


def test_what_a_folder_holds_is_not_named_again(quick: ModuleType, house: Path) -> None:
    assert quick.tests_for(["bridge/diff/align.py", "bridge/diff/values.py", "bridge/cli.py"], house) == [
        "tests/diff",
        "tests/test_cli.py",
    ]


def test_csharp_has_the_xunit_project_of_its_name(quick: ModuleType, house: Path) -> None:
    files = ["dotnet/src/Bridge.Hooks/Registry.cs", "dotnet/tests/Bridge.Hooks.Tests/A.cs", "dotnet/src/Other/A.cs"]
    assert quick.xunit_for(files, house) == ["tests/Bridge.Hooks.Tests/Bridge.Hooks.Tests.csproj"]


def test_what_it_names_is_there(quick: ModuleType) -> None:
    named = {*quick.CORE, *(test for tests in quick.READERS.values() for test in tests)}
    assert not [test for test in named if not (ROOT / test).is_file()]
