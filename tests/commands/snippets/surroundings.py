"""The command line under limits that hold for a process, for test_bad_surroundings.py."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

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
    import resource  # POSIX only

    resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
    from bridge.cli import main

    main(arguments)
