"""Snippets of test_building.py."""

from __future__ import annotations

from pathlib import Path

from bridge.clr.build.projects import build_project
from bridge.clr.errors import BuildError
from bridge.clr.find import assemblies


def build_with(count: int, project: str) -> None:
    """Print why a project is not built with this limit of open files."""
    import resource  # POSIX only

    resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
    try:
        build_project(Path(project), assemblies.folder()[0])
    except BuildError as error:
        print(error)
