"""Pickles of models. A pickle has the arguments of :func:`bridge.load`, and the Python state of each module.

Unpickling constructs the model again from the same assembly, whose digest is compared. Then each mirror (the Python module of a C# module)
gets the state of its original: parameters, buffers, hooks, training flag, replaced children, other attributes, and the C# fields and
properties that Python can set. The pickle of a submodule contains the whole model, as long as Python keeps the model's root. A *link* is
Python's data about one C# module.

The mirror of a built-in such as Linear has PyTorch's class, and is pickled as an ordinary PyTorch module. When the model is unpickled, the
unpickled PyTorch module becomes the mirror, since other objects in the pickle may refer to this module.
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
from typing import Any, NoReturn

import torch
from torch.utils.hooks import RemovableHandle

from bridge.mirror.crossing.constructor_arguments import OBJECT
from bridge.mirror.hooks.csharp_hooks import CSharpHook, TypedHook, handle_of
from bridge.mirror.link import Link, link_of, linked, links
from bridge.mirror.synchronization import dirty_tracking
from bridge.mirror.synchronization.dirty_tracking import HOOK_DICTS, MODULE_DICTS, TrackedDict
from bridge.mirror.synchronization.update import synchronize
from bridge.mirror.tree.class_members import Member
from hook_contract.output.sentences import plural


@dataclass(frozen=True, slots=True)
class Recipe:
    """The data by which a model is loaded again.

    Attributes:
        assembly: The path of the assembly.
        digest: The SHA-256 of the assembly, in hexadecimal digits.
        type_name: The name of the type or static method, as for :func:`bridge.load`.
        arguments: The arguments of the constructor or method, as JSON.
        forward_fires, register_components: The arguments of :func:`bridge.load`.
    """

    assembly: str
    digest: str
    type_name: str
    arguments: str
    forward_fires: bool
    register_components: bool = True


@dataclass(frozen=True, slots=True)
class _Origin:
    """The data by which a module of a model can be loaded again.

    Attributes:
        recipe: The recipe of the module's model.
        load: A function that loads the model of a recipe again, and returns the module of a given index in the model.
        root: A weak reference to the :class:`Link` of the root: of the model, of a copy, or of a part that was unpickled alone.
        place: The index of the module in the whole model that ``load`` loads, of which ``root`` may be only a part.
        hooks: The numbers of the C# hooks that were on the module when the model had been loaded, in ascending order.
    """

    recipe: Recipe
    load: Callable[[Recipe, int], torch.nn.Module]
    root: weakref.ref[Link]
    place: int
    hooks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _TreeReference:
    """A reference to the module of index ``place`` in the pickled model."""

    place: int


@dataclass(frozen=True, slots=True)
class _ConstructorHook:
    """A reference to a C# hook by its index in ``_Origin.hooks``."""

    index: int

    def __call__(self, *_: Any) -> NoReturn:
        raise RuntimeError("this C# hook belongs to a model that was not in the pickle: remove it, or pickle the model")


# The state of a module in a pickle. For a Mirror, two dictionaries: its attributes and its C# members. For a built-in, the PyTorch module
# itself. For a module whose mirror Python has replaced and freed, None.
_State = tuple[dict[str, Any], dict[str, Any]] | torch.nn.Module | None

_origins: weakref.WeakKeyDictionary[Link, _Origin] = weakref.WeakKeyDictionary()


def digest(assembly: str) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(Path(assembly).read_bytes()).hexdigest()


def remember(root: torch.nn.Module, recipe: Recipe, load: Callable[[Recipe, int], torch.nn.Module]) -> None:
    """Store the origin of each module of a new model. A module that also belongs to an earlier model keeps its origin."""
    tree = links(root)
    for place, link in enumerate(tree):
        if link not in _origins:
            mirror = link.mirror()
            numbers = [] if mirror is None else [hook.number for hook in _csharp_hooks(mirror)]
            _origins[link] = _Origin(recipe, load, weakref.ref(tree[0]), place, tuple(sorted(numbers)))


