"""Which of a model's results are compared: those that ``--outputs`` says, or those that C# returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, Final

import torch

from bridge.compare.errors import InputsError, describe
from bridge.compare.findings import Finding
from bridge.compare.models.targets import python_function
from bridge.runtimes.recording import labelled, leaves

#: What one tensor of C#'s stands for among several results with names, the first that there is; else the first tensor.
MAIN: Final = ("last_hidden_state", "logits", "sample", "out")


@dataclass(frozen=True, slots=True)
class Outputs:
    """What is compared of what the PyTorch model returns: results by name, attribute or place, or what a function makes of them."""

    names: tuple[str, ...] = ()
    function: Callable[[Any], Any] | None = None

    def __call__(self, result: Any) -> Any:
        """One name gives that result itself, several a tuple. Raises InputsError where there is no such result."""
        if self.function is not None:
            try:
                return self.function(result)
            except Exception as error:
                raise InputsError(f"--outputs: the function raised {describe(error)}") from error
        found = tuple(_picked(result, name) for name in self.names)
        return found[0] if len(found) == 1 else found

    def said(self) -> list[Finding]:
        """Nothing: the user asked for it."""
        return []


def parse_outputs(text: str) -> Outputs:
    """``NAME[,NAME…]``, or ``FILE.py:FUNCTION``. Raises TargetError, and InputsError for a name that is none."""
    if ":" in text:
        return Outputs(function=python_function(text, "--outputs"))
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputsError(f"--outputs: '{text}' has an empty name: write for example last_hidden_state,pooler_output.")
    return Outputs(names)


def _picked(result: Any, name: str) -> Any:
    found = result
    for part in name.split("."):
        try:
            found = (
                found[part]
                if isinstance(found, Mapping)
                else found[int(part)]
                if part.isdigit()
                else getattr(found, part)
            )
        except (KeyError, IndexError, AttributeError, TypeError):
            there = ", ".join(label for label in labelled(result) if label)
            raise InputsError(
                f"--outputs: there is no '{name}' among the results"
                + (f"; there are {there}." if there else ": it is one tensor.")
            ) from None
    return found


@dataclass(slots=True)
class AsMany:
    """The default: of what the PyTorch model returns, as much as C# does (``count`` results that are not None; see :func:`kept`).

    Where both have as many ``places``, None among them, that is all.
    After the call, ``taken`` and ``left_out`` are the names of what is compared and of what is not.
    """

    count: int
    places: int = -1
    taken: Sequence[str] = ()
    left_out: Sequence[str] = ()

    def __call__(self, result: Any) -> Any:
        found, names = leaves(result), labelled(result)
        if len(names) == self.places:
            return result
        places = kept(
            names, [leaf is None or not _comparable(leaf) for leaf in found], self.count, has_names=_has_names(result)
        )
        if places is None:
            return result
        self.left_out = [name for place, name in enumerate(names) if place not in places and found[place] is not None]
        self.taken = [names[place] for place in places]
        chosen = tuple(found[place] for place in places)
        return chosen[0] if len(chosen) == 1 else chosen

    def said(self) -> list[Finding]:
        """What was left out, in a sentence."""
        if not self.left_out:
            return []
        taken, rest = (", ".join(f"`{name}`" for name in names) for names in (self.taken, self.left_out))
        words = f"Of what the PyTorch model returns, as much as the C# model does is compared: {taken}, and not {rest}."
        return [Finding("left out", "", f"{words} --outputs chooses.")]


def kept(
    names: Sequence[str], absent: Sequence[bool], count: int, *, inner: bool = False, has_names: bool = False
) -> list[int] | None:
    """The places of those of PyTorch's results that C#'s ``count`` ones stand for, in order; None where they do not.

    Those that are not ``absent`` (None), if there are as many. Else, if they have names, the first ones, or the one of
    :data:`MAIN`. A tuple of a module inside of the model (``inner``) gives its first; what the model itself returns in a
    tuple is never left out unasked.
    """
    there = [place for place, nothing in enumerate(absent) if not nothing]
    if not count or len(names) <= count or len(there) < count:
        return None
    if len(there) == count:
        return there
    if has_names or (inner and any(not name.partition(".")[0].isdigit() for name in names)):
        if count > 1:
            return there[:count]
        return [next((place for main in MAIN for place in there if names[place] == main), there[0])]
    return there[:1] if inner and count == 1 else None


def _has_names(result: Any) -> bool:
    return isinstance(result, Mapping) or is_dataclass(result) or hasattr(result, "_fields")


def _comparable(leaf: Any) -> bool:
    return isinstance(leaf, (torch.Tensor, bool, int, float, str))
