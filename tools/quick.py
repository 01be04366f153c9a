"""What a change needs before it is committed: lint and the tests that mirror what changed, not all of them.

    python tools/quick.py [FILE …]

Without files: what git says has changed since the last commit. ruff looks at the changed files and mypy at the package; the C# is built
and the xunit project of a changed one runs; of pytest's tests those run that mirror a changed file (bridge/trace/diff/align.py
has tests/trace/diff/test_align*.py, or else all of tests/trace/diff), those that READERS names for it, changed tests themselves, and
always CORE. What takes long is left to ``make test``, unless nothing else tests the change. A file for which a folder of tests stands
in is named at the end.

It fails where a changed file of the code, the C# or the tests has no test, and where pytest runs nothing of what was chosen for it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The shortest way through everything: the public names, the contract's data, a C# model with hooks in the README's example.
CORE = ("tests/test_init.py", "tests/hook_contract/contract/test_chapters.py", "tests/test_readme.py")
#: pytest's exit code where it collects nothing, or leaves out all that it collects.
NOTHING_RAN = 5
#: What decides whether the code is right; a change there without a test is an oversight.
CODE = ("bridge", "hook-contract", "dotnet", "tests", "tools")
#: Tests of files that have no mirror: of a file, those of the first place that it is in. A Python file of the code has its mirror,
#: unless it is named here itself.
READERS = {
    "bridge/__main__.py": ("tests/test_cli.py",),
    "bridge/errors.py": ("tests/test_house.py",),
    "bridge/version.py": ("tests/test_packaging.py",),
    "bridge/runtimes/divergences.toml": ("tests/runtimes/test_ledger.py", "tests/conformance/test_ledger_page.py"),
    "bridge/compare/report/comparison.schema.json": ("tests/compare/report/test_summary.py",),
    "bridge/trace/file/trace.schema.json": ("tests/trace/file/test_schema.py",),
    "bridge/torchsharp/process/host.schema.json": ("tests/torchsharp/process/test_requests.py",),
    "hook-contract/hook_contract/__main__.py": ("tests/hook_contract/commands/test_run.py",),
    "hook-contract/hook_contract/cli.py": ("tests/hook_contract/commands/test_run.py",),
    "hook-contract/hook_contract/errors.py": ("tests/test_house.py",),
    "hook-contract/hook_contract/commands/terminal": ("tests/commands/terminal",),
    "hook-contract/hook_contract/runtimes/lines.schema.json": ("tests/hook_contract/runtimes/test_command.py",),
    "bridge/py.typed": ("tests/test_packaging.py",),
    "bridge/clr/call/boundary.json": (
        "tests/clr/call/test_boundary.py",
        "tests/clr/call/test_exports.py",
        "tests/clr/start/test_capi.py",
    ),
    "bridge/clr/start/runtimeconfig.json": ("tests/interop/test_start.py",),
    "bridge/compare/report/templates": (
        "tests/compare/report/test_page.py",
        "tests/compare/report/test_page_browser.py",
    ),
    "hook-contract/hook_contract/conformance/templates": (
        "tests/hook_contract/conformance/test_page.py",
        "tests/hook_contract/conformance/test_page_browser.py",
    ),
    "hook-contract/hook_contract/contract/clauses": (
        "tests/hook_contract/contract/test_clauses.py",
        "tests/hook_contract/contract/test_ledger.py",
        "tests/hook_contract/conformance/test_documents.py",
    ),
    "hook-contract/hook_contract/contract/programs": (
        "tests/hook_contract/contract/test_programs.py",
        "tests/hook_contract/conformance/test_documents.py",
    ),
    "hook-contract/hook_contract/contract": (
        "tests/hook_contract/contract/test_chapters.py",
        "tests/hook_contract/contract/test_ledger.py",
        "tests/hook_contract/conformance/test_documents.py",
    ),
    "bridge/torchsharp/process/runtimeconfig.json": ("tests/torchsharp/process/test_requests.py",),
    "hook-contract/hook_contract/output/templates": ("tests/hook_contract/output/test_html.py",),
    "bridge/port/csharp/calls/members.tsv": (
        "tests/port/csharp/calls/test_members.py",
        "tests/port/csharp/calls/test_torch_calls.py",
        "tests/tools/test_port_members.py",
    ),
    "bridge/loading.py": ("tests/mirror/test_loading.py", "tests/torchsharp/in_process/test_loader.py"),
    "bridge/torchsharp/in_process/uncaught.json": ("tests/tools/test_uncaught.py",),
    "bridge/_dotnet": ("tests/test_packaging.py",),
    "docs/contract.md": ("tests/hook_contract/conformance/test_documents.py",),
    "docs/divergences.md": ("tests/hook_contract/conformance/test_documents.py",),
    "docs/operators.md": ("tests/torchsharp/test_operators.py",),
    "docs/api.md": ("tests/torchsharp/test_api.py",),
    "docs": ("tests/test_docs.py",),
    "dotnet/src/Bridge.Trace.Tool": ("tests/trace/test_pairs.py",),
    "dotnet/samples/Mtcnn": ("tests/samples/test_mtcnn.py",),
    "dotnet/samples/Vision": ("tests/samples/test_lenet.py", "tests/samples/test_resnet.py"),
    "dotnet/src/Bridge.Generator": (
        "tests/clr/call/test_boundary.py",
        "tests/clr/call/test_exports.py",
        "tests/torchsharp/test_member_table.py",
        "tests/torchsharp/test_operators.py",
    ),
    "dotnet/src/Bridge.Host": ("tests/torchsharp/process",),
    "dotnet/src/Bridge.Interop/Surface": ("tests/clr/call/test_surface.py", "tests/facade"),
    "dotnet/src/Bridge.Interop": ("tests/clr", "tests/interop/test_crossing.py", "tests/interop/test_exceptions.py"),
    "dotnet/src/Bridge.Torch/Operators": (
        "tests/torchsharp/test_member_table.py",
        "tests/torchsharp/test_operators.py",
        "tests/torchsharp/test_surface.py",
    ),
    "dotnet/src/Bridge.Torch/Autograd": (
        "tests/torchsharp/test_autograd.py",
        "tests/torchsharp/test_autograd_function.py",
    ),
    "dotnet/src/Bridge.Torch/Files": ("tests/torchsharp/test_files.py",),
    "dotnet/src/Bridge.Torch/Vision": ("tests/torchsharp/test_vision.py",),
    "dotnet/src/Bridge.Torch/NN": ("tests/torchsharp/test_collections.py", "tests/torchsharp/test_module_members.py"),
    "dotnet/src/Bridge.Torch/Optim": ("tests/torchsharp/test_optim.py",),
    "dotnet/src/Bridge.Torch/Tensors": ("tests/torchsharp/test_members.py", "tests/torchsharp/test_indexing.py"),
    "dotnet/src/Bridge.Torch/Modules": ("tests/torchsharp/test_modules.py", "tests/torchsharp/test_more_modules.py"),
    "dotnet/src/TorchSharp": ("tests/facade/test_facade.py",),
    "dotnet/tests/TorchSharp.Reference": ("tests/torchsharp/test_api.py", "tests/torchsharp/test_tuple_names.py"),
    "dotnet/tests/Allocations.cs": (),  # the xunit projects that compile it
    "dotnet": ("tests/clr/find/test_assemblies.py",),
    "tests/torchsharp/rows": ("tests/torchsharp/test_operators.py", "tests/torchsharp/test_surface.py"),
    "tests/torchsharp/surface": ("tests/torchsharp/test_surface.py",),
    "tools/api.py": ("tests/torchsharp/test_api.py",),
    "tools/contract.py": ("tests/hook_contract/conformance/test_documents.py",),
    "tools/mutants.py": ("tests/tools/mutation",),
    "tools/operators.py": ("tests/torchsharp/test_operators.py",),
    "tools/port_functions.py": ("tests/port/functions/test_functions.py",),
    "tools/port_probes.py": ("tests/port/semantics",),
    "tools/setup.py": ("tests/test_readme.py",),
    "tools/signatures.py": ("tests/port/project/test_whole_folder.py",),
    "tools/surface.py": ("tests/tools/test_surface.py",),
    "tools/workers.py": ("tests/tools/diagnosis", "tests/tools/test_pytorch.py"),
    "tools/trace_pairs": ("tests/trace/test_pairs.py",),
    "tools/mutation": ("tests/tools/mutation",),
    "tools/attack": ("tests/tools/attack",),
    "tools/diagnosis": ("tests/tools/diagnosis",),
    "tools/pytorch_tools": ("tests/tools/test_pytorch.py",),
    "tools/zoo_models": ("tests/tools/zoo_models", "tests/tools/test_zoo.py"),
    "tools/zoo_work": ("tests/tools/zoo_work", "tests/tools/test_zoo.py"),
    "benchmarks": ("tests/test_house.py",),
    "bridge/port/csharp/templates": ("tests/port/csharp/test_helpers.py",),
    "bridge/port/project": ("tests/port/project",),
    "bridge/port": ("tests/port/test_rooms.py",),
    "CONTRIBUTING.md": ("tests/test_contributing.py",),
    "README.md": ("tests/test_readme.py",),
    "Makefile": ("tests/test_readme.py", "tests/test_contributing.py"),
    "pyproject.toml": ("tests/test_packaging.py",),
    "hook-contract": ("tests/test_packaging.py",),
    "constraints.txt": ("tests/test_packaging.py",),
}


def changed() -> list[str]:
    """Return the files that differ from the last commit, new files included; if none does, the files of that commit."""
    lines = _git("diff", "--name-only", "--diff-filter=d", "HEAD") + _git("ls-files", "--others", "--exclude-standard")
    return lines or _git("show", "--name-only", "--diff-filter=d", "--format=", "HEAD")


def tests_for(files: Iterable[str], root: Path) -> list[str]:
    """Return the test files and folders for changed files, relative to ``root``, without duplicates."""
    found = dict.fromkeys(test for file in files for test in _tests_for(Path(file), root))
    return [test for test in found if not any(other != test and Path(test).is_relative_to(other) for other in found)]


def _tests_for(file: Path, root: Path) -> Iterable[str]:
    top, *inner = file.parts
    readers = next((tests for place, tests in READERS.items() if file.is_relative_to(place)), ())
    if top == "tests" and not readers:
        if file.name.startswith("test_"):
            return [file.as_posix()] if (root / file).is_file() else []
        # What all tests share would be everything.
        return _sharing(file, root) if len(file.parts) > 2 else ["tests/support"]
    if file.suffix == ".py" and top in ("bridge", "hook-contract", "tools") and file.as_posix() not in READERS:
        where = [*(["tools"] if top == "tools" else []), *inner[:-1]]
        name = file.stem.lstrip("_") if file.stem != "__init__" else "init"
        nearest = _nearest(where, root)
        elsewhere = [*(readers if top == "tools" else ()), *([nearest] if nearest != "tests" else [])]
        return _mirrors(nearest, name, root) or elsewhere[:1]
    return [test for test in readers if (root / test).exists()]


def _sharing(file: Path, root: Path) -> list[str]:
    """Return the tests for a helper file: tests in its folder or the nearest above that name it, or else all of them."""
    place = file.parent
    while len(place.parts) > 1 and not has_tests(place.as_posix(), root):
        place = place.parent
    if place == file.parent:
        return [place.as_posix()]
    words = {file.stem, *file.parent.relative_to(place).parts} - {"snippets"}
    names = re.compile(rf"\b({'|'.join(map(re.escape, sorted(words)))})\b")
    naming = [test for test in sorted((root / place).glob("test_*.py")) if names.search(test.read_text("utf-8"))]
    return [test.relative_to(root).as_posix() for test in naming] or [place.as_posix()]


def _nearest(where: Sequence[str], root: Path) -> str:
    """Return the folder of tests for that folder, or the nearest existing one above."""
    folder = Path("tests", *where)
    while not (root / folder).is_dir():
        folder = folder.parent
    return folder.as_posix()


def _mirrors(folder: str, name: str, root: Path) -> list[str]:
    """Return ``test_NAME*.py`` in a folder of tests, or in the nearest folder above that has it."""
    for place in (Path(folder), *Path(folder).parents[:-1]):
        here = root / place
        if found := [*sorted(here.glob(f"test_{name}.py")), *sorted(here.glob(f"test_{name}_*.py"))]:
            return [test.relative_to(root).as_posix() for test in found]
    return []


def has_tests(path: str, root: Path) -> bool:
    """Return whether the path is a test file, or a folder with one."""
    files = [root / path] if path.endswith(".py") else (root / path).rglob("test_*.py")
    return any(re.search(r"^\s*(async )?def test_", file.read_text("utf-8"), re.MULTILINE) for file in files)


def xunit_for(files: Iterable[str], root: Path) -> list[str]:
    """Return the xunit projects of changed C# files, relative to dotnet/; of a file without its own, those that refer to it."""
    found = set()
    for parts in (Path(file).parts for file in files if file.startswith(("dotnet/src/", "dotnet/tests/"))):
        name = parts[2].removesuffix(".Tests")
        found.add(own := f"tests/{name}.Tests/{name}.Tests.csproj")
        if not (root / "dotnet" / own).is_file():
            found |= _xunit_with(f"/{name}.csproj", root)
        if len(parts) == 3:
            found |= _xunit_with(parts[2], root)
    return [project for project in sorted(found) if (root / "dotnet" / project).is_file()]


