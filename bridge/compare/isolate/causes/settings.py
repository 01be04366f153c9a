"""Settings as causes of a difference, proven by a replay: a run of PyTorch's or C#'s module alone, with the other module's settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from bridge.compare.isolate.matching import result_for
from bridge.compare.isolate.pairs import CallPair
from bridge.compare.isolate.replay import Outcome, replay
from bridge.compare.isolate.state_guard import is_builtin
from bridge.compare.isolate.value_comparison import compare_values
from bridge.compare.models.settings import Setting, settings_at
from bridge.trace.diff.phrases import path_name

_ABSENT = object()


def find_setting_causes(pair: CallPair) -> tuple[Setting, ...]:
    """Return settings that are proven to cause the difference; empty if there is no proof.

    If the classes differ, only the class is tried (:func:`_depends_on_class`). Otherwise :func:`smallest_subset` chooses the settings. If
    both modules are built-in, such as Linear, the C# module is replayed with PyTorch's settings, and must do what PyTorch's module did.
    If not, the C# module cannot be replayed with other settings, since the code of a user's class may fix them. So PyTorch's module is
    replayed with C#'s settings, and must do what the C# module did.
    """
    known = settings_at(pair.models.settings, pair.call.path)
    if classes := [setting for setting in known if setting.name == "class"]:
        return tuple(classes) if _depends_on_class(pair) else ()
    candidates = [*known, *_different_parameters(pair)]
    if is_builtin(pair.call.module) and is_builtin(pair.dotnet):
        return smallest_subset(candidates, lambda subset: _makes_dotnet_equal(pair, subset))
    return smallest_subset(candidates, lambda subset: _makes_python_equal(pair, subset))


def smallest_subset(candidates: Sequence[Setting], proves: Callable[[Sequence[Setting]], bool]) -> tuple[Setting, ...]:
    """Return the first candidate that suffices alone, or else candidates that suffice together.

    In the second case, the search starts with all candidates. It drops, one by one and in order, each candidate without which the
    remaining ones still suffice. Returns an empty tuple if all candidates together do not suffice.
    """
    for candidate in candidates:
        if proves((candidate,)):
            return (candidate,)
    if len(candidates) < 2 or not proves(candidates):
        return ()
    remaining = tuple(candidates)
    for candidate in candidates:
        fewer = tuple(other for other in remaining if other is not candidate)
        if len(fewer) > 1 and proves(fewer):
            remaining = fewer
    return remaining


def _depends_on_class(pair: CallPair) -> bool:
    """Return whether C#'s class explains the difference, by a replay of PyTorch's module as an instance of C#'s class.

    If C# raised, the replay must raise; else it must not raise, and its result or buffers must differ from PyTorch's.
    """
    call, kind = pair.call, type(pair.dotnet)
    converted = object.__new__(kind)
    defaults = {
        name: value for name, value in vars(pair.dotnet).items() if not name.startswith("_") and _is_plain(value)
    }
    vars(converted).update(defaults | vars(call.module))
    try:
        outcome = _replay_python(pair, converted)
    except Exception:  # the class does not work with these attributes
        return False
    if outcome.raised is not None or pair.outcome.raised is not None:
        return outcome.raised is not None and pair.outcome.raised is not None
    return not _is_equal(pair, call.result, outcome.result) or not _are_equal(pair, call.buffers_after, outcome.buffers)


def _different_parameters(pair: CallPair) -> Iterator[Setting]:
    others = dict(pair.dotnet.named_parameters(recurse=False))
    for name, value in pair.call.module.named_parameters(recurse=False):
        if name in others and (difference := compare_values(value, others[name], pair.names)) is not None:
            where = f"{path_name(pair.call.path)} ({type(pair.call.module).__name__})"
            text = f"{where}: parameter {name} {difference.text}: both models need the same weights."
            yield Setting(pair.call.path, name, text)


def _makes_dotnet_equal(pair: CallPair, settings: Sequence[Setting]) -> bool:
    """Return whether C#'s module with PyTorch's settings does what PyTorch's module did."""
    outcome = _run_with(
        settings, pair.dotnet, pair.call.module, lambda: replay(pair.dotnet, pair.call, pair.arguments, {})
    )
    return (
        outcome is not None
        and outcome.raised is None
        and _is_equal(pair, result_for(pair.dotnet, pair.call), outcome.result)
        and _are_equal(pair, pair.call.buffers_after, outcome.buffers)
    )


