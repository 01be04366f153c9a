"""tools/quick.py: which tests a changed file needs."""

from __future__ import annotations

import shutil
import subprocess
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
    """Make a small checkout."""
    for name in (
        "tests/test_cli.py",
        "tests/support/test_sdk.py",
        "tests/test_docs.py",
        "tests/diff/test_align.py",
        "tests/diff/test_align_browser.py",
        "tests/diff/test_aligned.py",
        "tests/clr/conftest.py",
        "tests/clr/test_host.py",
        "tests/clr/find/test_installation.py",
        "tests/tools/test_quick.py",
        "tests/hook_contract/contract/test_programs.py",
        "tests/hook_contract/contract/test_ledger.py",
        "tests/torchsharp/test_operators.py",
        "tests/torchsharp/test_modules.py",
        "tests/torchsharp/test_surface.py",
        "tests/facade/test_models.py",
        "tests/facade/test_order.py",
        "dotnet/tests/Bridge.Hooks.Tests/Bridge.Hooks.Tests.csproj",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(
            "def test_it():\n    assert True\n" if name.endswith(".py") else "", encoding="utf-8"
        )
    (tmp_path / "tests/clr/conftest.py").write_text("")
    (tmp_path / "tests/clr/test_host.py").write_text('def test_it():\n    run_snippet("starting.first")\n')
    (tmp_path / "tests/facade/test_models.py").write_text('def test_it():\n    FOLDER / "models"\n')
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
        ("tests/clr/snippets/other.py", ["tests/clr"]),
        ("tests/facade/Order.cs", ["tests/facade"]),
        ("tests/facade/models/Gpt.cs", ["tests/facade/test_models.py"]),
        ("tests/conftest.py", ["tests/support"]),
        ("docs/trace.md", ["tests/test_docs.py"]),
        (
            "hook-contract/hook_contract/contract/programs/O/O-1-global.json",
            ["tests/hook_contract/contract/test_programs.py"],
        ),
        ("hook-contract/hook_contract/contract/messages.toml", ["tests/hook_contract/contract/test_ledger.py"]),
        ("hook-contract/hook_contract/contract/ledger.py", ["tests/hook_contract/contract/test_ledger.py"]),
        ("dotnet/src/Bridge.Hooks/Registry.cs", []),
        (
            "dotnet/src/Bridge.Torch/Operators/Tensor.cs",
            ["tests/torchsharp/test_operators.py", "tests/torchsharp/test_surface.py"],
        ),
        ("dotnet/src/Bridge.Torch/Modules/Linear.cs", ["tests/torchsharp/test_modules.py"]),
        (
            "tests/torchsharp/rows/math.py",
            ["tests/torchsharp/test_operators.py", "tests/torchsharp/test_surface.py"],
        ),
        ("tests/torchsharp/surface/members.tsv", ["tests/torchsharp/test_surface.py"]),
        ("dotnet/samples/Mtcnn/PNet.cs", []),
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


def test_csharp_without_a_project_of_its_name_has_those_that_refer_to_it(quick: ModuleType, house: Path) -> None:
    project = "tests/Bridge.Hooks.Tests/Bridge.Hooks.Tests.csproj"
    (house / "dotnet" / project).write_text('<ProjectReference Include="../../src/Other/Other.csproj" />')
    assert quick.xunit_for(["dotnet/src/Other/A.cs"], house) == [project]


def test_csharp_that_several_projects_compile_has_all_of_them(quick: ModuleType, house: Path) -> None:
    project = "tests/Bridge.Hooks.Tests/Bridge.Hooks.Tests.csproj"
    (house / "dotnet" / project).write_text('<Compile Include="../Allocations.cs" />')
    assert quick.xunit_for(["dotnet/tests/Allocations.cs"], house) == [project]
    assert quick.xunit_for(["dotnet/tests/Others.cs"], house) == []


def test_code_without_a_test_is_named(quick: ModuleType, house: Path) -> None:
    files = ["bridge/nowhere.py", "bridge/cli.py", "dotnet/src/Other/A.cs", "dotnet/src/Bridge.Hooks/A.cs", "LICENSE"]
    assert quick.untested(files, house) == ["bridge/nowhere.py", "dotnet/src/Other/A.cs"]


def test_a_file_that_a_folder_of_tests_stands_in_for_is_named(quick: ModuleType, house: Path) -> None:
    files = ["bridge/diff/values.py", "bridge/diff/align.py", "bridge/cli.py", "tests/clr/snippets/other.py"]
    assert quick.without_own(files, house) == ["bridge/diff/values.py"]


def test_what_pytest_finds_no_test_in_fails_by_name(quick: ModuleType, house: Path) -> None:
    """Beside tests that pass; a file that has slow tests alone is run with them."""
    (house / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider -m 'not slow'\nmarkers = slow\n")
    (house / "tests/test_docs.py").write_text("import pytest\n@pytest.mark.slow\ndef test_it(): pass\n")
    (house / "tests/empty").mkdir()
    chosen = ["tests/test_cli.py", "tests/hook_contract/contract", "tests/test_docs.py", "tests/empty"]
    assert quick.run_tests(chosen, house) == ["tests/empty: pytest found no test in it"]


def test_a_test_that_fails_is_told(quick: ModuleType, house: Path) -> None:
    (house / "tests/test_cli.py").write_text("def test_it():\n    assert False\n")
    assert quick.run_tests(["tests/test_cli.py"], house) == ["pytest tests/test_cli.py"]


def test_every_file_of_the_repository_has_tests_that_are_there(quick: ModuleType) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git, to tell what belongs to the checkout")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("needs a git checkout, to tell what belongs to it")
    files = [file for file in listed.stdout.splitlines() if (ROOT / file).is_file()]
    assert quick.untested(files, ROOT) == []
    chosen = {test for file in files for test in quick.tests_for([file], ROOT)}
    assert [test for test in sorted(chosen) if not quick.has_tests(test, ROOT)] == []


def test_what_it_names_is_there(quick: ModuleType) -> None:
    named = {*quick.CORE, *(test for tests in quick.READERS.values() for test in tests)}
    assert not [test for test in named if not quick.has_tests(test, ROOT)]
    assert not [place for place in quick.READERS if not (ROOT / place).exists()]