def _xunit_with(reference: str, root: Path) -> set[str]:
    projects = (root / "dotnet" / "tests").glob("*/*.Tests.csproj")
    return {path.relative_to(root / "dotnet").as_posix() for path in projects if reference in path.read_text("utf-8")}


def untested(files: Iterable[str], root: Path) -> list[str]:
    """Return the files of code, C# and tests for which no test would run."""
    code = [file for file in files if Path(file).parts[0] in CODE]
    return [file for file in code if not tests_for([file], root) and not xunit_for([file], root)]


def without_own(files: Iterable[str], root: Path) -> list[str]:
    """Return the Python files of the code that no file of tests mirrors: the tests of a whole folder stand in."""
    code = [file for file in files if file.endswith(".py") and Path(file).parts[0] in ("bridge", "tools")]
    return [file for file in code if any(not test.endswith(".py") for test in tests_for([file], root))]


def run_tests(chosen: Sequence[str], root: Path) -> list[str]:
    """Run pytest on files and folders and return failures; a file without fast tests is run with its slow tests."""
    command = [sys.executable, "-m", "pytest", "-q"]
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report.xml"
        print("$ python -m pytest -q", *chosen, flush=True)
        done = subprocess.run([*command, f"--junitxml={report}", *chosen], cwd=root, check=False)
        ran = (
            {case.get("classname", "") for case in ElementTree.parse(report).iter("testcase")}
            if report.is_file()
            else set()
        )
    if done.returncode not in (0, NOTHING_RAN):
        return [f"pytest {' '.join(chosen)}"]
    failed = []
    for path in chosen:
        module = path.removesuffix(".py").replace("/", ".")
        if not any(f"{name}.".startswith(f"{module}.") for name in ran):
            print(f"$ python -m pytest -q -m slow {path}  # it has no others", flush=True)
            slow = subprocess.run([*command, "-m", "slow", path], cwd=root, check=False)
            if slow.returncode == NOTHING_RAN:
                failed.append(f"{path}: pytest found no test in it")
            elif slow.returncode != 0:
                failed.append(f"pytest -m slow {path}")
    return failed


