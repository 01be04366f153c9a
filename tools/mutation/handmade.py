"""Wrong runtimes made by hand: typical mistakes in writing a dispatcher, each as a small change of the model's code.

Most change ``bridge/runtimes/model/``; where a mistake belongs to the side of the modules (what ``Sequential`` does, what a shared child
is), the nodes of a program's tree or the interpreter. Runtimes that lie about a run as a whole are in ``mutation.lying``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mutation.dispatching import CALLING, FAILING, REGISTERING
from mutation.gradients import GRADIENTS, MODULES
from mutation.mistake import Wrong

WRONGS: Final = (*REGISTERING, *CALLING, *FAILING, *GRADIENTS, *MODULES)


def wrong_models(sources: Mapping[str, str]) -> Iterator[tuple[Wrong, Mapping[str, str]]]:
    """Yield each mistake with its mutated source, by module name. Raises NotThere if the source has changed."""
    for wrong in WRONGS:
        yield wrong, {wrong.module: wrong.source(sources[wrong.module])}
