"""A draft, that is, a random program under construction: its kind, and the names that its steps may use.

Codes such as L-2 are clauses of the contract (docs/contract.md), codes such as BR-13 known differences of C# (docs/divergences.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from hypothesis import strategies as st

from hook_contract.program import Json

T = TypeVar("T")
#: A function that draws a value from a strategy, as the first argument of ``st.composite`` functions.
Draw = Callable[[st.SearchStrategy[Any]], Any]

_SMALL: Final = st.integers(-2, 3)
_FACTOR: Final = st.sampled_from([1, 2, -1, 3])
_PERCENT: Final = st.integers(0, 99)


@dataclass(frozen=True)
class Kind:
    """The kind of a random program. Several fields may be True."""

    #: The program has only forward pre hooks and forward hooks, no gradients and no vectors, for runtimes without autograd.
    plain: bool = False
    #: Arguments and results may be values of any form, such as tuples. C# modules with typed parameters accept only tensors.
    loose: bool = False
    #: The program may have legacy hooks (``register_backward_hook``). It has no strings, since PyTorch's search for a tensor in a string
    #: would never end (L-2).
    legacy: bool = False
    #: The trace gives each tensor object a number. The program has no backward pass: during one, .NET makes two objects where PyTorch
    #: shares one (BR-13).
    identity: bool = False
    #: The program may have concurrent threads, and has no step that depends on their order.
    crowd: bool = False
    #: The program may copy modules, assign ``forward`` and swap parameters.
    rewired: bool = False


def kind(draw: Draw, plain: bool | None) -> Kind:
    """Draw a kind. ``plain`` says whether the kind is plain. If ``plain`` is None, this is drawn too."""
    plain = draw(st.sampled_from([True, False, False])) if plain is None else plain
    with_gradients = ("", "", "loose", "identity", "crowd", "rewired", "rewired", "rewired")
    sort = draw(st.sampled_from(("", "", "loose", "crowd") if plain else with_gradients))
    return Kind(
        plain=plain,
        loose=sort == "loose",
        legacy=not plain and draw(st.booleans()),
        identity=sort == "identity",
        crowd=sort == "crowd",
        rewired=sort == "rewired",
    )


@dataclass
class Draft:
    """A random program under construction: the names that exist so far, and methods that draw from them."""

    draw: Draw
    kind: Kind
    #: The modules by path, including those of copied roots (``@…``).
    nodes: dict[str, Mapping[str, Json]] = field(default_factory=dict)
    #: Maps each further path of a shared module to the module's first path.
    first: dict[str, str] = field(default_factory=dict)
    #: The names of the parameters.
    weights: list[str] = field(default_factory=list)
    #: The names of the leaf tensors that require grad.
    tensors: list[str] = field(default_factory=list)
    #: The names of other tensors, such as saved results. A name is undefined if the step that saves the tensor failed.
    results: list[str] = field(default_factory=list)
    #: The handles that exist even if steps fail.
    handles: list[str] = field(default_factory=list)
    hooks: list[Mapping[str, Json]] = field(default_factory=list)
    #: Maps a module path (``*`` for global hooks) to True if the backward hooks are full, False if they are legacy. A module cannot have
    #: both kinds (G-5).
    full: dict[str, bool] = field(default_factory=dict)
    #: The index of a tensor in the root's result, such as ``.0``, or "" if the result is no container.
    item: str = ""
    nested_registrations: int = 0
    nested_calls: int = 0
    #: Whether functional_call may have replaced a parameter permanently (I-17a).
    swapped: bool = False
    has_tree: bool = False
    raises_interrupt: bool = False
    always_called_hook_calls: bool = False
    name_counts: dict[str, int] = field(default_factory=dict)

    # Choices. Hypothesis shrinks each choice towards its first or smallest value.

    def choose(self, items: Iterable[T]) -> T:
        chosen: T = self.draw(st.sampled_from(list(items)))
        return chosen

    def chance(self, percent: int) -> bool:
        return bool(self.draw(_PERCENT) >= 100 - percent)

    def between(self, least: int, most: int) -> int:
        return int(self.draw(st.integers(least, most)))

    def small(self) -> int:
        return int(self.draw(_SMALL))

    def factor(self) -> int:
        return int(self.draw(_FACTOR))

    def error(self, percent: int, *, recovery: bool = False) -> str:
        """Draw the class of an exception: an Interrupt with a probability of ``percent``, else an Error.

        Hooks with ``always_call`` (``recovery``) and modules that they call raise no Interrupt. It would replace the exception that ended
        the call, and the trace would not show the replaced exception.
        """
        if recovery or self.always_called_hook_calls or not self.chance(percent):
            return "Error"
        self.raises_interrupt = True
        return "Interrupt"

    def allow_recall(self) -> bool:
        """Return whether a hook with ``always_call`` may call modules. If it may, no module or hook drawn later raises an Interrupt."""
        self.always_called_hook_calls |= not self.raises_interrupt
        return not self.raises_interrupt

    def name(self, letter: str) -> str:
        """Return a new name."""
        self.name_counts[letter] = self.name_counts.get(letter, 0) + 1
        return f"{letter}{self.name_counts[letter]}"

    def result(self, name: str) -> None:
        """Add the name of a saved result. Do nothing if a module of the tree returns None or a plain number, which are not tensors."""
        if all(node.get("form") not in ("none", "plain") for node in self.nodes.values()):
            self.results.append(name)

    @property
    def paths(self) -> list[str]:
        """Return the paths of all modules, the root first."""
        return list(self.nodes) or [""]

    @property
    def roots(self) -> list[str]:
        return [path for path in self.paths if path == "" or (path.startswith("@") and "." not in path)]

    def paths_of(self, kind: str) -> list[str]:
        """Return the paths of the modules of a kind."""
        return [path for path, node in self.nodes.items() if node["kind"] == kind]

    def arity(self, path: str) -> int:
        """Return the number of positional arguments of a module. A ``sequence``, ``parallel`` or ``raise`` has that of its first child."""
        node = self.nodes.get(path, {})
        if node.get("kind") == "inputs":
            return 2
        children = node.get("children", ())
        if node.get("kind") in ("sequence", "parallel", "raise") and children:
            return self.arity(f"{path}.{children[0]['name']}" if path else children[0]["name"])
        return 1

    @property
    def can_assign_forward(self) -> bool:
        """Return whether ``forward`` may be assigned: the tree is complete, and no module runs its children by ``forward``.

        A C# module that calls ``child.forward`` does not see the assigned function (BR-14).
        """
        return self.has_tree and all(node.get("by") != "forward" for node in self.nodes.values())

    @property
    def all_unary(self) -> bool:
        """Return whether every module takes one argument."""
        return all(self.arity(path) == 1 for path in self.nodes)

    @property
    def is_single_leaf(self) -> bool:
        """Return whether the root is the only module, and is a ``leaf`` or ``give``."""
        return len(self.nodes) == 1 and self.nodes[""]["kind"] in ("leaf", "give")

    def add_copy(self, source: str, root: str) -> None:
        """Add a copy of the module at ``source``, with its submodules and weights, as a new root."""
        below = f"{source}." if source else ""

        def copied_name(name: str) -> str | None:
            if name == source:
                return root
            if name.startswith(below) and (source or not name.startswith("@")):
                return f"{root}.{name.removeprefix(below)}"
            return None

        self.nodes |= {copy: node for path, node in self.nodes.items() if (copy := copied_name(path))}
        self.weights += [copy for name in self.weights if (copy := copied_name(name))]

    def remove_root(self, root: str) -> None:
        """Remove a root with its modules and weights."""
        below = f"{root}."
        self.nodes = {path: node for path, node in self.nodes.items() if path != root and not path.startswith(below)}
        self.weights = [name for name in self.weights if not name.startswith(below)]

    @contextmanager
    def thread_scope(self) -> Iterator[None]:
        """Discard, at the end of a ``with`` block, the tensors and results that the block added: only one thread has them."""
        outer = (list(self.tensors), list(self.results))
        try:
            yield
        finally:
            self.tensors, self.results = outer
