"""Snippets of test_bad_surroundings.py: the command line in surroundings that a test cannot have for itself alone."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "compare"))  # ports.py


def disk_of(size: int, modules: list[str], *arguments: str) -> None:
    """Run a command with files limited to ``size`` bytes; import ``modules`` first, since they may write caches."""
    import resource  # POSIX only

    for name in modules:
        importlib.import_module(name)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    from bridge.cli import main

    main(arguments)


def files_of(count: int, *arguments: str) -> None:
    """Limit the number of open files of this process and its children."""
    import resource  # POSIX alone

    resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
    from bridge.cli import main

    main(arguments)


def torch_of(version: str, *arguments: str) -> None:
    """Patch the version of PyTorch."""
    import torch

    pytest.MonkeyPatch().setattr(torch, "__version__", version)
    from bridge.cli import main

    main(arguments)


def refusals(tries: list[tuple[str, str]], good: tuple[str, str]) -> None:
    """Print the .NET exception of each try, and the shape of the result of the model that loads in the end."""
    import torch

    import bridge

    for path, name in tries:
        try:
            bridge.load(path, name)
        except bridge.DotNetError as error:
            print(error.dotnet_type)
    print(bridge.load(*good)(torch.rand(1, 3, 12, 12))[0].shape)
