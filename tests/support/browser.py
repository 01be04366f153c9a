"""The fixture ``browser``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """Start a headless Chromium; skip where there is none."""
    pytest.importorskip("fcntl", reason="the browser is driven over inherited descriptors, which Windows lacks")
    from tests.support.chromium import CHROMIUM, Browser

    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: the page is not opened")
    started = Browser(tmp_path_factory.mktemp("chromium"))
    yield started
    started.close()