def inherit_origins(copies: list[tuple[Link, Link]]) -> None:
    """Give copies the origins of their originals, so that the copies can be pickled.

    Each pair in ``copies`` has the link of an original module and the link of its copy. The first pair belongs to the root.
    """
    for old, new in copies:
        origin = _origins.get(old)
        if origin is not None and new is not old:
            _origins[new] = replace(origin, root=weakref.ref(copies[0][1]))


def reduce(mirror: torch.nn.Module) -> tuple[Any, ...]:
    """Return the result of a mirror's ``__reduce_ex__``. Raises TypeError or RuntimeError for a module that cannot be pickled."""
    link = linked(mirror)
    origin = _origins.get(link)
    if origin is None:
        raise TypeError(
            f"C# added '{link.path}' ({type(mirror).__name__}) after the model was loaded, and its constructor's arguments are not "
            "known, so it cannot be pickled: save its state_dict"
        )
    root_link = origin.root()
    root = root_link.mirror() if root_link is not None else None
    if f'"{OBJECT}":' in origin.recipe.arguments:
        raise TypeError(
            "a model that was loaded with a tensor, a function or a .NET object as a constructor's argument cannot be pickled: save its "
            "state_dict, or load it with dicts in place of .NET objects"
        )
    if root is not None and root is not mirror and (tree := links(root)).count(link):
        return _read_part, (root, tree.index(link))
    return origin.load, (origin.recipe, origin.place), _states(mirror), None, None, _restore


def _csharp_hooks(mirror: torch.nn.Module) -> list[CSharpHook]:
    return [hook for name in HOOK_DICTS for hook in getattr(mirror, name).values() if isinstance(hook, CSharpHook)]


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
    state["_modules"] = {name: _reference(child, places) for name, child in state["_modules"].items()}
    for name in HOOK_DICTS:
        state[name] = OrderedDict((key, _replace_hook(hook, numbers)) for key, hook in state[name].items())
    return state


def _reference(child: torch.nn.Module | None, places: dict[int, int]) -> torch.nn.Module | _TreeReference | None:
    link = link_of(child) if child is not None else None
    if link is None or link.id not in places:
        return child
    return _TreeReference(places[link.id])


def _reduce_hook(hook: CSharpHook) -> tuple[Any, ...]:
    """Reduce a C# hook on a built-in. Pickle calls this, since it pickles the hooks of a built-in as those of any PyTorch module."""
    numbers = next((origin.hooks for origin in _origins.values() if hook.number in origin.hooks), ())
    return _ConstructorHook, (_constructor_index(hook, numbers),)


for _hook in (CSharpHook, TypedHook):
    copyreg.pickle(_hook, _reduce_hook)


def _replace_hook(hook: Any, numbers: tuple[int, ...]) -> Any:
    return _ConstructorHook(_constructor_index(hook, numbers)) if isinstance(hook, CSharpHook) else hook


def _constructor_index(hook: CSharpHook, numbers: tuple[int, ...]) -> int:
    if hook.number not in numbers:
        raise TypeError("a C# hook that the constructor did not register cannot be pickled; remove it first")
    return numbers.index(hook.number)


def _members(mirror: torch.nn.Module) -> dict[str, Any]:
    members = {name: member for kind in type(mirror).__mro__ for name, member in vars(kind).items()}
    return {
        name: getattr(mirror, name)
        for name, member in members.items()
        if isinstance(member, Member) and member.writable
    }


def check_assembly(recipe: Recipe) -> None:
    """Raise FileNotFoundError if the assembly does not exist, UnpicklingError if its contents have changed."""
    file = Path(recipe.assembly)
    if not file.is_file():
        raise FileNotFoundError(
            f"the pickle needs the assembly {file} ({recipe.type_name}), which does not exist: restore it, "
            "or load the model from another path and its weights from a state_dict"
        )
    found = digest(recipe.assembly)
    if found != recipe.digest:
        raise pickle.UnpicklingError(
            f"{file} ({recipe.type_name}) is not the assembly that the model was pickled with: its SHA-256 is {found[:16]}…, "
            f"not {recipe.digest[:16]}…; restore the former file, or load the model and its weights from a state_dict"
        )


