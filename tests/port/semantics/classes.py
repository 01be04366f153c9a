"""Classes: inheritance, properties, hooks, forwards of instances, aliases of attributes, what constructors compute."""

from __future__ import annotations

import types
from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X = torch.tensor([[1.0, -2.0, 3.0]])


class Base(nn.Module):
    def __init__(self, scale: float = 2.0) -> None:
        super().__init__()
        self.scale = scale
        self.linear = nn.Linear(3, 3)

    def transform(self, x: Tensor) -> Tensor:
        return x * self.scale

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(self.transform(x))


@probe(call(X), call(-X))
class OverriddenMethod(Base):
    def transform(self, x: Tensor) -> Tensor:
        return x + self.scale


@probe(call(X), call(-X))
class CallOfSuper(Base):
    def __init__(self) -> None:
        super().__init__(scale=0.5)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + super().transform(x)


@probe(call(X), call(-X))
class SubclassOfLayer(nn.Linear):
    def __init__(self) -> None:
        super().__init__(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) * 2


class Shifted(nn.Linear):
    """A layer whose constructor alone is its own."""

    def __init__(self, width: int) -> None:
        super().__init__(width, width)
        nn.init.constant_(self.bias, 5.0)


@probe(call(X), call(-X))
class ChildWithoutForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = Shifted(3)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


@probe(call(X), call(-X))
class SubclassOfSequential(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(3, 3), nn.ReLU())


