"""Mirrors on CUDA: device-generic code, shown on the device. Skipped with its reason where there is none."""

from __future__ import annotations

import copy
import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import nn

import bridge
from bridge.clr.find.assemblies import sample
from bridge.samples.mtcnn import ONet, PNet, RNet
from bridge.samples.resnet import ResNet18

pytestmark = pytest.mark.cuda
SIZES = {"PNet": (2, 3, 24, 20), "RNet": (4, 3, 24, 24), "ONet": (3, 3, 48, 48)}
LARGE = 1 << 26  # bytes of a tensor of Models.Dropping


@pytest.fixture(autouse=True)
def deterministic(dotnet: object) -> Iterator[None]:
    """Have cuDNN choose the same algorithm in each call."""
    before = torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
    yield
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = before


class Tagger(nn.Module):
    """Models.Tagger in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True, dropout=0.3)
        self.norm = nn.BatchNorm1d(10)
        self.dropout = nn.Dropout(0.4)
        self.head = nn.Linear(10, 3)

    def forward(self, x: torch.Tensor) -> Any:
        return self.head(self.dropout(self.norm(self.lstm(x)[0].select(1, -1))))


def _pair(name: str) -> tuple[nn.Module, bridge.Mirror]:
    original = {"PNet": PNet, "RNet": RNet, "ONet": ONet}[name]()
    model = bridge.load(sample("Mtcnn.dll"), f"Mtcnn.{name}")
    model.load_state_dict(original.state_dict())
    return original, model


def _resnets() -> tuple[nn.Module, bridge.Mirror]:
    original, model = ResNet18(), bridge.load(sample("Vision.dll"), "Vision.ResNet18")
    model.load_state_dict(original.state_dict())
    return original.cuda().eval(), model.cuda().eval()


def _alike(expected: Any, result: Any) -> bool:
    return all(map(torch.equal, expected, result)) if isinstance(expected, tuple) else torch.equal(expected, result)


@pytest.mark.parametrize("name", SIZES)
def test_results_and_gradients_equal_pytorchs(name: str) -> None:
    """`cuda()` after a call on the CPU; one autograd graph over the device."""
    original, model = _pair(name)
    x = torch.rand(SIZES[name])
    model(x)
    results = []
    for module in (original.cuda(), model.cuda()):
        given = x.cuda().requires_grad_()
        outputs = module(given)
        sum(output.square().sum() for output in outputs).backward()
        results.append([*outputs, given.grad, *(parameter.grad for parameter in module.parameters())])
    assert all(output.device.type == "cuda" for output in results[1])
    for expected, result in zip(*results, strict=True):
        assert torch.equal(expected, result)


def test_hooks_see_the_device_and_replace_results() -> None:
    original, model = _pair("PNet")
    devices: list[str] = []
    results = []
    for module in (original.cuda(), model.cuda()):

        def hook(module: nn.Module, args: Any, output: torch.Tensor) -> torch.Tensor:
            devices.append(str(output.device))
            return output * 2

        module.conv2.register_forward_hook(hook)
        results.append(module(torch.ones(1, 3, 12, 12, device="cuda")))
    assert devices == ["cuda:0", "cuda:0"]
    assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))


def test_backward_hooks_run_on_the_devices_thread() -> None:
    """Autograd runs a device's part of a graph on a thread of its own."""

    def seen(module: nn.Module) -> list[Any]:
        found: list[Any] = []

        def hook(module: nn.Module, before: Any, after: Any) -> Any:
            found.append((type(module).__name__, threading.current_thread() is threading.main_thread(), after))
            return tuple(None if gradient is None else gradient * 2 for gradient in before)

        def accumulated(parameter: torch.Tensor) -> None:
            assert parameter.grad is not None
            found.append(parameter.grad.clone())

        for child in module.modules():
            child.register_full_backward_hook(hook)
        for parameter in module.parameters():
            parameter.register_post_accumulate_grad_hook(accumulated)
        x = torch.ones(SIZES["RNet"], device="cuda", requires_grad=True)
        sum(output.square().sum() for output in module(x)).backward()
        return [*found, x.grad]

    wanted, came = (seen(module.cuda()) for module in _pair("RNet"))
    for expected, result in zip(wanted, came, strict=True):
        if isinstance(expected, torch.Tensor):
            assert torch.equal(expected, result)
        else:
            assert expected[1] == result[1]
            assert _alike(expected[2], result[2])
    assert any(isinstance(value, tuple) and not value[1] for value in came)