def _makes_python_equal(pair: CallPair, settings: Sequence[Setting]) -> bool:
    """Return whether PyTorch's module with C#'s settings does what C#'s module did."""
    original = pair.call.module
    outcome = _run_with(settings, original, pair.dotnet, lambda: _replay_python(pair, original))
    if outcome is None:
        return False
    if outcome.raised is not None or pair.outcome.raised is not None:
        return outcome.raised is not None and pair.outcome.raised is not None
    return (
        _is_equal(pair, outcome.result, pair.outcome.result)
        and outcome.buffers.keys() == pair.outcome.buffers.keys()
        and _are_equal(pair, outcome.buffers, pair.outcome.buffers)
    )


def _run_with(
    settings: Sequence[Setting], target: torch.nn.Module, source: torch.nn.Module, run: Callable[[], Outcome]
) -> Outcome | None:
    """Call ``run`` while ``target`` has the settings of ``source``; return None if that is not possible or ``run`` raises."""
    with ExitStack() as stack:
        if not all(stack.enter_context(copied_setting(target, source, each.name)) for each in settings):
            return None
        try:
            return run()
        except Exception:  # the module does not work with these settings
            return None


def _replay_python(pair: CallPair, module: torch.nn.Module) -> Outcome:
    paths = {inner.module: (inner.path,) for inner in pair.call.descendants()}
    return replay(module, pair.call, (pair.call.args, pair.call.kwargs), paths)


def _is_equal(pair: CallPair, left: Any, right: Any) -> bool:
    return compare_values(left, right, pair.names) is None


def _are_equal(pair: CallPair, left: Mapping[str, torch.Tensor], right: Mapping[str, torch.Tensor]) -> bool:
    """Return whether all buffers of equal names are equal."""
    return all(_is_equal(pair, left[name], right[name]) for name in left if name in right)


@contextmanager
def copied_setting(target: torch.nn.Module, source: torch.nn.Module, name: str) -> Iterator[bool]:
    """Copy a setting from ``source`` to ``target`` for the block; yield False if nothing can be copied (:func:`_find_setting`).

    The private attributes that a constructor may have derived from the setting are copied with it.
    """
    found = _find_setting(target, source, name)
    if found is None:
        yield False
        return
    attributes, values = found
    before = {key: attributes.get(key, _ABSENT) for key in values}
    attributes.update(values)
    try:
        yield True
    finally:
        for key, value in before.items():
            if value is _ABSENT:
                attributes.pop(key, None)
            else:
                attributes[key] = value


def _find_setting(
    target: torch.nn.Module, source: torch.nn.Module, name: str
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return the dictionary of ``target`` that holds a setting, and the items to copy from ``source``.

    Returns None if ``target`` or ``source`` lacks the setting, unless the setting is a parameter or buffer.
    """
    state, other = vars(target), vars(source)
    if name == "training":
        return state, {"training": source.training}
    for attributes, others in ((target._parameters, source._parameters), (target._buffers, source._buffers)):
        if name in attributes or name in others:
            return attributes, {name: others.get(name)}
    if name not in state or name not in other:
        return None
    # Constructors derive private attributes from settings, such as the repeated padding of a convolution. It is not known which, so all
    # private attributes with plain values are copied.
    derived = [key for key in state.keys() & other.keys() if key.startswith("_") and _is_plain(state[key])]
    return state, {key: other[key] for key in (name, *derived)}


def _is_plain(value: Any) -> bool:
    items = value if isinstance(value, (tuple, list)) else (value,)
    return all(isinstance(item, (bool, int, float, str, type(None))) for item in items)
