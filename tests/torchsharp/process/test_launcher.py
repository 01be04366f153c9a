"""bridge/torchsharp/process/launcher.py: .NET in a process of its own where an installation has no ``dotnet`` that may be executed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.clr.find import installation
from bridge.torchsharp.process import launcher
from bridge.torchsharp.process.requests import TorchSharpProcess

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.skipif(os.name != "posix", reason="links, and files that may not be executed"),
]


@pytest.fixture(params=["not executable", "absent"])
def bare(
    dotnet: installation.DotNet, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Copy this machine's .NET without its program to a read-only folder, and use it."""
    root = tmp_path / "dotnet"
    root.mkdir()
    for name in ("host", "shared"):
        (root / name).symlink_to(dotnet.root / name)
    if request.param == "not executable":
        (root / "dotnet").write_bytes(b"")
        (root / "dotnet").chmod(0o444)
    root.chmod(0o555)
    monkeypatch.setenv(installation.BRIDGE_VARIABLE, str(root))
    return root


def test_a_process_starts_answers_and_ends(bare: Path, make_host: Callable[..., TorchSharpProcess]) -> None:
    host = make_host()
    assert not os.access(bare / "dotnet", os.X_OK)
    assert len(host.ask("operators")["operators"]) > 100
    process = host.pid
    assert process is not None
    host.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_what_does_not_start_has_hostfxrs_words_and_exit_code(bare: Path, tmp_path: Path) -> None:
    library = installation.find_dotnet().hostfxr
    command = [sys.executable, "-I", "-S", launcher.__file__, str(library), str(bare), str(tmp_path / "Absent.dll")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode not in (0, 1)
    assert re.fullmatch(r"hostfxr did not start .*Absent\.dll: 0x8000\w{4}\n", done.stderr)
