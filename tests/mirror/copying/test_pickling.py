"""A model in a pickle: what it carries, and when it is refused."""

from __future__ import annotations

import copy
import gc
import math
import multiprocessing
import pickle
import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

Load = Callable[..., bridge.Mirror]
X = torch.ones(2, 3)


def again(model: Any, protocol: int = pickle.HIGHEST_PROTOCOL) -> Any:
    return pickle.loads(pickle.dumps(model, protocol))


def doubled(module: torch.nn.Module, args: Any, output: torch.Tensor) -> torch.Tensor:
    return output * 2


class Counting:
    """A hook that knows its module."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.module, self.calls = module, 0

    def __call__(self, module: torch.nn.Module, args: Any) -> None:
        assert module is self.module
        self.calls += 1


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_model(load: Load, protocol: int) -> None:
    """Weights, flags and attributes; it is a model of its own, and no random number is drawn."""
    model: Any = load("Pair")
    with torch.no_grad():
        model.first.weight.mul_(2)
    model.first.bias.requires_grad_(False)
    model.second.eval()
    model.note = {"a": [1]}
    before = torch.get_rng_state()
    new = again(model, protocol)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(new(X), model(X))
    assert (new.training, new.first.training, new.second.training) == (True, True, False)
    assert (new.note, new.first.bias.requires_grad, type(new)) == ({"a": [1]}, False, type(model))
    assert list(new.state_dict()) == list(model.state_dict())
    assert new.first.weight is not model.first.weight
    with torch.no_grad():
        new.first.weight.zero_()
        new.second.bias.fill_(3)
    assert not torch.equal(new(X), model(X))
    new(X).sum().backward()
    assert model.second.weight.grad is None


def test_constructor_arguments_members_and_buffers(load: Load, models: Path) -> None:
    made = bridge.load(models, "Models.Constructed", 3, sizes=[1, 2])
    assert again(made)(X) == made(X)
    for rate in (math.inf, -math.inf, math.nan):
        made = bridge.load(models, "Models.Constructed", 3, rate)
        assert again(made)(X) == made(X)
    declared: Any = load("Declared")
    declared.rate, declared.sizes, declared.day = 3, (4, 5), "Friday"
    new = again(again(declared))
    assert (new.rate, new.sizes, new.day, new.hidden) == (3, (4, 5), "Friday", 8)
    normed = load("Normed")
    normed(torch.randn(4, 2))
    assert torch.equal(again(normed).state_dict()["norm.running_mean"], normed.state_dict()["norm.running_mean"])


def test_tied_parameters_stay_tied(load: Load) -> None:
    new = again(load("Tied"))
    assert len(list(new.parameters())) == len(list(load("Tied").parameters()))


def test_replaced_children(load: Load) -> None:
    model: Any = load("Pair")
    kept = [model.second]
    model.second = torch.nn.Linear(3, 5)
    for _ in range(2):
        new = again(model)
        assert type(new.second) is torch.nn.Linear
        assert torch.equal(new(X), model(X))
        assert new(X).shape == (2, 5)
        kept.clear()  # C# has it still, Python no longer
        gc.collect()


def test_hooks(load: Load) -> None:
    """Python's, as PyTorch pickles them; C#'s, which the constructor registers; the order is kept, handles remove."""
    model: Any = load("Pair")
    model.first.register_forward_hook(doubled)
    counting = Counting(model.second)
    model.second.register_forward_pre_hook(counting)
    new = again(model)
    assert torch.equal(new(X), model(X))
    (restored,) = new.second._forward_pre_hooks.values()
    assert (restored.module, restored.calls) == (new.second, 1)
    assert counting.calls == 1
    named: Any = load("Named", "forward")
    handle = named.register_forward_hook(doubled)
    new = again(named)
    assert list(new._forward_hooks) == list(named._forward_hooks)
    assert torch.equal(new(X, 2.0), named(X, 2.0))
    handle.remove()
    assert torch.equal(again(named)(X, 2.0), named(X, 2.0))
    copied = again(copy.deepcopy(named))
    assert torch.equal(copied(X, 2.0), named(X, 2.0))
    later = new.register_forward_hook(doubled)
    assert later.id > max(named._forward_hooks)
    named.register_forward_hook(lambda *_: None)
    with pytest.raises((AttributeError, pickle.PicklingError), match="lambda"):
        pickle.dumps(named)


def test_a_part_goes_with_its_model(load: Load) -> None:
    model: Any = load("Outer")
    child, new = again((model.child, model))
    assert child is new.child
    new, child = again([model, model.child])
    assert child is new.child
    alone = again(model.child)
    assert torch.equal(alone(torch.ones(1, 2)), model.child(torch.ones(1, 2)))


def test_a_part_whose_model_is_gone(load: Load) -> None:
    child: Any = load("Six").child
    gc.collect()
    args = (torch.ones(1, 2), 2, 0.5, True, "a")
    assert torch.equal(again(child)(*args), child(*args))
    copied = copy.deepcopy(load("Six").child)
    assert torch.equal(again(again(copied))(*args), child(*args))


def test_copies(load: Load) -> None:
    model: Any = load("Pair")
    for made in (copy.copy(model), copy.deepcopy(model), copy.deepcopy(again(model)), again(copy.deepcopy(model))):
        assert torch.equal(again(made)(X), model(X))


def test_within_a_python_module(load: Load) -> None:
    model = torch.nn.Sequential(load("Pair"), torch.nn.ReLU())
    assert torch.equal(again(model)(X), model(X))


def test_parametrized_modules_are_refused_as_in_pytorch(load: Load) -> None:
    model: Any = load("Pair")
    torch.nn.utils.parametrizations.weight_norm(model.first)
    with pytest.raises(
        RuntimeError, match="Serialization of parametrized modules is only supported through state_dict"
    ):
        pickle.dumps(model)


def test_another_assembly_is_refused(models: Path, tmp_path: Path) -> None:
    """The assembly is found by its path, and its digest is checked."""
    place = tmp_path / "Models.dll"
    shutil.copy(models, place)
    written = pickle.dumps(bridge.load(place, "Models.Pair"))
    assert pickle.loads(written)(X).shape == (2, 3)
    with place.open("ab") as file:
        file.write(b"\0")
    with pytest.raises(pickle.UnpicklingError, match=r"Models\.dll \(Models\.Pair\) is not the assembly .* SHA-256"):
        pickle.loads(written)
    place.unlink()
    with pytest.raises(FileNotFoundError, match=r"the pickle needs the assembly .*Models\.dll \(Models\.Pair\)"):
        pickle.loads(written)


@pytest.fixture
def saved(load: Load, tmp_path: Path) -> tuple[Path, list[list[float]]]:
    """Save a model; return the file and its result of X."""
    model = load("Pair")
    torch.save(model, tmp_path / "model.pt")
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(tmp_path / "model.pt", weights_only=True)
    return tmp_path / "model.pt", model(X).tolist()


@pytest.mark.subprocess
def test_torch_load_in_another_process(saved: tuple[Path, list[list[float]]]) -> None:
    """``torch.load`` reads the model of another process; it can be pickled again."""
    file, expected = saved
    model = torch.load(file, weights_only=False)
    assert torch.equal(model(X), torch.tensor(expected))
    assert isinstance(model, bridge.Mirror)
    assert torch.equal(again(model)(X), torch.tensor(expected))


def call(model: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Call a model without gradients: the work of a spawned process."""
    with torch.no_grad():
        result: torch.Tensor = model(x)
    return result


