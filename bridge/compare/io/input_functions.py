"""Inputs that a function gives: one input, or batches of them, as from a DataLoader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any

import torch

from bridge.compare.errors import InputsError, describe
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.targets import python_function
from bridge.output.sentences import indefinite


def is_function(text: str) -> bool:
    """Whether ``--input`` names a function: ``FILE.py:FUNCTION``."""
    return ".py:" in text


def from_function(text: str) -> Iterator[Inputs]:
    """What the function gives: a tensor, a tuple (by position), a dictionary (by parameter name), or any other iterable of these.

    A list is an iterable of batches where its first item is no tensor. Raises TargetError, and InputsError for what is none
    of these, also when the iterable gives it later.
    """
    function = python_function(text, "--input")
    try:
        given = function()
    except Exception as error:
        raise InputsError(f"--input: {text} raised {describe(error)}") from error
    if _is_one(given):
        yield _inputs(given, text)
        return
    if not hasattr(given, "__iter__"):
        raise InputsError(f"--input: {text} returned {indefinite(type(given).__name__)}: {_WANTED}")
    batches = iter(given)
    found = False
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            break
        except Exception as error:
            raise InputsError(f"--input: the batches of {text} raised {describe(error)}") from error
        found = True
        yield _inputs(batch, text)
    if not found:
        raise InputsError(f"--input: {text} returned no batch: it is empty.")


_WANTED = "return a tensor, a tuple, a dictionary by parameter name, or an iterable of these."


def _is_one(given: Any) -> bool:
    if isinstance(given, list):
        return bool(given) and isinstance(given[0], torch.Tensor)
    return isinstance(given, (torch.Tensor, tuple, Mapping)) or is_dataclass(given)


def _inputs(given: Any, text: str) -> Inputs:
    if isinstance(given, torch.Tensor):
        return Inputs((given,))
    if isinstance(given, Mapping):
        if not all(isinstance(name, str) for name in given):
            raise InputsError(
                f"--input: {text} returned a dictionary whose keys are not names of parameters: {', '.join(map(repr, given))}."
            )
        return Inputs(named=dict(given))
    if isinstance(given, (tuple, list)):
        return Inputs(tuple(given))
    raise InputsError(f"--input: {text} returned {indefinite(type(given).__name__)}: {_WANTED}")
