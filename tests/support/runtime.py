"""The option ``--torchsharp``: the tests of mirrors run with TorchSharp in this process instead of Bridge.Torch.

C# is compiled against TorchSharp, and ``bridge.load`` loads on it. ``tests/mirror/not_on_torchsharp.toml`` lists the tests that do not
apply, by reason: they are skipped.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path

import pytest

import bridge
from tests.support.torchsharp import find_torchsharp

MIRROR = Path(__file__).resolve().parents[1] / "mirror"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption(
        "--torchsharp", action="store_true", help="run the tests of tests/mirror on TorchSharp in this process"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Load models on TorchSharp."""
    if config.getoption("torchsharp"):
        bridge.load = functools.partial(bridge.load, runtime=f"torchsharp-in-process:{find_torchsharp().parent}")
        # Models.dll uses members that TorchSharp does not guard; the tests call them with arguments that fit.
        config.addinivalue_line("filterwarnings", "ignore:.*an error there, such as for shapes:UserWarning")


def listed() -> dict[str, str]:
    """Return the reason of each test, function or file that does not apply to TorchSharp."""
    reasons = tomllib.loads((MIRROR / "not_on_torchsharp.toml").read_text(encoding="utf-8"))
    return {name: reason for reason, names in reasons.items() for name in names}


def names_of(item: pytest.Item) -> tuple[str, str, str]:
    """Return the names by which the list may have a test: its own, its function's and its file's."""
    name = item.path.relative_to(MIRROR).as_posix() + item.nodeid.partition(".py")[2]
    return name, name.partition("[")[0], name.partition("::")[0]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the listed tests."""
    if not config.getoption("torchsharp"):
        return
    reasons = listed()
    for item in items:
        if reason := next((reasons[name] for name in names_of(item) if name in reasons), None):
            item.add_marker(pytest.mark.skip(reason=reason))