def extract_part(model: torch.nn.Module, place: int) -> torch.nn.Module:
    """Return the module of index ``place`` in a new model. From then on, pickles treat this module as the root of a model."""
    if not place:
        return model
    link = links(model)[place]
    mirror = link.mirror()
    assert mirror is not None  # the model is new
    for other in (link, *link.descendants):
        _origins[other] = replace(_origins[other], root=weakref.ref(link))
    return mirror


def _read_part(root: torch.nn.Module, place: int) -> torch.nn.Module:
    """Return the module of index ``place`` in an unpickled model. Pickles refer to this function by its name."""
    mirror = links(root)[place].mirror()
    if mirror is None:
        raise pickle.UnpicklingError(
            "a module that Python had replaced in the pickled model cannot be unpickled: save its state_dict instead"
        )
    return mirror


def _restore(root: torch.nn.Module, states: list[_State]) -> None:
    """Give each mirror of a new model the state of its original."""
    tree = links(root)
    if len(tree) != len(states):
        raise pickle.UnpicklingError(
            f"the model that was loaded again has {plural(len(tree), 'module')}, but the pickled model had {len(states)}: "
            "load the model and its weights from a state_dict"
        )
    # Keeps the new mirrors alive until the unpickled modules have replaced them.
    created = [link.mirror() for link in tree]
    mirrors = [
        item if isinstance(item, torch.nn.Module) else mirror for mirror, item in zip(created, states, strict=True)
    ]
    for old, mirror, link, item in zip(created, mirrors, tree, states, strict=True):
        if old is None or mirror is None or item is None:
            continue
        state, members = item if isinstance(item, tuple) else (vars(item), {})
        state["_modules"] = {
            name: mirrors[child.place] if isinstance(child, _TreeReference) else child
            for name, child in state["_modules"].items()
        }
        hooks = {hook.number: hook for hook in _csharp_hooks(old)}
        restorers = [_restore_hooks(state, name, hooks, _origins[link].hooks) for name in HOOK_DICTS]
        if mirror is old:
            vars(mirror).clear()
            vars(mirror).update(state | {name: TrackedDict(state[name], link) for name in MODULE_DICTS})
        else:
            link.attach(mirror)
        synchronize(link)
        for restore_handles in restorers:
            restore_handles()
        mirror.training = state["training"]
        for name, value in members.items():
            if getattr(mirror, name) != value:
                setattr(mirror, name, value)
    dirty_tracking.advance()


def _restore_hooks(
    state: dict[str, Any], name: str, hooks: dict[int, CSharpHook], numbers: tuple[int, ...]
) -> Callable[[], None]:
    """Replace the references to C# hooks in a hook dictionary by the new model's hooks.

    Returns a function that updates the handles of these hooks, to be called when the mirror has its final dictionaries.
    """
    entries: OrderedDict[int, Any] = state[name]
    restored: dict[int, CSharpHook] = {}
    for key, hook in entries.items():
        if isinstance(hook, _ConstructorHook):
            restored[key] = entries[key] = hooks[numbers[hook.index]]
    # As in PyTorch, the id of a later handle must not be a key of a hook dictionary.
    ids = (key for entries in state.values() if isinstance(entries, OrderedDict) for key in entries)
    RemovableHandle.next_id = max(RemovableHandle.next_id, *(key + 1 for key in ids if isinstance(key, int)), 0)
    others = [state[other] for other in state if other.startswith(f"{name}_")]

    def restore_handles() -> None:
        for key, hook in restored.items():
            handle = handle_of(hook)
            handle.id, handle.hooks_dict_ref = key, weakref.ref(entries)
            handle.extra_dict_ref = tuple(weakref.ref(other) for other in others)

    return restore_handles
