"""The choice of results to compare: those of ``--outputs``, or as many as C# returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch

from bridge.compare.errors import InputsError, describe
from bridge.compare.findings import Finding, left_out_finding
from bridge.compare.models.targets import python_function
from bridge.runtimes.recording import fields_of, leaf_names, leaves

#: The names of results to prefer, in this order, if C# returns one result and PyTorch returns several with names.
MAIN: Final = ("last_hidden_state", "logits", "sample", "out")


@dataclass(frozen=True, slots=True)
class Outputs:
    """The choice of PyTorch's results: by key, attribute or position, or computed by ``function``."""

    names: tuple[str, ...] = ()
    function: Callable[[Any], Any] | None = None

    def __call__(self, result: Any) -> Any:
        """Return the value of ``function`` or, without a function, the results in ``names``, as a tuple if several. Raises InputsError."""
        if self.function is not None:
            try:
                return self.function(result)
            except Exception as error:
                raise InputsError(f"--outputs: the function raised {describe(error)}") from error
        found = tuple(_pick(result, name) for name in self.names)
        return found[0] if len(found) == 1 else found

    def findings(self) -> list[Finding]:
        """Return an empty list, since the user chose the results."""
        return []


def parse_outputs(text: str) -> Outputs:
    """Parse ``NAME[,NAME…]`` or ``FILE.py:FUNCTION``. Raises TargetError, and InputsError for an empty name."""
    if ":" in text:
        return Outputs(function=python_function(text, "--outputs"))
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputsError(f"--outputs: '{text}' has an empty name: write for example last_hidden_state,pooler_output.")
    return Outputs(names)


def _pick(result: Any, name: str) -> Any:
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
            known = ", ".join(label for label in leaf_names(result) if label)
            words = f": they are {known}." if known else ": the result is one tensor."
            raise InputsError(f"--outputs: no '{name}' among the results{words}") from None
    return found


@dataclass(slots=True)
class DefaultOutputs:
    """The default choice of PyTorch's results: as many as C# returns.

    If PyTorch returns ``total`` results, all are compared; otherwise, those that :func:`matching_results` chooses.
    """

    #: The number of C#'s results that are not None.
    count: int
    #: The number of C#'s results; -1 if unknown.
    total: int = -1
    #: The names of the results that are compared; empty until a call leaves results out.
    taken: Sequence[str] = ()
    #: The names of the results left out, except those that are None.
    left_out: Sequence[str] = ()

    def __call__(self, result: Any) -> Any:
        found, names = leaves(result), leaf_names(result)
        if len(names) == self.total:
            return result
        absent = [not _comparable(leaf) for leaf in found]
        places = matching_results(names, absent, self.count, has_names=_has_names(result))
        if places is None:
            return result
        self.left_out = [name for place, name in enumerate(names) if place not in places and found[place] is not None]
        self.taken = [names[place] for place in places]
        chosen = tuple(found[place] for place in places)
        return chosen[0] if len(chosen) == 1 else chosen

    def findings(self) -> list[Finding]:
        """Return a finding on the results that were left out."""
        words = "as many results as the C# model returns"
        return [left_out_finding(words, self.taken, self.left_out)] if self.left_out else []


def matching_results(
    names: Sequence[str], absent: Sequence[bool], count: int, *, inner: bool = False, has_names: bool = False
) -> list[int] | None:
    """Return the positions of the PyTorch results that are compared with C#'s ``count`` results; None if all are.

    ``absent`` has True for each result that cannot be compared, such as None; the others are present. ``inner`` is true for a module
    inside the model, and ``has_names`` if the results have names, not only positions. All are compared if ``count`` is 0 or at least the
    number of results, or if fewer than ``count`` are present. Otherwise, the first of these rules that applies chooses; if none applies,
    all are compared:

    - If exactly ``count`` results are present, these are compared.
    - If ``has_names`` is true, or ``inner`` is true and not every name begins with a number, the first ``count`` present results are
      compared. But a ``count`` of 1 chooses the present result whose name comes first in :data:`MAIN`, if there is one.
    - If ``count`` is 1 and ``inner`` is true, the first present result is compared.
    """
    present = [place for place, missing in enumerate(absent) if not missing]
    if not count or len(names) <= count or len(present) < count:
        return None
    if len(present) == count:
        return present
    if has_names or (inner and any(not name.partition(".")[0].isdigit() for name in names)):
        if count > 1:
            return present[:count]
        return [next((place for main in MAIN for place in present if names[place] == main), present[0])]
    return present[:1] if inner and count == 1 else None


def _has_names(result: Any) -> bool:
    return isinstance(result, Mapping) or fields_of(result) is not None or hasattr(result, "_fields")


def _comparable(leaf: Any) -> bool:
    return isinstance(leaf, (torch.Tensor, bool, int, float, str))
