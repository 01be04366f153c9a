"""A user's test file for test_plugin.py: PyTorch's dispatcher forgets the pre hooks."""

from __future__ import annotations

from typing import Any

import pytest
import torch


def _forget(self: torch.nn.Module, hook: Any, **options: Any) -> Any:
    return torch.utils.hooks.RemovableHandle({})


pytest.MonkeyPatch().setattr(torch.nn.Module, "register_forward_pre_hook", _forget)


def test_that_breaks_pytorch() -> None:
    pass
