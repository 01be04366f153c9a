"""sources.py: the trees of functions, and private names."""

from __future__ import annotations

import ast
from collections.abc import Callable

import torch

from bridge.port.observe.sources import is_foreign, is_method, read_method, unwrap
from bridge.port.porting import Port
from tests.port.observe import decorated

X = torch.rand(2, 3)


def test_a_function_is_that_below_its_decorators() -> None:
    assert unwrap(decorated.loss).__code__.co_name == "loss"
    assert unwrap(decorated.Plain().helper).__code__.co_name == "helper"
    assert unwrap(3) == 3
    assert is_foreign(torch.nn.functional.relu)
    assert not is_foreign(decorated.same)


def test_private_names_are_those_of_the_class(ported: Callable[..., Port]) -> None:
    scaled = decorated.Private._Private__scaled  # type: ignore[attr-defined]  # it is mangled
    assert is_method(decorated.Private, scaled)
    assert not is_method(decorated.Plain, scaled)
    method = read_method(decorated.Private.forward)
    assert method is not None
    assert ast.unparse(method.tree.body[-1]) == "return self._Private__scaled(self._Private__linear(x))"
    port = ported(decorated.Private, X)
    assert [one.how for one in port.wrote if not one.constructs] == ["source", "source"]
    assert "_Private__linear.call(x)" in port.files["Private.cs"]


class Tabs:
    def lesser(self) -> int:
        """Return one.

        It is indented by a tab.
        """
        return 1


def test_a_text_may_be_indented_less_than_the_function() -> None:
    method = read_method(Tabs.lesser)
    assert method is not None
    assert method.tree.body[-1].lineno == 6


_TABLE = {
    "same": lambda x: x,
}


def test_without_a_source_there_is_no_method() -> None:
    assert read_method(_TABLE["same"]) is None
    assert read_method(len) is None
    assert read_method(torch.relu) is None


class Members(torch.nn.Module):
    """Has a member of each kind."""

    def plain(self) -> None:
        """Do nothing."""

    @staticmethod
    def static() -> None:
        """Do nothing."""

    @property
    def computed(self) -> int:
        """Return a number."""
        return 1


def test_a_property_is_a_method_and_a_static_method_is_a_function() -> None:
    assert is_method(Members, Members.plain)
    assert is_method(Members, Members.computed.fget)  # type: ignore[attr-defined]  # a property
    assert not is_method(Members, Members.static)
