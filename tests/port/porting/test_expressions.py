"""porting.py: expressions with the types that a run showed."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from bridge.port.porting import Port

Lines = Callable[..., list[str]]
X = torch.rand(2, 3, 4)


class Arithmetic(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = (x + 1) * -x / 2.0 - (2 - x) ** 2
        return y @ y.transpose(1, 2)


class Shapes(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, c = x.shape[0], x.size(-1)
        half = c // 2
        return x.view(b, -1, half, 2).permute(0, 2, 1, 3).reshape(b, half * 2, -1).flatten(1)


class Indices(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, 0] + x[:, -1] + x[..., 1:2, :][:, 0] + x[:, None, 0][:, 0]


class Mathematics(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = 0.25
        self.dim = 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.softmax(x * self.scale * math.pi, dim=self.dim)
        y = torch.cat([x, y], dim=1)
        return F.relu(y).mean(dim=-1, keepdim=True).squeeze(-1) + math.sqrt(y.size(1))


class Folded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.extra = None
        self.depth = 3

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        if torch.jit.is_scripting():
            return x
        if self.extra is not None or mask is not None:
            raise ValueError("never")
        return x * 2 if self.depth > 2 and self.extra is None else x


class Hidden(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = self.features(x)
        return features + 1


def test_a_field_that_a_variable_hides_is_named_with_this(lines: Lines) -> None:
    assert lines(Hidden, X) == ["var features = this.features.call(x);", "return features + 1;"]


class Named(nn.Module):
    def forward(
        self, x: torch.Tensor, by: torch.Tensor | None = None, plus: torch.Tensor | None = None
    ) -> torch.Tensor:
        return x * by + plus


class Naming(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.named = Named()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.named(plus=x + 1, by=x, x=-x)


def test_arguments_by_name_stand_in_the_order_of_the_childs_forward(lines: Lines) -> None:
    assert lines(Naming, X) == ["return named.call(-x, x, x + 1);"]


def test_arithmetic_keeps_its_brackets(lines: Lines) -> None:
    assert lines(Arithmetic, X) == [
        "var y = (x + 1) * -x / 2.0 - (2 - x).pow(2);",
        "return y.matmul(y.transpose(1, 2));",
    ]


def test_shapes_are_whole_numbers(lines: Lines) -> None:
    assert lines(Shapes, X) == [
        "var b = x.shape[0];",
        "var c = x.shape[^1];",
        "var half = c / 2;",
        "return x.view(b, -1, half, 2).permute(0, 2, 1, 3).reshape(b, half * 2, -1).flatten(1);",
    ]


def test_indices(lines: Lines) -> None:
    assert lines(Indices, X) == [
        "return x[.., 0] + x[.., -1] + x[TensorIndex.Ellipsis, TensorIndex.Slice(1, 2), ..][.., 0] "
        "+ x[.., TensorIndex.None, 0][.., 0];"
    ]


def test_functions_and_settings(lines: Lines) -> None:
    assert lines(Mathematics, X) == [
        "var y = F.softmax(x * scale * Math.PI, dim);",
        "y = torch.cat([x, y], 1);",
        "return F.relu(y).mean(new long[] { -1 }, true).squeeze(-1) + Math.Sqrt(y.shape[1]);",
    ]


def test_what_the_configuration_decides_is_decided(lines: Lines) -> None:
    """Issue 43, 'Sound or said': a branch on an argument stays."""
    assert lines(Folded, X) == [
        "if (mask is not null)",
        "{",
        'throw new ArgumentException("never");',
        "}",
        "return x * 2;",
    ]


class Foreign(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(x.numpy())


class Valued(nn.Module):
    """What depends on the values of a tensor."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 100:
            x = x / 2
        while bool((x > 1).any()):
            x = x * 0.5
        x = x * float(x.max()) + x.argmax().item() + int(x.numel())
        return sum(one for one in x if one.sum() > 0)


class Headed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.place = 1
        self.head = nn.Sequential()
        self.head.add_module("norm", nn.LayerNorm(4))
        self.head.add_module("fc", nn.Linear(4, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.choose([x, self.head.fc(self.head.norm(x))])

    def choose(self, every: list[torch.Tensor]) -> torch.Tensor:
        return every[self.place]


def test_a_named_child_of_a_sequential_and_an_entry_are_reached_by_place(ported: Callable[..., Port]) -> None:
    port = ported(Headed, X)
    assert port.left == ()
    assert "head[1].call(head[0].call(x))" in port.files["Headed.cs"]
    assert "every[(int)place]" in port.files["Headed.cs"], "an index is an int, the constant a long"


@pytest.mark.parametrize(("kind", "why"), [(Foreign, "'x.numpy()' gives a value of type ndarray")])
def test_what_has_no_translation_is_said_and_raises_in_csharp(
    ported: Callable[..., Port], kind: type[nn.Module], why: str
) -> None:
    port = ported(kind, X)
    (left,) = port.left
    assert left.where == f"{kind.__name__}.forward"
    assert left.place.startswith("test_expressions.py:")
    assert why in left.why, "why not from its source"
    assert "its graph: " in left.why, "why not from what ran either"
    text = port.files[f"{kind.__name__}.cs"]
    assert f'throw new NotImplementedException("{left.place}: ' in text
    assert "// def forward(self, x: torch.Tensor)" in text


class Whole(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.window = [2, 2]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = x.shape[1]
        down = -(n // -2)
        left = -n % 4
        pad = (2 - n % 2) % 2
        scale = n**-0.5
        if sum(self.window) > n:
            x = torch.einsum("b i d, b j d -> b i j", x, x)
        y = area(self.window) + area((n, 2))
        return x * scale * y + down + left + pad


def area(sides: list[int]) -> int:
    return sides[0] * sides[1]


def test_whole_numbers_go_down_as_in_python_where_they_may_be_negative(lines: Lines) -> None:
    assert lines(Whole, X)[:6] == [
        "var n = x.shape[1];",
        "var down = -PythonMath.FloorDivide(n, -2);",
        "var left = PythonMath.Modulo(-n, 4);",
        "var pad = (2 - n % 2) % 2;",
        "var scale = PythonMath.Pow(n, -0.5);",
        "if (window.Sum() > n)",
    ]


def test_what_a_function_takes_of_whole_numbers_is_an_array(lines: Lines) -> None:
    assert lines(Whole, X)[9] == "var y = Functions.area(window.ToArray()) + Functions.area(new long[] { n, 2 });"


class Resized(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.interpolate(x[None], size=x.shape[-2:], mode="bilinear", align_corners=False)


def test_words_that_stand_for_an_enumeration(lines: Lines) -> None:
    (line,) = lines(Resized, X)
    assert "mode: InterpolationMode.Bilinear" in line


class Biased(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return shifted(x, self.linear.weight, self.linear.bias)


def shifted(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return x @ weight + bias


def test_a_bias_that_was_there_is_no_null_for_a_function_of_the_project(lines: Lines) -> None:
    assert lines(Biased, X) == ["return Functions.shifted(x, linear.weight, linear.bias!);"]


def test_values_of_tensors(lines: Callable[..., list[str]]) -> None:
    assert lines(Valued, X) == [
        "if (x.sum().gt(100).ToBoolean())",
        "{",
        "x = x / 2;",
        "}",
        "while (x.gt(1).any().ToBoolean())",
        "{",
        "x = x * 0.5;",
        "}",
        "x = x * x.max().ToDouble() + x.argmax().ToInt64() + x.numel();",
        "return x.unbind().Where(one => one.sum().gt(0).ToBoolean()).Aggregate((sum, one) => sum + one);",
    ]