@pytest.mark.subprocess
def test_a_spawned_process(models: Path) -> None:
    """A model goes to a spawned process and computes there; an exception of C# comes back."""
    model = bridge.load(models, "Models.Pair")
    model.get_submodule("second").register_forward_hook(doubled)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert torch.equal(pool.submit(call, model, X).result(), call(model, X))
        throwing = bridge.load(models, "Models.Pair")
        with pytest.raises(bridge.DotNetError) as raised:
            pool.submit(call, throwing, torch.randn(2, 4)).result()
    assert raised.value.module_path == "first"


def test_what_c_sharp_added_after_loading(load: Load) -> None:
    """A built-in is PyTorch's object; of a class of C#'s own nobody knows what its constructor was given, and the error names it."""
    net: Any = load("Growing")
    x = torch.ones(1, 2)
    net.Change = "append"
    net(x)
    assert torch.equal(again(net.layers[2])(x), net.layers[2](x))
    text = (
        r"^C# added 'named\.second' \(Step\) after the model was loaded, and its constructor's arguments are not known, "
        r"so it cannot be pickled: save its state_dict$"
    )
    for part in (net.named["second"], net):
        with pytest.raises(TypeError, match=text):
            pickle.dumps(part)
    del net.named["second"]
    new = again(net)
    assert torch.equal(new(x), net(x))
