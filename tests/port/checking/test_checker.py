"""checker.py, and issue 43, acceptance 2: no port that is called the same is wrong for inputs that the checker draws by itself."""

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
import torch
from torch import nn

import bridge
from tests.port.checking import checker, drawing
from tests.port.checking.checker import Report, check
from tests.port.checking.closures import Closed
from tests.port.compiled import MODELS, Written

#: The number of inputs in ordinary and in slow tests.
_FEW: Final = 5
_MANY: Final = 200


@pytest.mark.parametrize("module", [checker, drawing])
def test_the_checker_shares_no_code_with_port(module: Any) -> None:
    """Acceptance 2: 'a checker in the tests that shares no code with `port/verify`'."""
    nodes = list(ast.walk(ast.parse(inspect.getsource(module))))
    imported = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    imported |= {f"{node.module}" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name.partition(".")[0] == "bridge"} == set()


def checked(name: str, written: Written, assembly: Path, inputs: int) -> Report:
    """Check a compiled port with its own seed, which is printed."""
    _, model, port, arguments = written[name]
    parameters = inspect.signature(model.forward).parameters
    given = {one: arguments.get(one, parameters[one].default) for one in port.inputs}
    make = partial(bridge.load, assembly, f"{port.namespace}.{port.root}", **port.arguments)
    report = check(model, make, given, seed=list(MODELS).index(name), inputs=inputs)
    print(report)  # noqa: T201  # issue 43: the seed is printed
    return report


@pytest.mark.dotnet
@pytest.mark.parametrize("name", MODELS)
def test_a_port_is_the_same_for_inputs_that_the_checker_draws(
    name: str, written: Written, sources: Mapping[str, str], build_csharp: Callable[..., Path]
) -> None:
    report = checked(name, written, build_csharp(sources, "AllPorts"), _FEW)
    assert report.difference is None, str(report)
    assert report.accepted == _FEW


@pytest.mark.slow
@pytest.mark.dotnet
@pytest.mark.parametrize("name", MODELS)
def test_a_port_is_the_same_for_many_inputs(
    name: str, written: Written, sources: Mapping[str, str], build_csharp: Callable[..., Path]
) -> None:
    """Acceptance 2: 200 inputs for each model."""
    report = checked(name, written, build_csharp(sources, "AllPorts"), _MANY)
    assert report.difference is None, str(report)
    assert report.accepted == _MANY


# -- The checker itself ------------------------------------------------------------------------------------------------


class Original(nn.Module):
    """A model with an optional tensor, an option, statistics and a branch on values."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))

    def forward(
        self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        if x.shape[0] > 4:
            raise ValueError("too many")
        if self.training:
            self.seen += 1
        y = x.relu()
        if x.sum() > 1000:
            y = y / 2
        if mask is not None:
            y = y + mask
        return (y * 2 if twice else y), {"size": x.shape[-1], "none": None}


class Frozen(Original):
    """The option is not seen."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        return super().forward(x, mask)


class Unmasked(Original):
    """The optional tensor is never None."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        return super().forward(x, x * 0 + 1 if mask is None else mask, twice)


class Evaluating(Original):
    """Train mode is not seen."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        return Original.forward(self.eval(), x, mask, twice)


class Branchless(Original):
    """The branch on values is not seen."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        y, more = super().forward(x, mask, twice)
        return y * (2 if x.sum() > 1000 and mask is None else 1), more


class Accepting(Original):
    """Nothing is raised."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        return super().forward(x[:4], mask if mask is None else mask[:4], twice)


class Overwriting(Original):
    """The argument is changed."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        result = super().forward(x, mask, twice)
        x.relu_()
        return result


class Sized(Original):
    """A size is a constant."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        y, more = super().forward(x, mask, twice)
        return y, {**more, "size": 3}


class Counting(Original):
    """The second call in a row is another."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        self.calls += 1
        return super().forward(x, mask, twice if self.calls < 3 else True)


class Contiguous(Original):
    """A view is read as if it were not one."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        return super().forward(x.as_strided(x.shape, x[:1].contiguous().new_empty(x.shape).stride()), mask, twice)


