"""torch.utils.data of an assembly that was compiled against TorchSharp."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

import bridge

pytestmark = pytest.mark.dotnet
#: The batches of ten items that TorchSharp 0.107.0 gives with seed 42 and three items a batch.
ORDER = ((4, 9, 7), (3, 1, 6), (2, 8, 5), (0,))


@pytest.fixture(scope="module")
def loading(build_csharp: Callable[..., Path], reference: Path) -> Path:
    return build_csharp([Path(__file__).parent / "Loading.cs"], "Loading", against=[reference])


@pytest.mark.parametrize("workers", [1, 3])
def test_a_model_trains_on_batches_in_torchsharps_order(loading: Path, workers: int) -> None:
    torch.manual_seed(5)
    fitted = bridge.load(loading, "Loading.Net.Fit", workers)
    torch.manual_seed(5)
    expected = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(expected.parameters(), lr=0.1)
    x = torch.arange(30, dtype=torch.float32).reshape(10, 3) / 30
    for batch in ORDER:
        rows = x[list(batch)]
        optimizer.zero_grad()
        nn.functional.mse_loss(expected(rows), rows.sum(1, keepdim=True)).backward()
        optimizer.step()
    torch.testing.assert_close(fitted.fc.weight, expected.weight)
    torch.testing.assert_close(fitted.fc.bias, expected.bias)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("hooked", [False, True])
def test_the_workers_of_a_call_run_layers_that_python_hooks(loading: Path, workers: int, hooked: bool) -> None:
    model = bridge.load(loading, "Loading.Rows", workers)
    seen: list[tuple[int, ...]] = []
    if hooked:
        model.fc.register_forward_hook(lambda _, inputs, output: seen.append(tuple(output.shape)))
    x = torch.randn(5, 3, requires_grad=True)
    result = model(x)
    torch.testing.assert_close(result, model.fc(x))
    result.sum().backward()
    torch.testing.assert_close(x.grad, model.fc.weight.sum(0).expand(5, 3))
    assert seen.count((2,)) == (5 if hooked else 0)


def test_a_data_set_of_tensors_keeps_their_graph(loading: Path) -> None:
    model = bridge.load(loading, "Loading.Batched")
    x = torch.randn(5, 2, requires_grad=True)
    result = model(x)
    assert torch.equal(result, 2 * x[:4])
    result.sum().backward()
    assert torch.equal(x.grad, torch.tensor([[2.0], [2.0], [2.0], [2.0], [0.0]]).expand(5, 2))