def test_there_and_back_copies_and_other_types() -> None:
    original, model = _pair("PNet")
    x = torch.rand(1, 3, 16, 16)
    expected = model(x)
    model.cuda()
    counterpart = copy.deepcopy(model)
    assert torch.equal(counterpart(x.cuda())[0], model(x.cuda())[0])
    assert all(torch.equal(a, b) for a, b in zip(expected, model.cpu()(x), strict=True))
    half, wanted = model.cuda().half(), original.cuda().half()
    assert torch.equal(half(x.cuda().half())[0], wanted(x.cuda().half())[0])


def test_training_steps_give_the_counterparts_weights() -> None:
    original, model = _pair("RNet")
    x = torch.rand(SIZES["RNet"]).cuda()
    for module in (original.cuda(), model.cuda()):
        optimizer = torch.optim.SGD(module.parameters(), lr=0.01)
        for _ in range(5):
            optimizer.zero_grad()
            sum(output.square().mean() for output in module(x)).backward()
            optimizer.step()
    for expected, result in zip(original.parameters(), model.parameters(), strict=True):
        assert torch.equal(expected, result)


def test_mixed_precision_trains_as_pytorch_does() -> None:
    original, model = _pair("RNet")
    x = torch.rand(SIZES["RNet"]).cuda()
    kinds = []
    for module in (original.cuda(), model.cuda()):
        optimizer = torch.optim.AdamW(module.parameters(), lr=0.01)
        scaler = torch.amp.GradScaler("cuda")
        for _ in range(4):
            optimizer.zero_grad()
            with torch.autocast("cuda", torch.float16):
                outputs = module(x)
                kinds.append([output.dtype for output in outputs])
                loss = sum(output.square().mean() for output in outputs)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
    assert kinds[:4] == kinds[4:]
    for expected, result in zip(original.parameters(), model.parameters(), strict=True):
        assert torch.equal(expected, result)


@pytest.mark.dotnet
def test_layers_with_code_of_their_own_on_the_device(load: Callable[..., Any]) -> None:
    """cuDNN's LSTM with its flat weights, BatchNorm's running values, and Dropout's numbers from the device's own generator."""
    model, original = load("Tagger"), Tagger()
    original.load_state_dict(model.state_dict())
    x = torch.rand(7, 4, 6, device="cuda")
    results = []
    for module in (original.cuda(), model.cuda()):
        torch.manual_seed(5)
        given = x.clone().requires_grad_()
        outputs = [module(given) for _ in range(3)]
        sum(output.square().sum() for output in outputs).backward()
        results.append(
            [*outputs, given.grad, *(p.grad for p in module.parameters()), *module.buffers(), module.eval()(x)]
        )
    for expected, result in zip(*results, strict=True):
        assert torch.allclose(expected, result, atol=1e-6)
    assert torch.equal(results[0][-1], results[1][-1])


@pytest.mark.dotnet
def test_csharp_makes_and_moves_tensors_on_the_device(load: Callable[..., Any]) -> None:
    model = load("OnDevice").cuda()
    x = torch.rand(2, 4, device="cuda")
    with torch.no_grad():
        assert torch.equal(model(x), model(x))
        expected = model.layer(x) + 1 + 2 + torch.arange(4.0).cuda() + torch.tensor([5.0, 5.0, 5.0, 5.0]).cuda()
        torch.cuda.manual_seed(3)
        expected = expected + torch.rand(4, device="cuda") + x[0] + 1
        assert torch.allclose(model(x), expected)


@pytest.mark.dotnet
def test_loading_onto_the_device(load: Callable[..., Any]) -> None:
    """By a context and by PyTorch's default device; weights are drawn there, as PyTorch's own layers draw them."""
    with torch.device("cuda"):
        inside = load("Pair")
    torch.set_default_device("cuda")
    try:
        by_default = load("Pair")
    finally:
        torch.set_default_device(None)
    for model in (inside, by_default):
        assert {str(parameter.device) for parameter in model.parameters()} == {"cuda:0"}
        assert model(torch.rand(2, 3, device="cuda")).is_cuda


def test_a_tensor_of_another_device_is_an_error_and_the_process_lives() -> None:
    _, model = _pair("PNet")
    model.cuda()
    with pytest.raises(bridge.DotNetError, match="conv1"):
        model(torch.rand(1, 3, 12, 12))
    assert model(torch.rand(1, 3, 12, 12, device="cuda"))[0].is_cuda


