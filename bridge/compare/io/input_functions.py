"""The inputs that a user's function returns: one input, or batches such as those of a DataLoader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any

import torch

from bridge.compare.errors import InputsError, describe
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.targets import python_function
from hook_contract.output.sentences import with_article


def is_function(text: str) -> bool:
    """Return whether ``--input`` names a function: ``FILE.py:FUNCTION``."""
    return ".py:" in text


def from_function(text: str) -> Iterator[Inputs]:
    """Call the function and yield the inputs that it returns, one or several.

    An input is a tensor, a tuple (by position) or a dictionary (by parameter name); the function may also return an iterable of these. A
    list that begins with a tensor is read like a tuple. Raises TargetError and InputsError.
    """
    function = python_function(text, "--input")
    try:
        returned = function()
    except Exception as error:
        raise InputsError(f"--input: {text} raised {describe(error)}") from error
    if _is_single(returned):
        yield _inputs(returned, f"{text} returned")
        return
    if not hasattr(returned, "__iter__"):
        raise InputsError(f"--input: {text} returned {with_article(type(returned).__name__)}: {_WANTED}")
    batches = iter(returned)
    empty = True
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            break
        except Exception as error:
            raise InputsError(f"--input: the batches of {text} raised {describe(error)}") from error
        empty = False
        yield _inputs(batch, f"a batch of {text} is")
    if empty:
        raise InputsError(f"--input: {text} returned an empty iterable: return at least one batch.")


_WANTED = "return a tensor, a tuple, a dictionary by parameter name, or an iterable of these."


def _is_single(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], torch.Tensor)
    return isinstance(value, (torch.Tensor, tuple, Mapping)) or is_dataclass(value)


def _inputs(value: Any, subject: str) -> Inputs:
    if isinstance(value, torch.Tensor):
        return Inputs((value,))
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise InputsError(
                f"--input: {subject} a dictionary whose keys are not all names of parameters: {', '.join(map(repr, value))}."
            )
        return Inputs(named=dict(value))
    if isinstance(value, (tuple, list)):
        return Inputs(tuple(value))
    raise InputsError(f"--input: {subject} {with_article(type(value).__name__)}: {_WANTED}")
