"""What a change needs before it is committed: lint and the tests that mirror what changed, not all of them.

    python tools/quick.py [FILE …]

Without files: what git says has changed since the last commit. ruff looks at the changed files and mypy at the package; the C# is built
and the xunit project of a changed one runs; of pytest's tests those run that mirror a changed file (bridge/trace/diff/align.py
has tests/trace/diff/test_align*.py, or else all of tests/trace/diff), those that READERS names for it, changed tests themselves, and
always CORE. What takes long is left to ``make test``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The shortest way through everything: the public names, the contract's data, a C# model with hooks in the README's example.
CORE = ("tests/test_init.py", "tests/contract/test_chapters.py", "tests/test_readme.py")
#: Tests that read what they are about from files of other kinds: of a file, those of the first place that it is in.
READERS = {
    "bridge/contract/clauses": (
        "tests/contract/test_clauses.py",
        "tests/contract/test_ledger.py",
        "tests/conformance/test_documents.py",
    ),
    "bridge/contract/programs": ("tests/contract/test_programs.py", "tests/conformance/test_documents.py"),
    "bridge/contract": (
        "tests/contract/test_chapters.py",
        "tests/contract/test_ledger.py",
        "tests/conformance/test_documents.py",
    ),
    "bridge/_dotnet": ("tests/test_packaging.py",),
    "docs/contract.md": ("tests/conformance/test_documents.py",),
    "docs/divergences.md": ("tests/conformance/test_documents.py",),
    "docs/operators.md": ("tests/torchsharp/test_operators.py",),
    "docs/api.md": ("tests/torchsharp/test_api.py",),
    "docs": ("tests/test_docs.py",),
    "dotnet/src/Bridge.Torch/Operators": ("tests/torchsharp/test_operators.py",),
    "dotnet/src/Bridge.Torch/Modules": ("tests/torchsharp/test_modules.py", "tests/torchsharp/test_more_modules.py"),
    "tests/torchsharp/rows": ("tests/torchsharp/test_operators.py",),
    "CONTRIBUTING.md": ("tests/test_contributing.py",),
    "README.md": ("tests/test_readme.py",),
    "pyproject.toml": ("tests/test_packaging.py",),
    "constraints.txt": ("tests/test_packaging.py",),
}


def changed() -> list[str]:
    """The files that differ from the last commit, new ones included, deleted ones not; where none does, those of that commit."""
    lines = _git("diff", "--name-only", "--diff-filter=d", "HEAD") + _git("ls-files", "--others", "--exclude-standard")
    return lines or _git("show", "--name-only", "--diff-filter=d", "--format=", "HEAD")


def tests_for(files: Iterable[str], root: Path) -> list[str]:
    """The test files and folders for changed files, as pytest takes them: relative to ``root``, each once."""
    found = dict.fromkeys(test for file in files for test in _tests_for(Path(file), root))
    return [test for test in found if not any(other != test and Path(test).is_relative_to(other) for other in found)]


def _tests_for(file: Path, root: Path) -> Iterable[str]:
    top, *inner = file.parts
    readers = next((tests for place, tests in READERS.items() if file.is_relative_to(place)), ())
    if top == "tests" and not readers:
        if file.name.startswith("test_"):
            return [file.as_posix()] if (root / file).is_file() else []
        if file.parent.name == "snippets":
            return _running(file, root)
        # What tests share counts for its folder; what all of them share would be everything.
        return [file.parent.as_posix()] if len(file.parts) > 2 else ["tests/test_conftest.py"]
    if file.suffix == ".py" and top in ("bridge", "tools"):
        where = [*(["tools"] if top == "tools" else []), *inner[:-1]]
        name = file.stem.lstrip("_") if file.stem != "__init__" else "init"
        return _mirrored(where, name, root)
    return [test for test in readers if (root / test).exists()]


def _running(snippets: Path, root: Path) -> list[str]:
    """The tests beside a folder of snippets that name one of its modules; all of them, if none does."""
    beside = sorted((root / snippets).parents[1].glob("test_*.py"))
    naming = [test for test in beside if re.search(rf"\b{snippets.stem}\b", test.read_text(encoding="utf-8"))]
    return [test.relative_to(root).as_posix() for test in naming or beside]


def _mirrored(where: Sequence[str], name: str, root: Path) -> list[str]:
    """``test_NAME*.py`` in the folder of the same place, or the nearest folder above that has it; else that folder."""
    folder = root / "tests"
    nearest = folder
    for part in where:
        if not (folder / part).is_dir():
            break
        folder = nearest = folder / part
    for place in (nearest, *nearest.parents):
        if found := sorted(place.glob(f"test_{name}.py")) + sorted(place.glob(f"test_{name}_*.py")):
            return [path.relative_to(root).as_posix() for path in found]
        if place == root / "tests":
            break
    return [] if nearest == root / "tests" else [nearest.relative_to(root).as_posix()]


def xunit_for(files: Iterable[str], root: Path) -> list[str]:
    """The xunit projects of changed C# files, relative to dotnet/."""
    names = {
        Path(file).parts[2].removesuffix(".Tests")
        for file in files
        if file.startswith(("dotnet/src/", "dotnet/tests/"))
    }
    projects = [f"tests/{name}.Tests/{name}.Tests.csproj" for name in sorted(names)]
    return [project for project in projects if (root / "dotnet" / project).is_file()]


def main(arguments: Sequence[str]) -> int:
    """Runs all of it, and says at the end what failed."""
    files = [Path(file).resolve().relative_to(ROOT).as_posix() for file in arguments] or changed()
    print("\n".join(files or ["nothing has changed"]), flush=True)
    python = [file for file in files if file.endswith(".py") and (ROOT / file).is_file()]
    failed: list[str] = []

    def step(*command: str) -> None:
        print("$", " ".join(command), flush=True)
        if subprocess.run([sys.executable, *command], cwd=ROOT, check=False).returncode != 0:
            failed.append(" ".join(command))

    if python:
        step("-m", "ruff", "check", *python)
        step("-m", "ruff", "format", "--check", *python)
        step("-m", "mypy")
    step("tools/sdk.py", "build")
    for project in xunit_for(files, ROOT):
        step("tools/sdk.py", "test", project)
    step("-m", "pytest", "-q", *dict.fromkeys((*tests_for(files, ROOT), *CORE)))
    print(f"FAILED: {'; '.join(failed)}" if failed else "all of it passed; `make test` runs the rest", flush=True)
    return 1 if failed else 0


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if line]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
