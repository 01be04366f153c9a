"""constants.py, and parameters that are a class or None: C# has a bool for such."""

from __future__ import annotations

from typing import Any

from torch import nn

from bridge.port import passes
from bridge.port.csharp import methods
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.frontend.construction.constants import maker_of
from tests.port.frontend.lowering import lower


def normalized(a: int, norm: Any = None) -> nn.Module:
    if norm is not None:
        return nn.Sequential(nn.Linear(a, a), norm(a))
    return nn.Sequential(nn.Linear(a, a))


def activated(a: int, act: Any = nn.ReLU) -> nn.Module:
    if act is None:
        return nn.Linear(a, a)
    return nn.Sequential(nn.Linear(a, a), act())


def chosen(a: int, last: bool) -> nn.Module:
    kind = None if last else nn.ReLU
    layers: list[nn.Module] = [nn.Linear(a, a)]
    if kind:
        layers.append(kind())
    return nn.Sequential(*layers)


def test_a_class_or_none_is_a_bool() -> None:
    made = text(methods.lower(passes.run(lower(normalized, (2, nn.LayerNorm), (2, None), constructs=True)), begin()))
    assert "(long a, bool norm = false)" in made
    assert "if (norm)\n    {\n        return Sequential(Linear(a, a), LayerNorm(a));\n    }" in made


def test_a_class_that_is_the_default_is_true() -> None:
    made = text(methods.lower(passes.run(lower(activated, (2,), (2, None), constructs=True)), begin()))
    assert "(long a, bool act = true)" in made
    assert "if (!act)\n    {\n        return Linear(a, a);\n    }" in made
    assert "return Sequential(Linear(a, a), ReLU());" in made


def test_a_class_that_a_test_chooses_is_the_test() -> None:
    made = text(methods.lower(passes.run(lower(chosen, (2, True), (2, False), constructs=True)), begin()))
    assert "var kind = !last;" in made or "bool kind = !last;" in made
    assert "if (kind)\n    {\n        layers.Add(ReLU());" in made


class Made(dict[str, Any]):
    def __getitem__(self, key: str) -> Any:
        kind, given = (
            super().__getitem__(key) if isinstance(super().__getitem__(key), tuple) else (super().__getitem__(key), {})
        )
        return kind(**given)


class Other(dict[str, Any]):
    def __getitem__(self, key: str) -> Any:
        return nn.LeakyReLU(0.5)


def test_an_item_that_is_a_new_layer_each_time_has_its_class_and_arguments() -> None:
    table = Made(
        leaky=(nn.LeakyReLU, {"negative_slope": 0.3}),
        plain=nn.ReLU,
        linear=(nn.Linear, {"in_features": 1, "out_features": 1}),
    )
    leaky, plain = maker_of(table, "leaky"), maker_of(table, "plain")
    assert leaky is not None
    assert plain is not None
    assert (leaky.func, leaky.keywords) == (nn.LeakyReLU, {"negative_slope": 0.3})
    assert (plain.func, plain.keywords) == (nn.ReLU, {})
    assert maker_of(table, "linear") is None, "it draws weights"
    assert maker_of(table, "missing") is None
    assert maker_of(Other(relu=nn.ReLU), "relu") is None, "it makes another layer than the stored one"
    assert maker_of({"relu": nn.ReLU}, "relu") is None, "the item is the class itself"
