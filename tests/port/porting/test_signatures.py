"""Arguments of a forward and their parameters in C#: settings, keywords, too many, results with names."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from bridge.port.porting import Port
from tests.port import everyday, styles


@dataclass
class Result(OrderedDict[str, Any]):
    """As the results of transformers: a dictionary with attributes, without those that are None."""

    last: torch.Tensor
    cache: Any = None
    pooled: torch.Tensor | None = None

    def __post_init__(self) -> None:
        given = {"last": self.last, "cache": self.cache, "pooled": self.pooled}
        super().__init__({name: value for name, value in given.items() if value is not None})


@dataclass
class Config:
    width: int = 8
    heads: int = 2
    attention: str = "plain"
    decoder: bool = False


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def plain(
    module: nn.Module, query: torch.Tensor, mask: torch.Tensor | None, scaling: float | None = None, **kwargs: Any
) -> tuple[torch.Tensor, None]:
    if kwargs.get("verbose", False):
        raise ValueError("never")
    heads = getattr(module, "heads", 1)
    score = nn.functional.scaled_dot_product_attention(query, query, query, attn_mask=mask, scale=scaling)
    return score.transpose(1, 2).contiguous() * heads, None


ATTENTIONS = {"plain": plain}


def mask_of(decoder: bool, x: torch.Tensor) -> torch.Tensor | None:
    """Return None unless the module is a decoder."""
    return torch.zeros_like(x) if decoder else None


class Attention(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.heads = config.heads
        self.scaling = (config.width // config.heads) ** -0.5
        self.query = nn.Linear(config.width, config.width)

    def forward(
        self, x: torch.Tensor, mask: torch.Tensor | None = None, cache: Any = None, **kwargs: Any
    ) -> tuple[torch.Tensor, Any]:
        shape = x.shape[:-1]
        query = self.query(x).view(*shape, -1, self.config.width // self.heads).transpose(1, 2)
        if cache is not None:
            query = cache.update(query)
        attend = ATTENTIONS[self.config.attention]
        out, weights = attend(self, query, mask, scaling=self.scaling, **kwargs)
        return out.reshape(*shape, -1), weights


class Model(nn.Module):
    def __init__(self, config: Config | None = None) -> None:
        super().__init__()
        self.config = config or Config()
        self.attention = Attention(self.config)
        self.act = nn.functional.gelu
        self.dropout = nn.Dropout(0.1)

    @decorated
    def forward(
        self, x: torch.Tensor, mask: torch.Tensor | None = None, cache: torch.Tensor | None = None, **kwargs: Any
    ) -> Result:
        mask = mask_of(self.config.decoder, x)
        y, _ = self.attention(x, mask=mask, cache=cache, **kwargs)
        return Result(last=self.act(y), cache=None)


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = Model()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found = self.model(x)
        return found.last + found["last"] if found.pooled is None else found.pooled


def test_what_a_transformer_is_given_is_followed_through_settings_and_keywords(ported: Callable[..., Port]) -> None:
    port = ported(Outer, torch.rand(2, 3, 8))
    assert port.left == ()
    ways = {one.where: one.how for one in port.wrote}
    assert ways["Model.forward"] == ways["Outer.forward"] == "source"
    attention, model, outer = (port.files[f"{name}.cs"] for name in ("Attention", "Model", "Outer"))
    assert "public override (Tensor, Tensor?) forward(Tensor x, Tensor? mask = null, Tensor? cache = null)" in attention
    for line in (
        "private const",
        "mask = Functions.mask_of(Config.decoder, x);",
        "attention.call(x, mask, cache)",
        "return F.gelu(y);",
    ):
        assert (line in model) == (line != "private const"), model
    assert "return found + found;" in outer, outer


def test_any_number_of_tensors_is_an_array(ported: Callable[..., Port]) -> None:
    files = ported(styles.Biases, torch.rand(2, 6, 6)).files
    assert "internal static List<Tensor> grid(params Tensor[] axes)" in files["Functions.cs"]
    assert "return torch.meshgrid(axes).ToList();" in files["Functions.cs"]
    assert (
        "torch.stack(Functions.grid(rows, torch.arange(size.Item2, device: device))).flatten(1);" in files["Biased.cs"]
    )


class Numbers(nn.Module):
    def powers(self, x: torch.Tensor, *exponents: int) -> torch.Tensor:
        return torch.stack([x**one for one in exponents])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.powers(x, 1, 2)


def test_any_number_of_something_else_is_not_translated(ported: Callable[..., Port]) -> None:
    left = {one.where: one.why for one in ported(Numbers, torch.rand(2)).left}
    assert left["Numbers.powers"].startswith("*exponents, which takes other things than tensors")


def test_a_tuple_that_may_be_none_is_a_value_where_it_is_there(ported: Callable[..., Port]) -> None:
    files = ported(everyday.Generating, torch.tensor([[1, 2]])).files
    assert "forward(Tensor x, (Tensor, Tensor)? cache = null)" in files["Block.cs"]
    assert "return (x + a, cacheTuple);" in files["Block.cs"]
    assert "var (past_k, past_v) = cache.Value;" in files["Attending.cs"]


def test_a_dataclass_of_tensors_is_a_tuple(ported: Callable[..., Port]) -> None:
    files = ported(everyday.Detecting, torch.rand(1, 3, 8, 8)).files
    assert "class Heads : Module<Tensor, (Tensor, Tensor, Tensor?)>" in files["Heads.cs"]
    assert ", null);" in files["Heads.cs"]
    assert "return (found.Item1 * 2, found.Item2, features);" in files["Detecting.cs"]


class Seven(nn.Module):
    def forward(self, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any) -> torch.Tensor:
        return a + b + c + d + e + f + g


class OfSeven(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.seven = nn.Linear(2, 2), Seven()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        return self.seven(x, x, x, x, x, x, x)


def test_more_arguments_than_a_module_takes_are_places_left(ported: Callable[..., Port]) -> None:
    port = ported(OfSeven, torch.rand(2, 2))
    assert [left.where for left in port.left] == ["Seven.forward", "OfSeven.forward"]
    six = ", ".join(["Tensor"] * 6)
    assert f"class Seven : Module<{six}, Tensor>" in port.files["Seven.cs"]