def main(arguments: Sequence[str]) -> int:
    """Run all checks, and report failures at the end."""
    files = [Path(file).resolve().relative_to(ROOT).as_posix() for file in arguments] or changed()
    print("\n".join(files or ["nothing has changed"]), flush=True)
    python = [file for file in files if file.endswith(".py") and (ROOT / file).is_file()]
    failed: list[str] = []

    def step(*command: str) -> None:
        print("$ python", " ".join(command), flush=True)
        if subprocess.run([sys.executable, *command], cwd=ROOT, check=False).returncode != 0:
            failed.append(" ".join(command))

    if python:
        step("-m", "ruff", "check", *python)
        step("-m", "ruff", "format", "--check", *python)
        step("-m", "mypy")
    step("tools/sdk.py", "build")
    for project in xunit_for(files, ROOT):
        step("tools/sdk.py", "test", project)
    chosen = tests_for(files, ROOT)
    core = [test for test in CORE if not any(Path(test).is_relative_to(other) for other in chosen)]
    failed += run_tests([*chosen, *core], ROOT)
    failed += [
        f"{file}: no test is chosen for it; write one, or name it in READERS of tools/quick.py"
        for file in untested(files, ROOT)
    ]
    for file in without_own(files, ROOT):
        print(f"{file} has no tests of its own: those of {', '.join(tests_for([file], ROOT))} ran", flush=True)
    print(
        "\n".join(f"FAILED: {what}" for what in failed) if failed else "all of it passed; `make test` runs the rest",
        flush=True,
    )
    return 1 if failed else 0


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if line]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