def test_streams_of_the_caller_are_used() -> None:
    """Work enqueued by C# on the caller's stream is ordered with the caller's own."""
    _, model = _pair("PNet")
    model.cuda()
    x = torch.rand(8, 3, 64, 64, device="cuda")
    expected = model(x)[0]
    stream = torch.cuda.Stream()
    with torch.no_grad(), torch.cuda.stream(stream):
        y = torch.zeros_like(x)
        for _ in range(50):
            y = y + x / 50
        result = model(y)[0]
    stream.synchronize()
    assert torch.allclose(result, expected, atol=1e-5)


@torch.no_grad()
def test_threads_with_streams_of_their_own() -> None:
    original, model = _resnets()
    inputs = [torch.rand(2, 3, 64, 64, device="cuda") for _ in range(8)]
    expected = [original(x) for x in inputs]
    torch.cuda.synchronize()
    results: list[list[torch.Tensor]] = [[] for _ in inputs]

    def calls(number: int) -> None:
        stream = torch.cuda.Stream()
        with torch.no_grad(), torch.cuda.stream(stream):
            results[number] = [model(inputs[number]) for _ in range(10)]
        stream.synchronize()

    threads = [threading.Thread(target=calls, args=(number,)) for number in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for wanted, found in zip(expected, results, strict=True):
        assert len(found) == 10
        assert all(torch.allclose(wanted, result, atol=1e-4) for result in found)


@torch.no_grad()
def test_a_captured_graph_replays_the_model() -> None:
    """.NET frees tensors on a thread of its own, in the middle of a capture too."""
    original, model = _resnets()
    x = torch.rand(2, 3, 64, 64, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            model(x)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = model(x)
    for _ in range(3):
        x.copy_(torch.rand_like(x))
        graph.replay()
        assert torch.allclose(result, original(x), atol=1e-4)


@torch.no_grad()
def test_memory_is_near_the_counterparts() -> None:
    """What C# drops is given back in the midst of the call, half a gigabyte at a time where tensors are so large, and all after it."""
    original, model = _resnets()
    x = torch.rand(256, 3, 224, 224, device="cuda")
    peaks = []
    for module in (original, model):
        module(x)
        gc.collect()
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        for _ in range(5):
            module(x)
        peaks.append(torch.cuda.max_memory_allocated() - before)
        assert torch.cuda.memory_allocated() == before
    assert peaks[1] <= 1.5 * peaks[0]


@pytest.mark.dotnet
@torch.no_grad()
def test_a_call_may_drop_more_than_the_device_has(load: Callable[..., Any]) -> None:
    model = load("Dropping")
    count = torch.cuda.mem_get_info()[1] // LARGE + 100
    x = torch.zeros(1, device="cuda")
    assert model(x, count).item() == count
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    model(x, 500)
    assert torch.cuda.max_memory_allocated() - before < 100 * LARGE
    assert torch.cuda.memory_allocated() == before


def test_a_device_without_memory_is_an_error_of_its_own_and_the_process_lives() -> None:
    original, model = _resnets()
    x = torch.rand(1, 3, 64, 64, device="cuda")
    expected = original(x)
    free = torch.cuda.mem_get_info()[0]
    torch.cuda.set_per_process_memory_fraction(0.05)
    try:
        large = torch.zeros(1, 3, 64, 64, device="cuda").expand(free // (64 * 32 * 32 * 4 * 4), 3, 64, 64)
        with pytest.raises(torch.OutOfMemoryError):
            original(large)
        # Before 2.13 libtorch does not tell C# which error it was.
        with pytest.raises(torch.OutOfMemoryError if torch.__version__ >= "2.13" else RuntimeError):
            model(large)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert torch.equal(model(x), expected)


# What Dynamo, inductor and Triton say of themselves and of the device differs from version to version.
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_compiled_by_inductor() -> None:
    original, model = _pair("RNet")
    x = torch.rand(SIZES["RNet"]).cuda()
    results = []
    for module in (original.cuda(), model.cuda()):
        outputs = torch.compile(module)(x)
        sum(output.square().sum() for output in outputs).backward()
        results.append([*outputs, *(parameter.grad for parameter in module.parameters())])
    for expected, result in zip(*results, strict=True):
        assert torch.allclose(expected, result, atol=1e-4, rtol=1e-3)


#: Objects that live until the interpreter ends.
_held: list[Any] = []


@pytest.mark.subprocess
def test_a_process_exits_with_tensors_of_the_device_alive() -> None:
    """.NET's finalizers run when CUDA is being torn down."""
    model: Any = bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet").cuda()
    model.conv1.register_forward_hook(lambda module, args, output: None)
    _held.extend(model(torch.rand(1, 3, 12, 12, device="cuda")) for _ in range(50))
    _held.append(model)
    assert str(_held[0][0].device) == "cuda:0"
