"""commands.py: the commands to type after a port was written."""

from __future__ import annotations

import os
from pathlib import Path

from bridge.port.project.commands import list_commands


def test_the_next_commands_are_typed_in_the_same_folder() -> None:
    run, test = list_commands(Path("out/My Net"), "torchsharp")
    quoted = r'"out\My Net"' if os.name == "nt" else "'out/My Net'"
    assert run == f"Run it:  dotnet run --project {quoted}"
    assert test == f"Test it: python -m pytest {quoted}"
    left, run, _ = list_commands(Path("Net"), "bridge", left=True)
    assert left.endswith(f"{Path('Net/PORT.md')} lists it.")
    assert Path(run.removeprefix("Run it:  dotnet run --project Net ").strip('"')).is_file(), (
        "the libtorch that it takes"
    )


def test_a_project_above_that_would_compile_the_port_is_named(tmp_path: Path) -> None:
    (tmp_path / "App.csproj").write_text("<Project />")
    names, remove, *_ = list_commands(tmp_path / "ports" / "Net", "torchsharp")
    assert names.startswith("App.csproj compiles every .cs file below it")
    assert remove == '  <Compile Remove="ports/Net/**" />'
