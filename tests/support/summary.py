"""What a run of all tests prints at its end, and the fixture ``all_tests``."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import pytest


def _is_complete(config: pytest.Config) -> bool:
    """Return whether the run has all tests except those marked slow."""
    complete: bool = getattr(config, "workerinput", {}).get(
        "complete", config.args_source is config.ArgsSource.TESTPATHS
    )
    return complete and not config.option.keyword and config.option.markexpr == "not slow and not inprocess"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist, which gets no command line, whether the run is complete."""
    node.workerinput["complete"] = _is_complete(node.config)


@pytest.fixture(scope="session")
def all_tests(request: pytest.FixtureRequest) -> list[pytest.Item]:
    """Return all tests except those marked slow; skip where only some are collected."""
    if not _is_complete(request.config):
        pytest.skip("only some of the tests are run")
    return request.session.items


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the seconds, the slowest files, and a digest of the test ids, which must not depend on an SDK."""
    if not _is_complete(config):
        return
    reports = [report for kind in terminalreporter.stats.values() for report in kind if hasattr(report, "duration")]
    files = Counter[str]()
    for report in reports:
        files[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.section("seconds by file")
    terminalreporter.write_line(f"{sum(files.values()):7.1f} all {len(files)} files")
    for file, seconds in files.most_common(10):
        terminalreporter.write_line(f"{seconds:7.1f} {file}")
    ids = sorted({report.nodeid for report in reports})
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16]
    terminalreporter.write_line(f"test ids: {len(ids)}, digest {digest}")