@probe(call(X), call(-X), call(X * 9))
class Property(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    @property
    def scale(self) -> int:
        self.calls += 1
        return self.calls

    def forward(self, x: Tensor) -> Tensor:
        return x * self.scale + self.scale


@probe(call(X), call(-X))
class StaticAndClassMethods(nn.Module):
    factor = 3

    @staticmethod
    def shift(x: Tensor) -> Tensor:
        return x + 1

    @classmethod
    def scaled(cls, x: Tensor) -> Tensor:
        return x * cls.factor

    def forward(self, x: Tensor) -> Tensor:
        return self.scaled(self.shift(x))


@probe(call(X), call(-X))
class PrivateNames(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.__scale = 3

    def __shift(self, x: Tensor) -> Tensor:
        return x + self.__scale

    def forward(self, x: Tensor) -> Tensor:
        return self.__shift(x)


class Child(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)


@probe(call(X), call(-X), refused="forward hook")
class HookOnChild(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.child = Child()
        self.child.register_forward_hook(lambda module, args, result: result * 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.child(x) + 1


@probe(call(X), call(-X), refused="forward pre hook")
class PreHookOnLayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.layer.register_forward_pre_hook(self.doubled)

    def doubled(self, module: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return (args[0] * 2,)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


@probe(call(X), call(-X), refused="a forward that is set on the instance")
class ForwardOfInstance(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.child = Child()
        self.child.forward = types.MethodType(lambda self, x: x * 3, self.child)  # type: ignore[method-assign]

    def forward(self, x: Tensor) -> Tensor:
        return self.child(x) + 1


@probe(call(X), call(-X))
class AttributeAlias(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = Child()
        self.second = self.first
        self.chosen = [self.first]

    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) + self.second(x) * 2 + self.chosen[0](x)


@probe(call(X), call(-X))
class AliasIsReplaced(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = 2
        self.other = self.scale

    def forward(self, x: Tensor) -> Tensor:
        self.scale += 1
        return x * self.scale + self.other


@probe(call(X), call(-X))
class SharedParameter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.b(self.a(x))


@probe(call(X), call(-X))
class ComputedBuffer(nn.Module):
    def __init__(self, size: int = 3) -> None:
        super().__init__()
        self.register_buffer("table", torch.arange(size) ** 2 / size, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.table


@probe(call(X), call(-X))
class BufferThatIsNone(nn.Module):
    def __init__(self, shifted: bool = True) -> None:
        super().__init__()
        self.register_buffer("mask", None)
        self.register_buffer("shift", torch.ones(3) if shifted else None)

    def forward(self, x: Tensor) -> Tensor:
        if self.mask is not None:
            x = x * self.mask
        return x + self.shift if self.shift is not None else x


@probe(call(X), call(-X))
class HasAttribute(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList([Base(), Child()])

    def forward(self, x: Tensor) -> Tensor:
        for part in self.parts:
            if hasattr(part, "scale"):
                x = x + part.scale
            x = part(x)
        return x


@probe(call(X), call(-X))
class SettingsOfLayers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(3, eps=1e-3), nn.LayerNorm(3, eps=1e-2)])
        self.first, self.conv = nn.Linear(3, 3), nn.Conv2d(2, 4, (3, 1), stride=2)

    def forward(self, x: Tensor) -> tuple[Tensor, float, int]:
        total = 0.0
        for norm in self.norms:
            x = norm(x)
            total = total + norm.eps
        return (
            x + self.first.in_features,
            total,
            self.conv.out_channels * self.conv.kernel_size[0] + self.conv.stride[1],
        )


@probe(call(X), call(-X))
class SettingsThatAllLayersShare(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.drop, self.other = nn.Dropout(0.25), nn.MultiheadAttention(4, 2)

    def forward(self, x: Tensor) -> tuple[Tensor, float, int]:
        return x, self.drop.p, self.other.num_heads


@probe(call(X, 0), call(X, 1), refused="the setting num_heads")
class SettingThatDiffers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList([nn.MultiheadAttention(4, 2), nn.MultiheadAttention(4, 4)])

    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        return x, self.parts[n].num_heads


@probe(call(X, "first"), call(-X, "second"), call(X, "none"), refused="a name that is computed")
class GetAttributeByName(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Child(), Child()

    def forward(self, x: Tensor, name: str) -> Tensor:
        return getattr(self, name)(x)


@probe(call(X), call(-X))
class IsInstance(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(3, 3), nn.ReLU(), Child()])

    def forward(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
            if isinstance(part, nn.Linear | Child):
                x = x * 2
        return x


@probe(call(X, "b"), call(-X, "a"), call(X, "z"))
class ModuleByKey(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleDict({"a": nn.Linear(3, 3), "b": Child()})

    def forward(self, x: Tensor, key: str) -> Tensor:
        return self.parts[key](x)


@probe(call(X, 1), call(-X, 0), call(X, -1), call(X, 4))
class ModuleByIndex(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList([Child() for _ in range(2)])

    def forward(self, x: Tensor, n: int) -> Tensor:
        return self.parts[n](x)


class Pair(NamedTuple):
    low: Tensor
    high: Tensor


@probe(call(X), call(-X))
class NamedTupleResult(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        pair = Pair(x - 1, high=x + 1)
        return pair.low * pair[1], pair.high


@dataclass
class Settings:
    scale: int = 2
    name: str = "a"


@probe(call(X, 3), call(-X, 0), refused="settings.scale")
class DataclassInForward(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, str]:
        settings = Settings(scale=n)
        settings.scale += 1
        return x * settings.scale, settings.name


class Mode(Enum):
    SUM = "sum"
    MEAN = "mean"


@probe(call(X), call(-X))
class EnumAsSetting(nn.Module):
    def __init__(self, mode: Mode = Mode.MEAN) -> None:
        super().__init__()
        self.mode = mode

    def forward(self, x: Tensor) -> Tensor:
        return x.sum() if self.mode is Mode.SUM else x.mean()


class Layout(str, Enum):  # noqa: UP042  # models of before Python 3.11 are written so
    ROWS = "rows"
    COLUMNS = "columns"


def arranged(x: Tensor, layout: Layout) -> Tensor:
    if layout == Layout.ROWS:
        return x.cumsum(0)
    return x.cumsum(1) if layout in (Layout.COLUMNS, "both") else x


@probe(call(X), call(-X))
class StringEnumAsSetting(nn.Module):
    def __init__(self, layout: Layout = Layout.COLUMNS) -> None:
        super().__init__()
        self.layout = layout

    def forward(self, x: Tensor) -> tuple[Tensor, bool]:
        if self.layout != Layout.ROWS:
            x = arranged(x, self.layout)
        return x, self.layout == "columns"


@probe(call(X), call(-X))
class LayerBuiltInForward(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return nn.Softmax(dim=-1)(x) + nn.ReLU()(x)


@probe(call(X), call(-X))
class NormalizedWeight(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.nn.functional.normalize(torch.ones(3), dim=0))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight


class Doubling(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient * 3


@probe(call(X), call(-X))
class CustomFunction(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return Doubling.apply(x) + 1


@probe(call(X), call(-X))
class SpectralNormed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.utils.spectral_norm(nn.Linear(3, 3))

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


@probe(call(X), call(-X), refused="Categorical")
class CategoricalDistribution(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.distributions.Categorical(logits=x, validate_args=True).entropy()


@probe(call(X), call(-X))
class NamedSequential(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(OrderedDict(fc=nn.Linear(3, 3), act=nn.ReLU()))

    def forward(self, x: Tensor) -> Tensor:
        x = self.layers.fc(x)
        return self.layers[1](x) + self.layers(x)


@probe(call(X), call(-X))
class ModuleCallOfForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.child = Child()

    def forward(self, x: Tensor) -> Tensor:
        return self.child.forward(x) * 2
