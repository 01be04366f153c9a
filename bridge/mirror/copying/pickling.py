"""A model in a pickle: what it was loaded from, and what Python has of it.

Reading makes the model anew, by its constructor, from the same assembly, whose digest is compared; then every mirror gets what its
original had: parameters, buffers, hooks, training flag, replaced children, further attributes, and the C# fields and properties that
Python can write. A part of a model is pickled with the model that it belongs to; a built-in is one of PyTorch's objects and pickled as
such, and of a model that is read it becomes the mirror, so that whoever refers to it in the pickle refers to the model's.
"""

from __future__ import annotations

import copyreg
import hashlib
import pickle
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NoReturn

import torch
from torch.utils.hooks import RemovableHandle

from bridge.mirror import dirty_tracking
from bridge.mirror.dirty_tracking import TRACKED, Tracked
from bridge.mirror.hooks.csharp_hooks import CSharpHook, TypedHook, entry
from bridge.mirror.link import Link, link_of, linked, links
from bridge.mirror.tree.class_members import Member

_HOOKS: Final = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What :func:`bridge.load` made a model of; ``digest`` is the assembly's SHA-256, ``arguments`` the constructor's as .NET gets them."""

    assembly: str
    digest: str
    type_name: str
    arguments: str
    forward_fires: bool


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a module comes from: ``root`` is that of its tree, ``place`` its number in the tree that the recipe gives, ``hooks`` the
    numbers of the C# hooks that its constructor left, ``remade`` the function that makes the module of such a place anew."""

    recipe: Recipe
    remade: Callable[[Recipe, int], torch.nn.Module]
    root: weakref.ref[Link]
    place: int
    hooks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Linked:
    """Stands for the module of that place in the tree."""

    place: int


@dataclass(frozen=True, slots=True)
class _FromConstructor:
    """Stands for the hook of that number among those which the constructor left."""

    number: int

    def __call__(self, *_: Any) -> NoReturn:
        raise RuntimeError("this C# hook belongs to a model that was not in the pickle: remove it, or pickle the model")


# Of a module of the tree its attributes and what it has in C#; of a built-in the object; None of one that is gone, since it was replaced.
_State = tuple[dict[str, Any], dict[str, Any]] | torch.nn.Module | None

_origins: weakref.WeakKeyDictionary[Link, _Origin] = weakref.WeakKeyDictionary()


def digest(assembly: str) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(Path(assembly).read_bytes()).hexdigest()


def remember(root: torch.nn.Module, recipe: Recipe, remade: Callable[[Recipe, int], torch.nn.Module]) -> None:
    """Notes what a model was made of, and the function that makes such a one, or a part of it, anew.

    A module that another model has too stays that one's.
    """
    tree = links(root)
    for place, link in enumerate(tree):
        if link not in _origins:
            mirror = link.mirror()
            found = [] if mirror is None else [hook.number for hook in _csharp_hooks(mirror)]
            _origins[link] = _Origin(recipe, remade, weakref.ref(tree[0]), place, tuple(sorted(found)))


def inherit(copies: list[tuple[Link, Link]]) -> None:
    """Links of originals, each with that of its copy, the root's first: a copy can be pickled as its original can."""
    for old, new in copies:
        origin = _origins.get(old)
        if origin is not None and new is not old:
            _origins[new] = replace(origin, root=weakref.ref(copies[0][1]))


def reduced(mirror: torch.nn.Module) -> tuple[Any, ...]:
    """What ``__reduce_ex__`` gives for a mirror. Raises TypeError for what cannot be carried."""
    link = linked(mirror)
    origin = _origins.get(link)
    if origin is None:
        raise TypeError(
            f"C# added '{link.path}' ({type(mirror).__name__}) after the model was loaded, and what its constructor was given is not "
            "known, so it cannot be pickled: save its state_dict"
        )
    root_link = origin.root()
    root = root_link.mirror() if root_link is not None else None
    if root is not None and root is not mirror and (tree := links(root)).count(link):
        return _part, (root, tree.index(link))
    return origin.remade, (origin.recipe, origin.place), _states(mirror), None, None, _restore


def _csharp_hooks(mirror: torch.nn.Module) -> list[CSharpHook]:
    return [hook for name in _HOOKS for hook in getattr(mirror, name).values() if isinstance(hook, CSharpHook)]


def _states(root: torch.nn.Module) -> list[_State]:
    tree = links(root)
    places = {link.id: place for place, link in enumerate(tree)}
    mirrors = [link.mirror() for link in tree]
    return [
        mirror if mirror is None or link.attributes is not None else (_state(mirror, link, places), _members(mirror))
        for link, mirror in zip(tree, mirrors, strict=True)
    ]


def _state(mirror: torch.nn.Module, link: Link, places: dict[int, int]) -> dict[str, Any]:
    if torch.nn.utils.parametrize.is_parametrized(mirror):
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(), as in PyTorch"
        )
    origin = _origins.get(link)
    numbers = origin.hooks if origin is not None else ()
    state = dict(vars(mirror))
    for name in ("_parameters", "_buffers"):
        state[name] = dict(state[name])
    state["_modules"] = {name: _named(child, places) for name, child in state["_modules"].items()}
    for name in _HOOKS:
        state[name] = OrderedDict((key, _marked(hook, numbers)) for key, hook in state[name].items())
    return state


