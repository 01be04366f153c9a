"""What a call in the process of TorchSharp changes of its model, and what Python has of it afterwards."""

from __future__ import annotations

import copy
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from tests.support.processes import private_memory

pytestmark = [pytest.mark.dotnet, pytest.mark.usefixtures("on_each_system")]


@pytest.fixture
def training(build_csharp: Callable[..., Path], torchsharp: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Compile Training.cs for TorchSharp: Bridge.Torch computes no gradients without Python."""
    monkeypatch.setenv("BRIDGE_TORCHSHARP", str(torchsharp))
    return build_csharp([Path(__file__).with_name("Training.cs")], "HostTraining", against=[torchsharp])


def load(path: Path, name: str) -> Any:
    return bridge.load(path, f"Models.{name}", runtime="torchsharp")


def computed(model: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Compute what the model does, by PyTorch on Python's weights."""
    state = model.state_dict()
    y = torch.nn.functional.linear(x, state["fc.weight"], state["fc.bias"])
    mean, variance, weight, bias = (state[f"norm.{name}"] for name in ("running_mean", "running_var", "weight", "bias"))
    y = torch.nn.functional.batch_norm(y, mean, variance, weight, bias)
    return torch.nn.functional.linear(y, state["head.weight"], state["head.bias"])


def test_what_csharp_trains_is_in_the_state_of_python(training: Path) -> None:
    model, x = load(training, "Trained"), torch.randn(8, 4)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    untouched = model.head.weight._version
    y = model(x, "fit").detach()
    changed = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
    buffers = {"norm.running_mean", "norm.running_var", "norm.num_batches_tracked"}
    # Before a normalization the gradient of a bias is zero, but for rounding.
    assert changed - {"fc.bias"} == buffers | {"fc.weight", "norm.weight", "norm.bias"}
    assert model.head.weight._version == untouched
    assert torch.allclose(computed(model, x), y, atol=1e-5)
    # Back again, it is what was trained.
    model.load_state_dict(model.state_dict())
    assert torch.allclose(model(x, "").detach(), y, atol=1e-6)


def test_the_modes_that_csharp_sets_are_those_of_python(training: Path) -> None:
    model, x = load(training, "Trained"), torch.randn(8, 4)
    assert all(module.training for module in model.modules())
    model(x, "fit")
    assert not any(module.training for module in model.modules())
    model.norm.train()
    model(x, "")
    assert [name for name, module in model.named_modules() if module.training] == ["norm"]


def test_what_a_call_writes_before_it_throws_comes_back(training: Path) -> None:
    model, x = load(training, "Trained").eval(), torch.randn(8, 4)
    before = model.head.weight.detach().clone()
    with pytest.raises(RuntimeError, match="not today"):
        model(x, "write")
    assert torch.allclose(model.head.weight, before + 1)


def test_buffers_that_are_written_in_eval_mode_come_back(training: Path) -> None:
    model, x = load(training, "Trained").eval(), torch.randn(8, 4)
    for count in (1, 2):
        model(x, "count")
        assert model.seen.item() == count
    model.seen.zero_()
    model(x, "count")
    assert model.seen.item() == 1


def test_what_csharp_loads_is_in_the_state_of_python(training: Path, tmp_path: Path) -> None:
    """TorchSharp's ``load`` writes to the memory of tensors, and libtorch counts no writes of those."""
    model, x = load(training, "Trained").eval(), torch.randn(2, 4)
    file = str(tmp_path / "weights.dat")
    state = {name: torch.randn(value.shape).abs().to(value.dtype) for name, value in model.state_dict().items()}
    bridge.write_weights(file, state)
    y = model(x, f"load {file}").detach()
    for name, value in model.state_dict().items():
        assert torch.equal(value, state[name]), name
    assert torch.allclose(computed(model, x), y, atol=1e-5)


def test_a_new_process_has_what_csharp_trained_in_the_last_one(training: Path) -> None:
    model, x = load(training, "Trained"), torch.randn(8, 4)
    y = model(x, "fit").detach()
    model.__dict__["_model"].exchange.host.kill()
    assert torch.allclose(model(x, "").detach(), y, atol=1e-6)


def test_the_process_forgets_the_models_that_python_has_dropped(training: Path) -> None:
    kept = load(training, "Wide")
    used = []
    for _ in range(30):
        dropped = load(training, "Wide")
        gone = weakref.ref(dropped)
        del dropped
        # Without a collection: nothing refers to it in a circle.
        assert gone() is None
        used.append(private_memory(kept.__dict__["_model"].exchange.host.pid))
    # Each has 16 MB. Some of them are there until it is worth a collection, and memory that was freed is kept for the next ones.
    assert used[-1] - used[9] < 10 * 16_000_000
    assert kept.fc.weight.shape == (1000, 4000)


def test_an_assembly_is_read_once_as_long_as_it_is_the_same(training: Path, tmp_path: Path) -> None:
    """.NET keeps each copy to the end of the process. So static fields are all models', as in Python's own process."""
    file, zero = tmp_path / "HostTraining.dll", torch.zeros(())
    file.write_bytes(training.read_bytes())
    with torch.no_grad():
        assert [int(load(file, "Counted")(zero)) for _ in range(3)] == [1, 2, 3]
        file.write_bytes(training.read_bytes() + b"bytes after its end mean nothing")
        assert int(load(file, "Counted")(zero)) == 1


def test_a_part_of_a_model_whose_rest_is_gone_works(training: Path) -> None:
    model, x = load(training, "Trained").eval(), torch.randn(2, 4)
    fc = model.fc
    host = model.__dict__["_model"].exchange.host
    del model
    with torch.no_grad():
        fc.weight.add_(1)
        expected = torch.nn.functional.linear(x, fc.weight, fc.bias)
        assert torch.allclose(fc(x), expected, atol=1e-6)
        host.kill()
        assert torch.allclose(fc(x), expected, atol=1e-6)


def test_models_that_end_on_other_threads_and_while_requests_run_are_dropped(training: Path) -> None:
    model, x = load(training, "Trained").eval(), torch.randn(2, 4)
    others = [load(training, "Trained") for _ in range(20)]
    ending = threading.Thread(target=others.clear)
    with torch.no_grad():
        before = model(x, "")
        ending.start()
        for _ in range(20):
            assert torch.equal(model(x, ""), before)
    ending.join()
    exchange = model.__dict__["_model"].exchange
    model(x, "")
    assert not exchange._dropped


def drawing(load_one: Callable[[], Any]) -> list[torch.Tensor]:
    """Draw from one seed: weights, two masks, and Python's numbers before, between and after."""
    torch.manual_seed(7)
    drawn = [torch.rand(2)]
    model = load_one()
    drawn += [parameter.detach().clone() for parameter in model.parameters()]
    with torch.no_grad():
        drawn += [model(torch.ones(3, 4)), torch.rand(2), model(torch.ones(3, 4)), torch.rand(2)]
        model.eval()
        drawn += [model(torch.ones(3, 4)), torch.rand(2)]
    return drawn


def in_pytorch() -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Dropout(0.5))


def test_weights_and_masks_are_drawn_from_pythons_generator(training: Path) -> None:
    for _ in range(2):
        for there, here in zip(drawing(lambda: load(training, "Dropping")), drawing(in_pytorch), strict=True):
            assert torch.allclose(there, here, atol=1e-6)


def test_a_copy_and_a_new_process_draw_nothing_from_pythons_generator(training: Path) -> None:
    model, x = load(training, "Dropping").eval(), torch.ones(3, 4)
    torch.manual_seed(7)
    with torch.no_grad():
        copy.deepcopy(model)
        model.__dict__["_model"].exchange.host.kill()
        model(x)
        drawn = torch.rand(2)
    torch.manual_seed(7)
    assert torch.equal(drawn, torch.rand(2))