class Widened(Original):
    """The values are right, and the dtype is another."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        y, more = super().forward(x, mask, twice)
        return y.double(), more


GIVEN: Final[dict[str, Any]] = {"x": torch.rand(2, 3), "mask": torch.ones(2, 3), "twice": False}


def test_equal_models_are_the_same() -> None:
    report = check(Original(), Original, GIVEN, seed=1, inputs=_MANY)
    assert report.difference is None, str(report)
    assert report.accepted == _MANY
    assert report.refused > 0
    assert report.in_train_mode > 0


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        (Frozen, "the result[0]"),
        (Unmasked, "the result[0]"),
        (Evaluating, "the buffer seen"),
        (Branchless, "the result[0]"),
        (Accepting, "the call"),
        (Overwriting, "the argument x"),
        (Sized, "the result[1]['size']"),
        (Counting, "the result[0]"),
        (Contiguous, "the result[0]"),
        (Widened, "the result[0]"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_a_port_that_is_wrong_for_some_inputs_is_found(wrong: type[nn.Module], place: str, seed: int) -> None:
    report = check(Original(), wrong, GIVEN, seed=seed, inputs=_MANY)
    assert report.difference is not None
    assert report.difference.place == place


class Unstable(nn.Module):
    """A model whose results of negative sums depend on no seed, as those of kernels that read beyond a tensor."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * float.fromhex(os.urandom(4).hex()) if bool(x.sum() < 0) else x


class Drawing(nn.Module):
    """A model whose constructor draws numbers that are no weights, for large inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.noise = torch.rand(1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.noise if x.numel() > 9 else x


def test_inputs_for_which_the_result_depends_on_what_the_constructor_drew_are_left_out() -> None:
    report = check(Drawing(), Drawing, {"x": torch.rand(9)}, seed=1, inputs=40, make_again=Drawing)
    assert report.difference is None, str(report)
    assert (report.accepted, report.unstable > 0) == (40, True)
    assert check(Drawing(), Drawing, {"x": torch.rand(9)}, seed=1, inputs=40).difference is not None


class Declining(Original):
    """A branch is not translated, and says so."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> Any:
        if twice:
            raise NotImplementedError("System.NotSupportedException in the root module: net.py:12: 'x @ y' of a Size")
        return super().forward(x, mask, twice)


def test_branches_that_a_port_declines_by_name_are_counted() -> None:
    report = check(Original(), Declining, GIVEN, seed=1, inputs=_MANY)
    assert report.difference is None, str(report)
    assert (report.accepted, report.declined > 0) == (_MANY, True)
    assert "declined by name" in str(report)


def test_inputs_for_which_the_original_is_not_stable_are_left_out() -> None:
    report = check(Unstable(), Unstable, {"x": torch.randn(2, 3)}, seed=1, inputs=_FEW)
    assert report.difference is None, str(report)
    assert report.unstable > 0
    assert f"{report.unstable} unstable" in str(report)


class Attending(nn.Module):
    """PyTorch does not check the number of keys on the CPU: the kernel reads beyond them."""

    def forward(self, keys: torch.Tensor) -> torch.Tensor:
        queries = torch.ones(1, 1, 4, 8)
        return nn.functional.scaled_dot_product_attention(queries, keys, queries.cumsum(2))


def test_kernels_that_read_beyond_a_tensor_are_not_stable() -> None:
    keys = torch.rand(1, 1, 4, 8)
    one = drawing.Input({"keys": keys}, False, 0, None, "as given")
    assert checker._is_stable(Attending, Attending, [one])
    assert not checker._is_stable(
        Attending, Attending, [drawing.Input({"keys": keys[:, :, :2].clone()}, False, 0, None, "two keys")]
    )


class Packing(nn.Module):
    """PyTorch does not check the width of a packed sequence, and oneDNN's kernel reads beyond it."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.lstm = nn.LSTM(4, 2, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        lengths = torch.full((len(x),), x.shape[1])
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        result: torch.Tensor = self.lstm(packed)[0].data
        return result


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch was built without oneDNN")
def test_kernels_of_onednn_that_read_beyond_a_tensor_are_not_stable() -> None:
    for width, stable in ((4, True), (3, False)):
        one = drawing.Input({"x": torch.rand(2, 1, width)}, False, 0, None, f"width {width}")
        assert checker._is_stable(Packing, Packing, [one]) is stable


def test_originals_may_be_made_instead_of_copied() -> None:
    given = {"x": torch.rand(20)}
    assert check(Closed(), Closed, given, seed=1, inputs=_MANY).difference is not None
    report = check(Closed(), Closed, given, seed=1, inputs=_MANY, make_original=Closed)
    assert report.difference is None, str(report)


def test_the_same_seed_draws_the_same_inputs() -> None:
    first, second = (drawing.Drawer(Original(), GIVEN, 3) for _ in range(2))
    assert [str(first.draw()) for _ in range(20)] == [str(second.draw()) for _ in range(20)]
