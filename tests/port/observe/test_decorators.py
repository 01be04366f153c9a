"""decorators.py: the decorators of functions: statements, harmless ones, and those that are named."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, SimpleNamespace

import pytest
import torch
from torch import nn

from bridge.port.observe.decorators import apply_decorators, find_wrappers
from bridge.port.observe.sources import name_decorators, read_method, unwrap
from bridge.port.porting import Port
from tests.port.observe import decorated

X = torch.rand(2, 3)
DECORATOR = """
import functools

def can_return_tuple(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args).to_tuple()
    return wrapper
"""


def test_a_decorator_that_wraps_a_function_is_named() -> None:
    """Issue 43, section 2: a decorator is translated or refused by name, never unwrapped."""
    assert name_decorators(decorated.loss) == ("weighted",)
    method = read_method(decorated.loss)
    assert method is not None
    assert method.decorators == ("weighted",)


@pytest.mark.parametrize(
    "function",
    [decorated.kept, decorated.passed, decorated.Plain.other, decorated.Plain.helper, decorated.Plain.forward],
)
def test_a_harmless_decorator_is_none(function: Callable[..., object]) -> None:
    assert name_decorators(function) == ()


FALLBACK = """
import functools

def use_kernel_func_from_hub_with_fallback(name):
    def decorator(function):
        is_new_implementation = name == "faster"

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            if is_new_implementation or kwargs.get("seq_idx") is not None:
                raise ValueError(name)
            return function(*args, **kwargs)

        return wrapped

    return decorator
"""


def plain(x: torch.Tensor) -> torch.Tensor:
    return x


def packed(x: torch.Tensor, seq_idx: torch.Tensor | None = None) -> torch.Tensor:
    return x


@pytest.mark.parametrize(
    ("function", "name", "refused"), [(plain, "slow", 0), (plain, "faster", 1), (packed, "slow", 1)]
)
def test_a_function_that_runs_since_a_faster_one_is_not_installed(
    function: Callable[..., object], name: str, refused: int
) -> None:
    space: dict[str, object] = {"__name__": "transformers.integrations"}
    exec(FALLBACK, space)
    decorator = space["use_kernel_func_from_hub_with_fallback"]
    assert callable(decorator)
    assert len(name_decorators(decorator(name)(function))) == refused


def test_a_context_of_gradients_is_a_statement(ported: Callable[..., Port]) -> None:
    method = read_method(decorated.Plain.helper)
    assert method is not None
    _, context = method.tree.body
    assert ast.unparse(context) == "with torch.inference_mode():\n    return torch.sin(x)"
    text = ported(decorated.Plain, X).files["Plain.cs"]
    assert "using (torch.no_grad())" in text
    assert "using (torch.inference_mode())" in text


def test_what_a_decorator_changes_is_not_translated_without_it(ported: Callable[..., Port]) -> None:
    text = ported(decorated.Weighted, X).files["Weighted.cs"]
    assert "the decorator @weighted changes what the function does" in text
    assert "* 2.0" in text, "the graph of the run has it"


@pytest.mark.parametrize(("settings", "names"), [({}, []), ({"return_dict": False}, ["can_return_tuple"])])
def test_a_decorator_of_transformers_is_judged_by_the_configuration(
    settings: dict[str, bool], names: list[str]
) -> None:
    """The package is not needed: its wrappers are known by their module and names."""
    space: dict[str, object] = {"__name__": "transformers.utils.generic"}
    exec(DECORATOR, space)
    decorate = space["can_return_tuple"]
    assert isinstance(decorate, FunctionType)
    function = decorate(unwrap(decorated.loss))
    module = nn.ReLU()
    module.config = SimpleNamespace(**settings)  # type: ignore[assignment]  # an attribute of the class
    tree = ast.parse("@can_return_tuple\ndef loss(x):\n    return x").body[0]
    assert isinstance(tree, ast.FunctionDef)
    assert len(find_wrappers(function)) == 1
    assert apply_decorators(tree, function, [module]) == names
