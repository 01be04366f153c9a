"""porting.py: statements, variables and where they are declared."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from bridge.port.porting import Port
from tests.port import everyday

Lines = Callable[..., list[str]]
X = torch.rand(2, 3, 4)


class Loops(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run all layers."""
        for i, layer in enumerate(self.layers):
            x = layer(x) * i
        for k in range(2):
            x += k
        out = []
        for layer in self.layers:
            out.append(layer(x))
        return torch.cat(out, 1)


class Branches(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            y = x * 2
            twice = y + 0
            y = twice
        else:
            y = x
        x.mul_(1)
        return y


class Unpacked(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b, c, _ = x.shape
        first, second = x.chunk(2, dim=-1)
        return first * b, second * c


def test_loops(lines: Lines) -> None:
    assert lines(Loops, X) == [
        "foreach (var (i, layer) in layers.Select((one, number) => ((long)number, one)))",
        "{",
        "x = layer.call(x) * i;",
        "}",
        "for (long k = 0; k < 2; k++)",
        "{",
        "x.add_(k);",
        "}",
        "var output = new List<Tensor>();",
        "foreach (var layer in layers)",
        "{",
        "output.Add(layer.call(x));",
        "}",
        "return torch.cat(output, 1);",
    ]


def test_a_variable_of_a_branch_that_is_read_after_it_is_declared_before_it(lines: Lines) -> None:
    assert lines(Branches, X) == [
        "Tensor y;",
        "if (training)",
        "{",
        "y = x * 2;",
        "var twice = y + 0;",
        "y = twice;",
        "}",
        "else",
        "{",
        "y = x;",
        "}",
        "x.mul_(1);",
        "return y;",
    ]


def test_what_is_unpacked(lines: Lines) -> None:
    """Python counts what it takes apart, and so does PythonMath's Deconstruct."""
    assert lines(Unpacked, X) == [
        "var (b, c, _) = x.shape;",
        "var (first, second) = x.chunk(2, -1);",
        "return (first * b, second * c);",
    ]


class Retyped(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        y = [y, x]
        y = torch.cat(y, 1)
        return y * 2


class Nested(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a, (b, c) = x, (x + 1, x + 2)
        for d, e in zip([a, b], [b, c], strict=True):
            a = a + d * e
        rows = ((0, -1), (1, None))
        for row in rows:
            a[row[0] : row[1]] = 0
        return a


class Either(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        if self.training:
            return x, x + 1
        return x


class Asking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.either = Either()

    def forward(self, x: torch.Tensor) -> Any:
        y = self.either(x)
        if self.training:
            y = y[0]
        return y * 2


Pair = namedtuple("Pair", ["left", "right"])


class Named(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pair = Pair(x, right=x + 1)
        return pair.left + pair.right


class Walking(nn.Sequential):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self:
            x = layer(x) + x
        return x


def test_a_variable_that_becomes_another_type_is_another_variable(lines: Lines) -> None:
    assert lines(Retyped, X) == [
        "var y = x * 2;",
        "var yList = new List<Tensor> { y, x };",
        "y = torch.cat(yList, 1);",
        "return y * 2;",
    ]


def test_tuples_in_tuples(lines: Lines) -> None:
    assert lines(Nested, X) == [
        "var (a, (b, c)) = (x, (x + 1, x + 2));",
        "foreach (var (d, e) in PythonMath.ZipStrict(new Tensor[] { a, b }, new Tensor[] { b, c }))",
        "{",
        "a = a + d * e;",
        "}",
        "((long, long?), (long, long?)) rows = ((0L, -1L), (1L, null));",
        "foreach (var row in new[] { rows.Item1, rows.Item2 })",
        "{",
        "a.index_put_(0, TensorIndex.Slice(row.Item1, row.Item2));",
        "}",
        "return a;",
    ]


def test_results_of_several_types_are_an_object(ported: Callable[..., Port]) -> None:
    text = ported(Either, X).files["Either.cs"]
    assert "class Either : Module<Tensor, object>" in text
    assert "return (x, x + 1);" in text


def test_an_object_is_cast_to_what_it_was_where_it_is_read(lines: Lines) -> None:
    """C# throws where it is of another type."""
    assert lines(Asking, X) == [
        "var y = either.call(x);",
        "if (training)",
        "{",
        "y = (((Tensor, Tensor))y).Item1;",
        "}",
        "return (Tensor)y * 2;",
    ]


def test_named_tuples(lines: Lines) -> None:
    assert lines(Named, X) == ["var pair = (x, x + 1);", "return pair.Item1 + pair.Item2;"]


def test_a_sequential_that_walks_over_itself(ported: Callable[..., Port]) -> None:
    text = ported(lambda: Walking(nn.Linear(4, 4), nn.ReLU()), X).files["Walking.cs"]
    assert "foreach (var (_, layer) in entries)" in text
    assert "register_module(name, child);" in text


class Annotated(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        unread = 3  # noqa: F841  # for nothing reads it
        y = x * 2
        result: torch.Tensor = y + 1
        return result


class Numbered(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total: Any = 0
        count = 0
        for _ in range(2):
            total = total + x
            count += 1
        return total / count


class Flagged(nn.Module):
    def __init__(self, first: bool) -> None:
        super().__init__()
        self.first, self.linear = first, nn.Linear(4, 4) if first else None

    def forward(self, x: torch.Tensor, bias: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        if bias is None:
            if self.first and self.linear is not None:
                bias = self.linear(x).sum(-1, keepdim=True)
            else:
                array = x.numpy()
                bias = torch.from_numpy(array)
        return x + bias, bias


class Given(nn.Module):
    """The second is given what the first computes."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = Flagged(True), Flagged(False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x, bias = self.one(x)
        x, _ = self.two(x, bias)
        return x


def test_a_variable_that_nothing_reads_is_left_out(lines: Lines) -> None:
    assert lines(Annotated, X) == ["var y = x * 2;", "var result = y + 1;", "return result;"]


def test_a_number_that_becomes_a_tensor_is_null_until_then(lines: Lines) -> None:
    """A tensor of the number would have a dtype of its own, which the sum would take on."""
    found = lines(Numbered, X)
    assert found[:2] == ["Tensor? total = null;", "long count = 0;"]
    assert found[4:12] == ["if (total is null)", "{", "total = 0 + x;", "}", "else", "{", "total = total + x;", "}"]
    assert found[12:14] == ["count += 1;", "}"]
    assert found[-1] == "return total / count;"


def test_a_branch_that_no_run_took_and_that_has_no_translation_throws(ported: Callable[..., Port]) -> None:
    """T5: what the first layer computes is given to the others. Issue 43, 'Sound or said': no branch on an argument goes."""
    port = ported(Given, X)
    assert port.left == ()
    text = port.files["Flagged.cs"]
    body = text[text.index(" forward(") :]
    assert [re.sub(r"py:\d+", "py", line.strip()) for line in body.splitlines()[2:-2]] == [
        "if (bias is null)",
        "{",
        "if (first && linear is not null)",
        "{",
        "bias = linear.call(x).sum(-1, true);",
        "}",
        "else",
        "{",
        "throw new NotSupportedException(\"test_statements.py: what 'x.numpy()' gives, which no run showed\");",
        "}",
        "}",
        "return (x + bias, bias);",
    ]
    assert "class Flagged : Module<Tensor, Tensor?, (Tensor, Tensor)>" in text


class Tried(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            y = torch.amax(x, dim=-1)
        except AttributeError:  # an old PyTorch
            y = x.max(dim=-1)[0]
        return y + 1


class Guarded(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            return x / 0
        except ZeroDivisionError:
            return x


def test_what_is_tried_for_another_version_is_what_runs(lines: Lines) -> None:
    assert lines(Tried, torch.rand(2, 3)) == ["var y = torch.amax(x, new long[] { -1 });", "return y + 1;"]


def test_what_is_tried_for_other_values_is_not_translated(ported: Callable[..., Port]) -> None:
    text = ported(Guarded, torch.rand(2, 3)).files["Guarded.cs"]
    assert "a try that is for more than other versions of a library\n    public override" in text, "from its graph"


class Timed(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autograd.profiler.record_function("twice"):
            return x * 2


class Forked(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.random.fork_rng():
            return x * 2


def test_without_gradients(ported: Callable[..., Port]) -> None:
    text = ported(everyday.Turning, torch.rand(2, 3, 8)).files["Running.cs"]
    body = [line.strip() for line in text[text.index("forward(Tensor x)") :].splitlines()]
    assert body[2:10] == [
        "if (training)",
        "{",
        "using (torch.no_grad())",
        "{",
        "mean.mul_(0.9).add_(0.1 * x.mean(new long[] { 0, 2 }).unsqueeze(-1));",
        "count.add_(1);",
        "}",
        "}",
    ]
    assert body[10:12] == ["var y = x - mean;", "return y * 2;"], "what is switched off is nothing"


def test_a_with_that_changes_no_result_is_left_out(lines: Lines) -> None:
    assert lines(Timed, X) == ["return x * 2;"]


def test_another_with_is_not_translated(ported: Callable[..., Port]) -> None:
    text = ported(Forked, X).files["Forked.cs"]
    assert "'with torch.random.fork_rng()'" in text, "from its graph"


class Raising(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            x = x + 1
            x = torch.relu(x, no_such_argument=True)
        except TypeError:
            pass
        return x


def test_what_raised_in_the_run_is_not_translated(ported: Callable[..., Port]) -> None:
    text = ported(Raising, X).files["Raising.cs"]
    assert "a try in which something was raised\n    public override" in text, "from its graph"


class Clipping(nn.Module):
    """Changes a tensor by a method that returns None."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        self.clip(y)
        return y

    def clip(self, y: torch.Tensor) -> None:
        y.clamp_(max=1)


def test_a_call_that_returns_none_is_kept(ported: Callable[..., Port]) -> None:
    """Issue 43, 'Sound or said': a statement with effects stays."""
    port = ported(Clipping, X)
    assert [one.how for one in port.wrote if not one.constructs] == ["source", "source"]
    assert "clip(y);\n        return y;" in port.files["Clipping.cs"]
    assert "private void clip(Tensor y)" in port.files["Clipping.cs"]
