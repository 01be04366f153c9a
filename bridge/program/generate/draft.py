"""A program in the making: its kind, and what exists so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from hypothesis import strategies as st

from bridge.program import Json

T = TypeVar("T")
#: Draws one of a strategy's values.
Draw = Callable[[st.SearchStrategy[Any]], Any]

_SMALL: Final = st.integers(-2, 3)
_FACTOR: Final = st.sampled_from([1, 2, -1, 3])
_PERCENT: Final = st.integers(0, 99)


@dataclass(frozen=True)
class Kind:
    """The kind of program to make.

    ``plain``: forward hooks and numbers alone, so that every runtime can run it. ``loose``: values of every form wherever a value
    may be, which C# types forbid. ``legacy``: legacy hooks, and then no texts, since a legacy hook looks for a Tensor in a text
    forever (L-2). ``identity``: the trace numbers tensor objects; without gradients, of which .NET makes other objects (BR-13).
    ``crowd``: threads at once, and nothing whose order they decide. ``rewired``: names come to mean something else, by copies,
    assignments and swapped parameters.
    """

    plain: bool = False
    loose: bool = False
    legacy: bool = False
    identity: bool = False
    crowd: bool = False
    rewired: bool = False


def kind(draw: Draw, plain: bool | None) -> Kind:
    """One of the sorts; ``plain`` None leaves that open."""
    plain = draw(st.sampled_from([True, False, False])) if plain is None else plain
    with_gradients = ("", "", "loose", "identity", "crowd", "rewired", "rewired", "rewired")
    one_of = draw(st.sampled_from(("", "", "loose", "crowd") if plain else with_gradients))
    return Kind(
        plain=plain,
        loose=one_of == "loose",
        legacy=not plain and draw(st.booleans()),
        identity=one_of == "identity",
        crowd=one_of == "crowd",
        rewired=one_of == "rewired",
    )


@dataclass
class Draft:
    """What exists so far, and the choices that are made from it.

    ``nodes`` are the modules by path, copied roots (``@…``) included; ``first`` the first path of a module that is in several
    places. ``weights`` are parameters, ``tensors`` leaves, ``results`` names that a failed step may have left without a value; all of
    them by name. ``handles`` are there for sure. ``item`` is where the root's result has a tensor. ``hooks`` are the registrations so
    far, ``full`` at which places there are full backward hooks and at which legacy ones (G-5), ``swapped`` whether a tensor may have become
    a parameter, which is then copied as a tensor is: with its gradient; ``grown`` that the tree is complete; ``interrupts`` that something
    raises an Interrupt, ``recalls`` that a hook which is always called calls modules.
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

    # Choices. Each shrinks towards the plainest.

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
        """The class of what something raises, an Interrupt in so many cases of a hundred.

        From the ``recovery`` of a call, an Interrupt would replace what failed there, a TypeError of C#'s (BR-3) too, and no trace would
        show that: neither a hook that is always called raises one, nor what it calls.
        """
        if recovery or self.recalls or not self.chance(percent):
            return "Error"
        self.interrupts = True
        return "Interrupt"

    def recall(self) -> bool:
        """Whether a hook that is always called may call modules; if so, nothing raises an Interrupt from now on."""
        self.recalls |= not self.interrupts
        return not self.interrupts

    def name(self, letter: str) -> str:
        """A name that nothing has yet."""
        self.numbers[letter] = self.numbers.get(letter, 0) + 1
        return f"{letter}{self.numbers[letter]}"

    def result(self, name: str) -> None:
        """What a call saved under a name is known, unless it is none of what can be computed with."""
        if all(node.get("form") not in ("none", "plain") for node in self.nodes.values()):
            self.results.append(name)

    # Modules.

    @property
    def paths(self) -> list[str]:
        """The modules that can be called, the root first."""
        return list(self.nodes) or [""]

    @property
    def roots(self) -> list[str]:
        return [path for path in self.paths if path == "" or (path.startswith("@") and "." not in path)]

    def of(self, kind: str) -> list[str]:
        """The paths of the modules of a kind."""
        return [path for path, node in self.nodes.items() if node["kind"] == kind]

    def arity(self, path: str) -> int:
        """How many arguments a module takes: those that its first child takes that gets them."""
        node = self.nodes.get(path, {})
        if node.get("kind") == "inputs":
            return 2
        children = node.get("children", ())
        if node.get("kind") in ("sequence", "parallel", "raise") and children:
            return self.arity(f"{path}.{children[0]['name']}" if path else children[0]["name"])
        return 1

    @property
    def by_call(self) -> bool:
        """Whether no module runs its children by ``forward``: then a forward that is assigned in Python is seen by C# too (BR-14).

        While the tree grows this is unknown.
        """
        return self.grown and all(node.get("by") != "forward" for node in self.nodes.values())

    @property
    def even(self) -> bool:
        """Whether every module takes one argument."""
        return all(self.arity(path) == 1 for path in self.nodes)

    @property
    def alone(self) -> bool:
        """Whether there is one module only, and it computes."""
        return len(self.nodes) == 1 and self.nodes[""]["kind"] in ("leaf", "give")

    def copied(self, source: str, root: str) -> None:
        """What is below ``source`` is there under another root too."""
        below = f"{source}." if source else ""

        def place(name: str) -> str | None:
            if name == source:
                return root
            if name.startswith(below) and (source or not name.startswith("@")):
                return f"{root}.{name.removeprefix(below)}"
            return None

        self.nodes |= {copy: node for path, node in self.nodes.items() if (copy := place(path))}
        self.weights += [copy for name in self.weights if (copy := place(name))]

    def dropped(self, root: str) -> None:
        """A root is forgotten, and what is named by it."""
        below = f"{root}."
        self.nodes = {path: node for path, node in self.nodes.items() if path != root and not path.startswith(below)}
        self.weights = [name for name in self.weights if not name.startswith(below)]

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Names that are made within are not known afterwards: those of a thread."""
        outer = (list(self.tensors), list(self.results))
        try:
            yield
        finally:
            self.tensors, self.results = outer
