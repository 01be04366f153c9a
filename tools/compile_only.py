"""A pytest plugin that compiles the C# of the tests and runs no more of them than that takes.

``tools/sdk.py`` uses it to write tests/_dotnet: ``python -m pytest -p compile_only`` with a folder in BRIDGE_TESTS_COMPILED_INTO. Of the
tests whose fixtures compile C#, one of each set of fixtures is set up; the body runs only of those that take ``build_csharp`` themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave one item of each set of fixtures and of the parameters that fixtures read."""
    kept: dict[object, pytest.Item] = {}
    for item in items:
        if isinstance(item, pytest.Function) and "build_csharp" in item.fixturenames:
            kept.setdefault(item.nodeid if _compiles_itself(item) else _set_up(item), item)
    left = list(kept.values())
    config.hook.pytest_deselected(items=[item for item in items if item not in left])
    items[:] = left


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Leave out the bodies of tests that compile in fixtures alone."""
    return None if _compiles_itself(pyfuncitem) else True


def _compiles_itself(item: pytest.Function) -> bool:
    return "build_csharp" in item._fixtureinfo.argnames


def _set_up(item: pytest.Function) -> tuple[object, ...]:
    return item.path, frozenset(item.fixturenames), tuple(_read_by_fixtures(item))


def _read_by_fixtures(item: pytest.Function) -> Iterator[tuple[str, str]]:
    """Yield the parameters of fixtures, and those of the test that a fixture takes."""
    if not hasattr(item, "callspec"):
        return
    direct = {
        name.strip()
        for mark in item.iter_markers("parametrize")
        if not mark.kwargs.get("indirect")
        for name in (mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0])
    }
    taken = {
        name
        for fixtures in item._fixtureinfo.name2fixturedefs.values()
        for fixture in fixtures
        for name in fixture.argnames
    }
    for name, value in item.callspec.params.items():
        if name not in direct or name in taken:
            yield name, repr(value)
