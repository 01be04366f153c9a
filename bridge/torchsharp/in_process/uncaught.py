"""A warning about the members of TorchSharp whose failure ends the process.

``uncaught.json`` lists them, as ``tools/uncaught.py`` finds them in TorchSharp's own files.
"""

from __future__ import annotations

import functools
import json
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_SHOWN: Final = 3
_warned: set[Path] = set()


def warn_uncaught(assembly: Path, references: Iterable[str]) -> None:
    """Warn, once for an assembly, if the assembly refers to members whose C++ exceptions TorchSharp does not catch.

    ``references`` has the members of TorchSharp to which the assembly refers, such as ``torch.Tensor.add`` or ``torch.Tensor.get_shape``.
    """
    if assembly in _warned:
        return
    _warned.add(assembly)
    found = {name for reference in references for name in _names(reference)} & _listed()
    if not found:
        return
    names = sorted(found, key=lambda name: (not name.startswith("torch."), name))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    warnings.warn(
        f"{assembly.name} uses {', '.join(names[:_SHOWN])}{more}: an error there, such as for shapes that do not fit, ends this process "
        '(docs/torchsharp-uncaught.md). If inputs may be wrong, pass runtime="torchsharp", which runs the model in a separate process, '
        "or leave out runtime",
        stacklevel=5,  # the call of bridge.load
    )


@functools.cache
def _listed() -> frozenset[str]:
    return frozenset(json.loads(Path(__file__).with_name("uncaught.json").read_text(encoding="utf-8")))


def _names(reference: str) -> tuple[str, str]:
    """Return a method's name, and the name of the property if the method is an accessor. Otherwise, both names are the method's."""
    return reference, re.sub(r"\.[gs]et_(\w+)$", r".\1", reference)
