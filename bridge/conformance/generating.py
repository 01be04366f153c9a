"""Random hook programs, as Hypothesis strategies over the whole format.

A program is valid by construction: it names only what is there by then. What may fail stands in a ``try`` step, so that a program goes
on behind an exception. Numbers stay small, so that float64 is exact and every runtime computes the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from hypothesis import strategies as st

from bridge.program import Json, Program

T = TypeVar("T")
#: Draws one of a strategy's values.
Draw = Callable[[st.SearchStrategy[T]], T]

_SMALL: Final = st.integers(-2, 3)
_FACTOR: Final = st.sampled_from([1, 2, -1, 3])
#: Modules below the root; each takes and gives a number.
_LEAVES: Final = ("leaf", "leaf", "leaf", "identity", "raise", "register", "recurse", "detach", "opaque")
_COMPOSITES: Final = ("sequence", "sequence", "parallel", "swallow", "sequential")
_FORMS: Final = ("tuple", "list", "dict", "nested", "none", "unused", "plain")
#: Where a result of that form has a tensor.
_ITEMS: Final = {"tuple": ".0", "list": ".1", "dict": ".a", "nested": ".1", "unused": ".0"}
_MODULE_HOOKS: Final = ("pre", "forward", "backward_pre", "backward", "legacy")


@dataclass
class Draft:
    """A program in the making.

    ``plain`` programs use forward hooks and numbers alone, so that every runtime can run them. ``paths`` are the modules that can be
    called, ``two`` those of them that take two arguments, ``tensors`` the names of tensors that may have hooks, ``handles`` those that
    are there for sure, ``item`` where the root's result has a tensor; ``alone`` is the root of a tree of one module that computes.
    """

    draw: Callable[[st.SearchStrategy[Any]], Any]
    plain: bool
    paths: list[str] = field(default_factory=list)
    weights: list[str] = field(default_factory=list)
    tensors: list[str] = field(default_factory=list)
    handles: list[str] = field(default_factory=list)
    roots: list[str] = field(default_factory=lambda: [""])
    two: list[str] = field(default_factory=list)
    item: str = ""
    registers: bool = False
    alone: bool = False
    hooks: int = 0
    saved: int = 0
    nested: int = 0
    legacy: dict[str, bool] = field(default_factory=dict)

    def choose(self, items: Any) -> Any:
        return self.draw(st.sampled_from(list(items)))

    def chance(self, percent: int) -> bool:
        return bool(self.draw(st.integers(0, 99)) >= 100 - percent)

    # The tree.

    def tree(self) -> dict[str, Json]:
        kind = self.choose(
            ["leaf", "sequence", "sequence", "parallel", "sequential", "recurse", "swallow", "inputs", "give", "chain"]
        )
        if kind == "inputs":
            self.two = [""]
            root: dict[str, Json] = {"kind": "inputs", **self._parameters(("one", "two", "four"), "")}
        elif kind == "give":
            root = {"kind": "give", "form": self._form(), **self._parameters(("weight", "bias"), "")}
        elif kind == "chain":
            # Several arguments at the front, something else than a number at the end.
            self.two = ["", "a"]
            first = {"kind": "inputs", "name": "a", **self._parameters(("one", "two", "four"), "a")}
            last = {"kind": "give", "name": "c", "form": self._form(), **self._parameters(("weight", "bias"), "c")}
            root = {"kind": "sequence", "children": [first, self._node("b", "b", 1), last]}
            self.paths += ["a", "c"]
        else:
            root = self._node("", "", 0, kind)
        self.paths.insert(0, "")
        self.alone = kind in ("leaf", "give")
        return root

    def _form(self) -> str:
        form = str(self.choose(_FORMS[:4] if self.plain else _FORMS))
        self.item = _ITEMS.get(form, "")
        return form

    def _node(self, name: str, path: str, depth: int, kind: str | None = None) -> dict[str, Json]:
        if kind is None:
            kind = self.choose(_LEAVES if depth >= 3 or self.chance(60) else _COMPOSITES)
        node: dict[str, Json] = {"kind": kind}
        if name:
            node["name"] = name
            self.paths.append(path)
        if kind in _COMPOSITES:
            node["children"] = self._children(kind, path, depth)
            if kind in ("sequence", "parallel", "swallow") and self.chance(15):
                node["by"] = "forward"
        elif kind in ("leaf", "detach", "recurse", "register"):
            node |= {"k": self.draw(_FACTOR), "c": self.draw(_SMALL), **self._parameters(("weight", "bias"), path)}
            if kind == "recurse":
                node["depth"] = self.draw(st.integers(0, 2))
            if kind == "register":
                self.registers = True
                node["register"] = self.registration(late=True)
        elif kind == "opaque":
            node["children"] = [self._node("inner", f"{path}.inner" if path else "inner", depth + 1, "leaf")]
        elif kind == "raise":
            node["error"] = "Interrupt" if self.chance(25) else "Error"
        return node

    def _children(self, kind: str, path: str, depth: int) -> list[dict[str, Json]]:
        count = 1 if kind == "swallow" else self.draw(st.integers(1, 3))
        children: list[dict[str, Json]] = []
        for name in "abc"[:count]:
            below = f"{path}.{name}" if path else name
            if children and self.chance(15):
                first = f"{path}.a" if path else "a"
                children.append({"name": name, "same": first})
            else:
                children.append(self._node(name, below, depth + 1))
        return children

    def _parameters(self, names: tuple[str, ...], path: str) -> dict[str, Json]:
        if self.plain or self.chance(25):
            return {}
        self.weights += [f"{path}.{name}" if path else name for name in names]
        return {"parameters": True}

    # Hooks.

    def registration(self, late: bool = False) -> dict[str, Json]:
        """A registration; ``late`` ones come from an action or a ``forward``, so whether and when they come is not known."""
        self.hooks += 1
        name = f"h{self.hooks}"
        kinds = ("pre", "forward") if self.plain else (*_MODULE_HOOKS, "backward", "tensor", "accumulated")
        kind = self.choose(kinds)
        if kind in ("tensor", "accumulated") and not (self.weights or self.tensors):
            kind = "forward"
        made: dict[str, Json] = {"hook": name, "kind": kind}
        certain = not late
        if kind in ("tensor", "accumulated"):
            made["on"] = self.choose([*self.weights, *self.tensors])
        else:
            place = "*" if self.chance(25) else self.choose(self.paths or [""])
            certain = self._place(made, kind, place) and certain
            self._options(made, kind, place == "*")
        made["actions"] = self._actions(kind, made, late)
        if not made["actions"]:
            del made["actions"]
        if certain:
            self.handles.append(name)
        return made

    def _place(self, made: dict[str, Json], kind: str, place: str) -> bool:
        """Where it is registered, and whether that cannot fail: G-5 forbids full and legacy hooks at one place."""
        if place == "*":
            made["global"] = True
        elif place:
            made["on"] = place
        if kind not in ("backward", "legacy"):
            return True
        return self.legacy.setdefault(place, kind == "legacy") == (kind == "legacy")

    def _options(self, made: dict[str, Json], kind: str, everywhere: bool) -> None:
        if not everywhere and kind not in ("legacy", "tensor", "accumulated") and self.chance(30):
            made["prepend"] = True
        if kind == "forward" and self.chance(35):
            made["always_call"] = True
        if not self.plain and kind in ("pre", "forward") and not (everywhere and kind == "pre") and self.chance(20):
            made["with_kwargs"] = True

    def _actions(self, kind: str, made: dict[str, Json], late: bool) -> list[dict[str, Json]]:
        actions = []
        for _ in range(self.draw(st.sampled_from([0, 0, 1, 1, 1, 2]))):
            choices = ["add", "add", "remove", "register", "raise"]
            if kind in ("pre", "forward"):
                choices += ["return", "call"]
            if kind == "accumulated":
                choices = ["remove", "register", "raise"]
            action = self._action(self.choose(choices), kind, made, late)
            if action is not None:
                actions.append(action)
        return actions

    def _action(self, what: str, kind: str, made: dict[str, Json], late: bool) -> dict[str, Json] | None:
        if what == "add":
            return {"add": self.draw(st.integers(1, 9))}
        if what == "remove":
            return {"remove": self.choose([*self.handles, made["hook"]])} if self.handles or not late else None
        if what == "register":
            if self.nested >= 2:
                return None
            self.nested += 1
            return {"register": self.registration(late=True)}
        if what == "raise":
            return {"raise": "Interrupt" if self.chance(20) else "Error"} if self.chance(60) else None
        if what == "call":
            path = self.choose(self.paths or [""])
            return {"call": {"module": path, "args": [self.draw(_SMALL) for _ in range(self._count(path))], "limit": 1}}
        if kind == "pre":
            return self._arguments(made)
        return {"return": self.draw(_SMALL)}

    def _arguments(self, made: dict[str, Json]) -> dict[str, Json] | None:
        """New arguments from a pre hook: in a number that every module which it is for can take, or else none at all.

        What a wrong number or a list does in the depth of a tree is the language's matter: C# says so earlier than Python.
        """
        if self.two and made.get("global"):
            return None
        number = self.draw(_SMALL)
        right: Json = {"tuple": [number] * self._count(made.get("on", ""))}
        if made.get("with_kwargs"):
            pair = [right, {"dict": {}}]
            return {
                "return": self.choose([{"tuple": pair}, {"tuple": pair}, {"list": pair}, number])
            }  # the last two break P-3
        single = [] if self.two else [number]
        listed: list[Json] = [{"list": [number]}] if self.alone else []
        return {"return": self.choose([right, right, *single, *listed, {"tuple": []}])}

    def _count(self, path: str) -> int:
        """The number of arguments that the module at a path takes."""
        return 2 if path in self.two else 1

    # Steps.

    def step(self) -> list[dict[str, Json]]:
        """One step, or a few that belong together."""
        choices = ["register"] * 4 + ["try"] * 4 + ["remove", "with", "thread", "forward"]
        if not self.plain:
            choices += ["backward"] * 6 + ["register"] * 2 + ["tensor", "no_grad", "deepcopy", "mode", "read"]
        what = self.choose(choices)
        if what == "register":
            made = self.registration()
            step = {"do": "register", **made}
            return [step] if made["hook"] in self.handles else [{"do": "try", "steps": [step]}]
        if what == "remove":
            return [{"do": "remove", "handle": self.choose(self.handles)}] if self.handles else []
        if what == "with":
            return [{"do": "with", "handle": self.choose(self.handles), "steps": [self._try()]}] if self.handles else []
        if what == "thread":
            return [{"do": "thread", "steps": [self._try() for _ in range(self.draw(st.integers(1, 2)))]}]
        if what == "tensor":
            self.saved += 1
            self.tensors.append(f"x{self.saved}")
            return [{"do": "tensor", "name": self.tensors[-1], "value": self.draw(_SMALL)}]
        if what == "deepcopy":
            if (
                len(self.roots) > 2 or self.registers
            ):  # BR-11: what a `register` node remembers is not copied everywhere
                return []
            self.roots.append(f"@copy{len(self.roots)}")
            return [{"do": "deepcopy", "as": self.roots[-1][1:]}]
        if what == "mode":
            return [{"do": self.choose(["train", "eval"])}]
        if what == "read":
            names = [*self.weights, *self.tensors]
            return [{"do": "read", "what": "grad", "name": self.choose(names)}] if names else []
        if what == "no_grad":
            return [{"do": "no_grad", "steps": [self._try()]}]
        return [self._backward() if what == "backward" else self._try("forward" if what == "forward" else "call")]

    def _call(self, do: str = "call") -> dict[str, Json]:
        call: dict[str, Json] = {"do": do}
        root = self.choose(self.roots)
        if root:
            call["module"] = root
        elif self.chance(15):
            call["module"] = self.choose(self.paths)
        path = "" if root else call.get("module", "")
        call["args"] = [
            {"name": self.choose(self.tensors)} if self.tensors and self.chance(70) else self.draw(_SMALL)
            for _ in range(self._count(path))
        ]
        return call

    def _try(self, do: str = "call") -> dict[str, Json]:
        return {"do": "try", "steps": [self._call(do)]}

    def _backward(self) -> dict[str, Json]:
        self.saved += 1
        name = f"y{self.saved}"
        call = {**self._call(), "save": name}
        targets = [*self.weights, *self.tensors]
        result = name if "." in str(call.get("module", "")) else name + self.item
        backward: dict[str, Json] = {"do": "backward", "of": result}
        if self.chance(25):
            backward["retain_graph"] = True
        if targets and self.chance(20):
            backward["inputs"] = [self.choose(targets)]
        if targets and self.chance(20):
            backward = {"do": "grad", "of": result, "inputs": [self.choose(targets)], "allow_unused": True}
        steps = [call, backward]
        if backward.get("retain_graph"):
            steps.append({"do": "backward", "of": result})
        if targets:
            steps.append({"do": "read", "what": "grad", "name": self.choose(targets)})
        return {"do": "try", "steps": steps}


@st.composite
def programs(draw: Callable[[st.SearchStrategy[Any]], Any], plain: bool | None = None) -> Program:
    """Programs. With ``plain`` True those that every runtime can run, with False those with gradients too, by default both."""
    draft = Draft(draw, draw(st.booleans()) if plain is None else plain)
    tree = draft.tree()
    steps: list[dict[str, Json]] = []
    if not draft.plain and draft.chance(70):
        draft.tensors.append("x")
        steps.append({"do": "tensor", "name": "x", "value": draw(_SMALL)})
    for _ in range(draw(st.integers(2, 9))):
        steps += draft.step()
    steps.append(draft._try() if draft.plain else draft._backward())
    return Program("random", (), "A random program.", tree, tuple(steps))
