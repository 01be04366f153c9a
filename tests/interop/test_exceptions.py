"""Exceptions across the boundary (field notes 6): the same object, nothing printed, no interrupt swallowed, no process ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize("kind", ["pre", "forward", "always", "global", "forward below"])
def test_a_hooks_exception_is_the_same_object(together: Callable[..., None], kind: str) -> None:
    """Raised below C# frames, from every place that Python is called in; its traceback shows the hook and the caller."""
    together("exceptions", "hooks_exception", kind)


def test_csharp_may_catch_an_exception_but_not_an_interrupt(together: Callable[..., None]) -> None:
    """A-4: `catch (Exception)` ends a ValueError; KeyboardInterrupt and SystemExit are raised all the same."""
    together("exceptions", "swallowed_but_an_interrupt")


@pytest.mark.parametrize("where", ["other", "wrapped"])
def test_another_csharp_exception_has_the_python_one_as_its_cause(together: Callable[..., None], where: str) -> None:
    """C# throws another on the way: a DotNetError with the very Python object as ``__cause__``; an interrupt passes instead."""
    together("exceptions", "cause", where)


def test_a_swallowed_exception_is_no_cause_in_the_next_call(together: Callable[..., None]) -> None:
    """What one call's C# caught is forgotten when the call ends."""
    together("exceptions", "swallowed_is_no_cause")


def test_a_csharp_exception_tells_type_message_stack_and_path(together: Callable[..., None]) -> None:
    """From the root, from a child, from an operator, from a null reference; the process goes on after each."""
    together("exceptions", "type_message_stack_and_path")


def test_null_references_with_faulthandler(alone: Callable[..., Any]) -> None:
    """8: .NET makes an exception of a SIGSEGV of its own, also where faulthandler stands (pytest enables it)."""
    assert "Fatal" not in alone("exceptions", "null_references_with_faulthandler").stderr


def test_an_exception_in_a_hook_of_a_hook(together: Callable[..., None]) -> None:
    """A hook runs another mirror whose hook raises: three crossings, one object; both work afterwards."""
    together("exceptions", "a_hook_of_a_hook")


def test_exceptions_do_not_leak(together: Callable[..., None]) -> None:
    """The references that .NET holds to exception objects are given back."""
    together("exceptions", "nothing_leaks")


def test_an_uncaught_exception_of_a_hook_in_a_thread(together: Callable[..., None]) -> None:
    """It ends its Python thread as any other, through threading.excepthook."""
    together("exceptions", "uncaught_in_a_thread")
