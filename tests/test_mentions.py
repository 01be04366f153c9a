"""Messages, ``--help`` and pages name only what exists: names of the package, commands and their options, targets of make."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import click

from bridge.cli import main
from hook_contract.cli import main as contract_main

ROOT: Final = Path(__file__).parents[1]
#: Options of other programs that our texts name.
FOREIGN: Final = {
    "--no-deps": "pip",
    "--force-reinstall": "pip",
    "--upgrade": "pip",
    "--index-url": "pip",
    "--no-header": "pytest",
    "--list-runtimes": "dotnet",
    "--runtimeconfig": "dotnet",
    "--nologo": "dotnet",
    "--no-restore": "dotnet",
    "--project": "dotnet run",
    "--torchsharp": "pytest in this repository: tests/support/runtime.py",
    "--name": "dotnet nuget",
    "--tool-path": "dotnet tool",
    "--add-source": "dotnet tool",
    "--path": "torchsharp-trace",
    "--diagnostics": "dotnet format",
    "--severity": "dotnet format",
    "--no-wheel": "tools/pack.py",
    "--check": "tools/surface.py",
    "--channel": "dotnet-install.sh",
    "--cask": "brew",
    "--artifacts-path": "dotnet",
    "--query-gpu": "nvidia-smi",
    "--format": "nvidia-smi",
    "--folder": "tools/zoo.py",
    "--draw": "tools/zoo.py",
}
#: Of pytest's, those that the plugin adds.
PLUGIN: Final = set(
    re.findall(r'"(--bridge-[\w-]+)"', (ROOT / "bridge" / "conformance" / "plugin.py").read_text(encoding="utf-8"))
)

_NAME: Final = re.compile(r"(?<![\w./-])((?:bridge|hook_contract)(?:\.[A-Za-z_]\w*)+)")
_COMMAND: Final = re.compile(r"-m (bridge|hook_contract) +([\w-]+)([^\n`]*)")
_COMMANDS: Final = {"bridge": main.commands, "hook_contract": contract_main.commands}
_OPTION: Final = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_VALUE: Final = re.compile(r"[`$][^`\n]*?(--[a-z][\w-]*) ([a-z]+)\b")
_MAKE: Final = re.compile(r"[`$\n] *make ([a-z-]+)")


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """Return the location and the text of every string of the package, command help, README and page."""
    return tuple(_texts())


def _texts() -> Iterator[tuple[str, str]]:
    for path in sorted([*(ROOT / "bridge").rglob("*.py"), *(ROOT / "hook-contract").rglob("*.py")]):
        where = str(path.relative_to(ROOT))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{where}:{node.lineno}", node.value
    for path in (
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ):
        yield path.name, path.read_text(encoding="utf-8")
    for name, command in (*main.commands.items(), *contract_main.commands.items()):
        yield f"{name} --help", command.get_help(click.Context(command, info_name=name))


@cache
def exists(dotted: str) -> bool:
    """Return whether ``bridge.a.b`` or ``hook_contract.a.b`` is a module, or an attribute of a module."""
    first, *names = dotted.split(".")
    found: object = importlib.import_module(first)
    for number, part in enumerate(names, 1):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join((first, *names[:number])))
            except ImportError:
                return False
        found = getattr(found, part)
    return True


def options(command: click.Command) -> set[str]:
    """Return the options of a command."""
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {
        "--help",
        "-h",
    }


def test_every_name_of_the_package_is_there() -> None:
    wrong = [f"{where}: {name}" for where, text in texts() for name in _NAME.findall(text) if not exists(name)]
    assert wrong == []


def test_every_command_is_there_and_has_the_options_behind_it() -> None:
    wrong = []
    for where, text in texts():
        for package, name, rest in _COMMAND.findall(text.replace("\\\n", " ")):
            if name not in _COMMANDS[package]:
                wrong.append(f"{where}: python -m {package} {name}")
            else:
                ours = rest.partition("|")[0]  # what follows a pipe is another program's
                wrong += [
                    f"{where}: {name} {option}"
                    for option in _OPTION.findall(ours)
                    if option not in options(_COMMANDS[package][name])
                ]
    assert wrong == []


def test_every_option_is_one_of_a_command() -> None:
    """Whichever: a text does not always say of which."""
    ours = {"--version", *PLUGIN}.union(*map(options, [*main.commands.values(), *contract_main.commands.values()]))
    wrong = {
        f"{where}: {option}"
        for where, text in texts()
        for option in _OPTION.findall(text)
        if option not in ours and option not in FOREIGN
    }
    assert wrong == set()


def test_every_value_of_an_option_is_one_of_its_choices() -> None:
    choices: dict[str, set[str]] = {}
    free: set[str] = set()  # in a command that takes other values than its choices, as conformance's --runtime
    for command in main.commands.values():
        for parameter in command.params:
            if isinstance(parameter.type, click.Choice):
                for option in parameter.opts:
                    choices.setdefault(option, set()).update(parameter.type.choices)
            else:
                free.update(parameter.opts)
    choices = {option: values for option, values in choices.items() if option not in free}
    assert {"full", "digest", "none"} <= choices["--values"]
    wrong = [
        f"{where}: {option} {value}"
        for where, text in texts()
        for option, value in _VALUE.findall(text)
        if option in choices and value not in choices[option]
    ]
    assert wrong == []


def test_every_target_of_make_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    wrong = [f"{where}: make {name}" for where, text in texts() for name in _MAKE.findall(text) if name not in targets]
    assert wrong == []


def test_what_is_not_there_is_found() -> None:
    assert exists("bridge.diff_files")
    assert exists("hook_contract.runtimes.model.programs.RUNTIME")
    assert not exists("bridge.diff_traces")
    assert not exists("bridge.compare.nowhere.thing")
    assert _NAME.findall("`bridge.load` of bridge/contract, mybridge.x and bridge.record.") == [
        "bridge.load",
        "bridge.record",
    ]
