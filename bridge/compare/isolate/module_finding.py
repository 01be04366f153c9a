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
    """A difference between a C# module in isolation and its PyTorch counterpart (the two sides).

    The values of ``kind``:

    - ``raised``: only C# raises.
    - ``input``: an argument of a child's call differs.
    - ``result``: the result differs.
    - ``buffer``: a buffer differs after the call.
    - ``gradient``: a gradient differs, or exists on one side only.
    - ``backward``: only C#'s backward pass raises.
    - ``in place``: an argument is written in place on one side only.
    - ``alias``: the result shares the memory of an argument on one side only.
    - ``strides``: the result is contiguous on one side only.
    - ``structure``: the nesting or the keys of the result differ.
    - ``calls``: a child's call is missing, additional, in another order, or has the arguments of another child's call.
    - ``bypass``: C# runs a child by ``forward()``, not ``call()``.
    """

    path: str
    type: str
    kind: str
    #: The exception for ``raised`` and ``backward``; a sentence for ``structure``; words with a subject of their own ("its result is …")
    #: for ``alias``, ``strides`` and ``calls``; else a verb with its object ("differs by …"), without the subject.
    text: str
    #: The number of the PyTorch call concerned, which is a call of the module or of a child. Findings are sorted by this number.
    number: int
    #: The path of the child whose call differs; empty if the module itself differs. For ``buffer``, the buffer's name. For ``gradient``,
    #: the tensor's name, such as ``parameter weight``, or the path of a child that only one side calls under ``no_grad``.
    child: str = ""
    #: The path of the child whose arguments were the last to be compared before the difference; empty if there is none.
    after: str = ""
    #: The settings that are proven to cause the difference.
    settings: tuple[Setting, ...] = ()
    #: The operators that are proven to cause the difference.
    divergence: Divergence | None = None
    #: The location in C# of the cause or of the child's call. If C# lacks the operator or call, the location where C# computes an argument
    #: for it.
    location: SourceLocation = NOWHERE

    @property
    def key(self) -> tuple[str, str, str]:
        """Return a key that is equal for the same difference in several calls of the module."""
        return self.path, self.kind, self.child


@dataclass(frozen=True, slots=True, eq=False)
class IsolationResult:
    """The findings about all modules in isolation, in the order of PyTorch's run."""

    findings: tuple[ModuleFinding, ...]
    #: The paths of the modules that were run in isolation and compared.
    judged: frozenset[str]
    #: The reason why a module was not judged, by path.
    skipped: Mapping[str, str]
    #: The number of runs of the PyTorch model in which calls were recorded.
    rounds: int
    #: Maps a module's path and phase (``pre`` for the arguments, ``forward`` for the result) to PyTorch's index of each value, in C#'s
    #: order. Contains only arguments and results with keys, such as dictionaries, if the order of the keys differs.
    leaf_orders: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    #: The paths of the modules that raised in isolation in C#.
    raised: frozenset[str] = frozenset()
