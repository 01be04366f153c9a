"""The draft of a random program: its kind, and the names that exist so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from hypothesis import strategies as st

from bridge.program import Json

T = TypeVar("T")
#: Draws a value from a strategy.
Draw = Callable[[st.SearchStrategy[Any]], Any]

_SMALL: Final = st.integers(-2, 3)
_FACTOR: Final = st.sampled_from([1, 2, -1, 3])
_PERCENT: Final = st.integers(0, 99)


@dataclass(frozen=True)
class Kind:
    """The kind of a random program.

    ``plain``: only forward hooks and numbers, so that every runtime can run it. ``loose``: values of every form in every place, which C#
    types forbid. ``legacy``: legacy hooks, and therefore no texts, since a legacy hook searches a text for a Tensor forever (L-2).
    ``identity``: the trace numbers tensor objects; no gradients, which are other objects in .NET (BR-13). ``crowd``: concurrent threads,
    and no step that depends on their order. ``rewired``: copies, assignments and swapped parameters change what names refer to.
    """

    plain: bool = False
    loose: bool = False
    legacy: bool = False
    identity: bool = False
    crowd: bool = False
    rewired: bool = False


def kind(draw: Draw, plain: bool | None) -> Kind:
    """Draw a kind; ``plain`` None allows both."""
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
    """A random program under construction: the names that exist so far, and methods that draw from them.

    ``nodes`` are the modules by path, including copied roots (``@…``); ``first`` is the first path of a module with several. ``weights``
    are parameters, ``tensors`` leaf tensors, ``results`` names that a failed step may have left undefined. ``handles`` surely exist.
    ``item`` is the index path of a tensor in the root's result. ``hooks`` are the registrations so far, ``full`` says which paths have
    full backward hooks and which legacy ones (G-5). ``swapped``: a tensor may have become a parameter, and is then copied as a tensor,
    with its gradient. ``grown``: the tree is complete. ``interrupts``: something raises an Interrupt. ``recalls``: an always-called hook
    calls modules.
    """

    draw: Draw
    kind: Kind
    nodes: dict[str, Mapping[str, Json]] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    weights: list[str] = field(default_factory=list)
    tensors: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    handles: list[str] = field(default_factory=list)
    hooks: list[Mapping[str, Json]] = field(default_factory=list)
    full: dict[str, bool] = field(default_factory=dict)
    item: str = ""
    nested: int = 0
    calls: int = 0
    swapped: bool = False
    grown: bool = False
    interrupts: bool = False
    recalls: bool = False
    numbers: dict[str, int] = field(default_factory=dict)

    # Choices. Each shrinks towards the simplest.

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
        """Draw the class of an exception: an Interrupt in ``percent`` of a hundred cases, else an Error.

        In the ``recovery`` of a call an Interrupt would replace the exception that failed the call, including C#'s TypeError (BR-3), and
        no trace would show it: neither always-called hooks nor the modules that they call raise one.
        """
        if recovery or self.recalls or not self.chance(percent):
            return "Error"
        self.interrupts = True
        return "Interrupt"

    def recall(self) -> bool:
        """Return whether an always-called hook may call modules; if so, nothing raises an Interrupt from now on."""
        self.recalls |= not self.interrupts
        return not self.interrupts

    def name(self, letter: str) -> str:
        """Return a new name."""
        self.numbers[letter] = self.numbers.get(letter, 0) + 1
        return f"{letter}{self.numbers[letter]}"

    def result(self, name: str) -> None:
        """Add the name of a saved result, unless some node gives results that cannot be computed with."""
        if all(node.get("form") not in ("none", "plain") for node in self.nodes.values()):
            self.results.append(name)

    # Modules.

    @property
    def paths(self) -> list[str]:
        """Return the modules that can be called, the root first."""
        return list(self.nodes) or [""]

    @property
    def roots(self) -> list[str]:
        return [path for path in self.paths if path == "" or (path.startswith("@") and "." not in path)]

    def of(self, kind: str) -> list[str]:
        """Return the paths of the modules of a kind."""
        return [path for path, node in self.nodes.items() if node["kind"] == kind]

    def arity(self, path: str) -> int:
        """Return the number of arguments of a module, for a container that of its first child."""
        node = self.nodes.get(path, {})
        if node.get("kind") == "inputs":
            return 2
        children = node.get("children", ())
        if node.get("kind") in ("sequence", "parallel", "raise") and children:
            return self.arity(f"{path}.{children[0]['name']}" if path else children[0]["name"])
        return 1

    @property
    def by_call(self) -> bool:
        """Return whether no module runs its children by ``forward``: only then does C# see a forward that Python assigns (BR-14).

        Returns False while the tree grows.
        """
        return self.grown and all(node.get("by") != "forward" for node in self.nodes.values())

    @property
    def even(self) -> bool:
        """Return whether every module takes one argument."""
        return all(self.arity(path) == 1 for path in self.nodes)

    @property
    def alone(self) -> bool:
        """Return whether the root is the only module, and computes."""
        return len(self.nodes) == 1 and self.nodes[""]["kind"] in ("leaf", "give")

    def add_copy(self, source: str, root: str) -> None:
        """Add the modules and weights of ``source`` under another root."""
        below = f"{source}." if source else ""

        def place(name: str) -> str | None:
            if name == source:
                return root
            if name.startswith(below) and (source or not name.startswith("@")):
                return f"{root}.{name.removeprefix(below)}"
            return None

        self.nodes |= {copy: node for path, node in self.nodes.items() if (copy := place(path))}
        self.weights += [copy for name in self.weights if (copy := place(name))]

    def remove_root(self, root: str) -> None:
        """Remove a root and its names."""
        below = f"{root}."
        self.nodes = {path: node for path, node in self.nodes.items() if path != root and not path.startswith(below)}
        self.weights = [name for name in self.weights if not name.startswith(below)]

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Discard the tensors and results that the block adds: those of a thread."""
        outer = (list(self.tensors), list(self.results))
        try:
            yield
        finally:
            self.tensors, self.results = outer
