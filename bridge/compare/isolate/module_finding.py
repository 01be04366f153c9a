"""The findings about a module in isolation, before they are phrased."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bridge.compare.isolate.divergence import Divergence
from bridge.compare.isolate.source_location import NOWHERE, SourceLocation
from bridge.compare.models.settings import Setting

#: The kinds of findings whose causes are searched among the operators.
LOCATED = ("input", "result", "raised", "in place")


@dataclass(frozen=True, slots=True, eq=False)
class ModuleFinding:
    """A difference between a module and its PyTorch counterpart in isolation.

    ``kind`` is ``raised``, ``input`` (of ``child``), ``result``, ``buffer`` or ``gradient`` (named by ``child``), ``in place``, ``alias``,
    ``strides``, ``structure`` (of the result's containers), ``calls`` or ``bypass`` (of ``child``). ``text`` is a predicate or a sentence.
    ``number`` is that of the PyTorch call, ``after`` the last child called before the difference. ``settings`` and ``divergence`` are
    proven causes. ``location`` is the place in the C# code of the call of ``child``, or of the cause.
    """

    path: str
    type: str
    kind: str
    text: str
    number: int
    child: str = ""
    after: str = ""
    settings: tuple[Setting, ...] = ()
    divergence: Divergence | None = None
    location: SourceLocation = NOWHERE

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what identifies the finding in all calls of the module."""
        return self.path, self.kind, self.child


@dataclass(frozen=True, slots=True, eq=False)
class IsolationResult:
    """The findings about all modules in isolation, in the order of PyTorch's run.

    ``judged`` are the paths of the modules that were replayed, ``raised`` the paths of those that raised. ``skipped`` maps the other paths
    to the reason. If C#'s keys are in another order, ``leaf_orders`` maps path and phase to their order, as indices of the leaves of
    PyTorch's value. ``rounds`` counts the runs of the PyTorch model.
    """

    findings: tuple[ModuleFinding, ...]
    judged: frozenset[str]
    skipped: Mapping[str, str]
    rounds: int
    leaf_orders: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    raised: frozenset[str] = frozenset()
