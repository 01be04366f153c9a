"""bridge/clr/call/error_log.py: programs that make operators fail on purpose do not fill standard error."""

from __future__ import annotations

import ctypes

import pytest
import torch

from bridge.clr.call import error_log
from bridge.clr.start import libraries


@pytest.fixture
def level() -> ctypes.c_int:
    """Return libc10's level of its log."""
    level = libraries.variable("log_level", ctypes.c_int)
    assert level is not None
    return level


@pytest.mark.parametrize(
    ("version", "setting", "inside"), [("2.11.0+cu130", None, 3), ("2.11.0", "ERROR", None), ("2.13.0", None, None)]
)
def test_the_log_is_silent_in_the_block_alone(
    level: ctypes.c_int, version: str, setting: str | None, inside: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after an error; versions that give .NET the message do not log, and what the user has set stays."""
    monkeypatch.delenv("TORCH_CPP_LOG_LEVEL", raising=False)
    if setting is not None:
        monkeypatch.setenv("TORCH_CPP_LOG_LEVEL", setting)
    monkeypatch.setattr(torch, "__version__", version)
    before = level.value
    seen = []

    def fail() -> None:
        with error_log.suppress_errors():
            seen.append(level.value)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert seen == [before if inside is None else inside]
    assert level.value == before


def test_a_libc10_without_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCH_CPP_LOG_LEVEL", raising=False)
    monkeypatch.setattr(torch, "__version__", "2.11.0")
    monkeypatch.setattr(libraries, "path", lambda name: None)
    with error_log.suppress_errors():
        assert error_log._level() is None
