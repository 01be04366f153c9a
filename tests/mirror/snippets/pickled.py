"""Snippets of test_pickling.py: what other processes run."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import torch

import bridge


def hook(module: torch.nn.Module, args: Any, output: torch.Tensor) -> torch.Tensor:
    return output * 2


def call(model: torch.nn.Module, x: torch.Tensor) -> tuple[torch.Tensor, bool]:
    with torch.no_grad():
        return model(x), "bridge" in sys.modules


def spawned(models: str) -> None:
    """Pass a model to a new process and call it there; an exception of C# comes back."""
    model = bridge.load(models, "Models.Pair")
    model.get_submodule("second").register_forward_hook(hook)
    x = torch.randn(2, 3)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        result, _ = pool.submit(call, model, x).result()
        assert torch.equal(result, call(model, x)[0])
        throwing = bridge.load(models, "Models.Pair")
        try:
            pool.submit(call, throwing, torch.randn(2, 4)).result()
        except bridge.DotNetError as error:
            assert error.module_path == "first"  # noqa: PT017  # not a test of pytest's
        else:
            raise AssertionError("nothing was raised")


def read(file: str, x: list[list[float]], expected: list[list[float]]) -> None:
    """Load a model that another process has written, and call it."""
    model = torch.load(Path(file), weights_only=False)
    assert torch.equal(model(torch.tensor(x)), torch.tensor(expected))
    assert isinstance(model, bridge.Mirror)
    again = pickle.loads(pickle.dumps(model))
    assert torch.equal(again(torch.tensor(x)), torch.tensor(expected))