def _named(child: torch.nn.Module | None, places: dict[int, int]) -> torch.nn.Module | _Linked | None:
    link = link_of(child) if child is not None else None
    if link is None or link.id not in places:
        return child
    return _Linked(places[link.id])


def _reduced_hook(hook: CSharpHook) -> tuple[Any, ...]:
    """A C# hook of a built-in, whose hooks are pickled as any PyTorch module's."""
    numbers = next((origin.hooks for origin in _origins.values() if hook.number in origin.hooks), ())
    return _FromConstructor, (_place(hook, numbers),)


for _hook in (CSharpHook, TypedHook):
    copyreg.pickle(_hook, _reduced_hook)


def _marked(hook: Any, numbers: tuple[int, ...]) -> Any:
    return _FromConstructor(_place(hook, numbers)) if isinstance(hook, CSharpHook) else hook


def _place(hook: CSharpHook, numbers: tuple[int, ...]) -> int:
    if hook.number not in numbers:
        raise TypeError("a C# hook that the constructor did not register cannot be pickled; remove it first")
    return numbers.index(hook.number)


def _members(mirror: torch.nn.Module) -> dict[str, Any]:
    members = {name: found for kind in type(mirror).__mro__ for name, found in vars(kind).items()}
    return {
        name: getattr(mirror, name) for name, found in members.items() if isinstance(found, Member) and found.writable
    }


def check(recipe: Recipe) -> None:
    """Raises FileNotFoundError when the assembly is not there, and UnpicklingError when it is another one."""
    file = Path(recipe.assembly)
    if not file.is_file():
        raise FileNotFoundError(
            f"the pickle needs the assembly {file} ({recipe.type_name}), which is not there: put it there, "
            "or load the model from where it is now and its weights from a state_dict"
        )
    found = digest(recipe.assembly)
    if found != recipe.digest:
        raise pickle.UnpicklingError(
            f"{file} ({recipe.type_name}) is not the assembly that the model was pickled with: its SHA-256 is {found[:16]}…, "
            f"not {recipe.digest[:16]}…; restore that one, or load the model and its weights from a state_dict"
        )


def part(model: torch.nn.Module, place: int) -> torch.nn.Module:
    """The module of that place in a model that was made for it alone: the rest is not kept."""
    if not place:
        return model
    link = links(model)[place]
    found = link.mirror()
    assert found is not None
    for below in (link, *link.below):
        origin = _origins[below]
        _origins[below] = replace(origin, root=weakref.ref(link))
    return found


def _part(root: torch.nn.Module, place: int) -> torch.nn.Module:
    """The module of that place in a model that is read from the same pickle."""
    mirror = links(root)[place].mirror()
    if mirror is None:
        raise pickle.UnpicklingError("a module that was replaced in its model cannot be read after the model")
    return mirror


def _restore(root: torch.nn.Module, states: list[_State]) -> None:
    """Gives each mirror of a new model what its original had."""
    tree = links(root)
    if len(tree) != len(states):
        raise pickle.UnpicklingError(
            f"the constructor made {len(tree)} modules, and {len(states)} when the model was pickled"
        )
    # The new ones live until what was read is in their place.
    made = [link.mirror() for link in tree]
    mirrors = [item if isinstance(item, torch.nn.Module) else mirror for mirror, item in zip(made, states, strict=True)]
    for old, mirror, link, item in zip(made, mirrors, tree, states, strict=True):
        if old is None or mirror is None or item is None:
            continue
        state, members = item if isinstance(item, tuple) else (vars(item), {})
        state["_modules"] = {
            name: mirrors[child.place] if isinstance(child, _Linked) else child
            for name, child in state["_modules"].items()
        }
        hooks = {hook.number: hook for hook in _csharp_hooks(old)}
        handles = [_hooked(state, name, hooks, _origins[link].hooks) for name in _HOOKS]
        if mirror is old:
            vars(mirror).clear()
            vars(mirror).update(state | {name: Tracked(state[name], link) for name in TRACKED})
        else:
            link.belong(mirror)
        link.synchronize()
        for place in handles:
            place()
        mirror.training = state["training"]
        for name, value in members.items():
            if getattr(mirror, name) != value:
                setattr(mirror, name, value)
    dirty_tracking.advance()


def _hooked(
    state: dict[str, Any], name: str, hooks: dict[int, CSharpHook], numbers: tuple[int, ...]
) -> Callable[[], None]:
    """Puts C#'s hooks in the place of what stands for them; what is given puts their handles right."""
    entries: OrderedDict[int, Any] = state[name]
    found: dict[int, CSharpHook] = {}
    for key, hook in entries.items():
        if isinstance(hook, _FromConstructor):
            found[key] = entries[key] = hooks[numbers[hook.number]]
    # PyTorch keeps the ids too.
    ids = (key for entries in state.values() if isinstance(entries, OrderedDict) for key in entries)
    RemovableHandle.next_id = max(RemovableHandle.next_id, *(key + 1 for key in ids if isinstance(key, int)), 0)
    others = [state[other] for other in state if other.startswith(f"{name}_")]

    def place() -> None:
        for key, hook in found.items():
            handle = entry(hook)
            handle.id, handle.hooks_dict_ref = key, weakref.ref(entries)
            handle.extra_dict_ref = tuple(weakref.ref(other) for other in others)

    return place
