"""Whose parameters: whatever the mirror has when a C# forward starts is what C# reads."""

from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.nn.utils import parametrize, prune

from bridge.mirror.link import Link, linked
from bridge.mirror.synchronization import update

Pairs = Callable[[], tuple[torch.nn.Module, torch.nn.Module]]
X = torch.arange(6.0).reshape(2, 3)


def _equal(pair: tuple[torch.nn.Module, torch.nn.Module], x: torch.Tensor = X) -> None:
    counterpart, mirror = pair
    expected, result = counterpart(x), mirror(x)
    assert result.dtype == expected.dtype
    assert torch.equal(result, expected)


def test_values_changed_in_place(pairs: Pairs) -> None:
    pair = pairs()
    before = pair[1](X)
    for model in pair:
        with torch.no_grad():
            model.first.weight.mul_(2)
            model.second.bias.data = torch.ones(3)
    _equal(pair)
    assert not torch.equal(pair[1](X), before)


def test_parameters_assigned(pairs: Pairs) -> None:
    pair = pairs()
    weight = torch.nn.Parameter(torch.eye(3))
    for model in pair:
        model.first.weight = weight
        model.second._parameters["weight"] = weight
    _equal(pair)


def test_functional_call_uses_what_it_is_given(pairs: Pairs) -> None:
    """I-17, and afterwards the module's own parameters are back."""
    counterpart, mirror = pairs()
    own = mirror(X)
    given = {name: torch.full_like(value, 0.5) for name, value in counterpart.named_parameters()}
    expected = torch.func.functional_call(counterpart, given, (X,))
    assert torch.equal(torch.func.functional_call(mirror, given, (X,)), expected)
    assert torch.equal(mirror(X), own)


def test_vmapped_and_differentiated_parameters(pairs: Pairs) -> None:
    counterpart, mirror = pairs()
    stacked = {name: torch.randn(4, *value.shape) for name, value in counterpart.named_parameters()}

    def run(model: torch.nn.Module) -> Any:
        return torch.vmap(lambda params: torch.func.functional_call(model, params, (X,)))(stacked)

    assert torch.allclose(run(mirror), run(counterpart))

    def loss(model: torch.nn.Module) -> Any:
        return torch.func.grad(lambda params: torch.func.functional_call(model, params, (X,)).square().sum())(
            dict(model.named_parameters())
        )

    for expected, result in zip(loss(counterpart).values(), loss(mirror).values(), strict=True):
        assert torch.equal(expected, result)


def test_load_state_dict_assigns(pairs: Pairs) -> None:
    counterpart, mirror = pairs()
    state = {name: torch.full_like(value, 0.25) for name, value in counterpart.state_dict().items()}
    for model in (counterpart, mirror):
        model.load_state_dict(copy.deepcopy(state), assign=True)
    _equal((counterpart, mirror))


@pytest.fixture(params=["data", "overwrite", "swap"])
def conversion(request: pytest.FixtureRequest) -> Iterator[str]:
    """Set each of the three ways in which ``_apply`` converts parameters."""
    future = torch.__future__
    future.set_overwrite_module_params_on_conversion(request.param == "overwrite")
    future.set_swap_module_params_on_conversion(request.param == "swap")
    yield request.param
    future.set_overwrite_module_params_on_conversion(False)
    future.set_swap_module_params_on_conversion(False)


def test_conversion(pairs: Pairs, conversion: str) -> None:
    """``double()`` after a call: no handle is held that would forbid swapping, and the new values are read."""
    pair = pairs()
    _equal(pair)
    for model in pair:
        model.double()
    _equal(pair, X.double())
    for model in pair:
        model.float()
    _equal(pair)


def test_swapped_tensors(pairs: Pairs) -> None:
    pair = pairs()
    _equal(pair)
    for model in pair:
        torch.utils.swap_tensors(model.first.weight, torch.nn.Parameter(torch.eye(3)))
    _equal(pair)


def test_to_meta_and_to_empty(pairs: Pairs) -> None:
    _, mirror = pairs()
    mirror.to("meta")
    result = mirror(torch.empty(2, 3, device="meta"))
    assert result.device.type == "meta"
    mirror.to_empty(device="cpu")
    with torch.no_grad():
        for parameter in mirror.parameters():
            parameter.fill_(1)
    assert torch.equal(mirror(torch.ones(1, 3)), torch.full((1, 3), 13.0))


def test_parametrized_weights(pairs: Pairs) -> None:
    """A weight that is computed at each access is computed for each forward; its own module's hooks fire."""
    pair = pairs()
    logs = []
    for model in pair:
        log: list[str] = []
        parametrize.register_parametrization(model.first, "weight", torch.nn.Softmax(0))
        model.first.parametrizations.weight[0].register_forward_hook(lambda *_, log=log: log.append("softmax"))
        logs.append(log)
    _equal(pair)
    with torch.no_grad():
        for model in pair:
            model.first.parametrizations.weight.original.mul_(3)
    _equal(pair)
    assert len(logs[0]) == 2
    assert logs[1] == logs[0]
    gradients = []
    for model in pair:
        model(X).sum().backward()
        gradients.append(model.first.parametrizations.weight.original.grad)
    assert torch.equal(*gradients)


def test_pruned_weights(pairs: Pairs) -> None:
    pair = pairs()
    for model in pair:
        prune.l1_unstructured(model.second, "weight", amount=4)
    _equal(pair)
    for model in pair:
        prune.remove(model.second, "weight")
    _equal(pair)


def test_a_hook_changes_a_bare_siblings_weight(pairs: Pairs) -> None:
    """In the middle of a call: the second child starts with what the first one's hook put there."""
    pair = pairs()
    for model in pair:
        model.first.register_forward_hook(
            lambda *_, m=model: setattr(m.second, "weight", torch.nn.Parameter(torch.eye(3)))
        )
    _equal(pair)


def test_bias_set_to_none(pairs: Pairs) -> None:
    pair = pairs()
    for model in pair:
        model.first.bias = None
    _equal(pair)


def test_a_lost_parameter_is_named(pairs: Pairs) -> None:
    _, mirror = pairs()
    del mirror.first.weight
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'weight'"):
        mirror(X)


def test_no_handle_is_held_between_calls(pairs: Pairs) -> None:
    counterpart, mirror = pairs()
    mirror(X)
    assert mirror.first.weight._use_count() == counterpart.first.weight._use_count()


def test_replaced_child_runs_in_the_old_ones_place(pairs: Pairs) -> None:
    """Assigned, added or written into ``_modules``: never ignored."""
    for way in ("assign", "add_module", "write"):
        pair = pairs()
        new = torch.nn.Linear(3, 3)
        for model in pair:
            if way == "assign":
                model.first = new
            elif way == "add_module":
                model.add_module("first", new)
            else:
                model._modules["first"] = new
        _equal(pair)
        assert {name for name, _ in pair[1].named_parameters()} == {name for name, _ in pair[0].named_parameters()}


def test_replaced_child_has_hooks_and_gradients(pairs: Pairs) -> None:
    pair = pairs()
    new = torch.nn.Linear(3, 3)
    logs = []
    for model in pair:
        log: list[Any] = []
        model.first = new
        handle = new.register_forward_hook(lambda module, args, result, log=log: log.append(args[0].sum().item()))
        model(X).sum().backward()
        logs.append((log, new.weight.grad.clone()))
        new.weight.grad = None
        handle.remove()
    assert logs[0][0] == logs[1][0]
    assert torch.equal(logs[0][1], logs[1][1])


def test_a_child_put_back_is_itself_again(pairs: Pairs) -> None:
    pair = pairs()
    for model in pair:
        old = model.first
        model.first = torch.nn.Identity()
        model(X)
        model.first = old
    _equal(pair)


def test_a_child_of_another_model(pairs: Pairs) -> None:
    """One mirror in place of another."""
    (counterpart, mirror), (other_counterpart, other) = pairs(), pairs()
    counterpart.first, mirror.first = other_counterpart.second, other.second
    _equal((counterpart, mirror))


def test_a_deleted_child_is_named(pairs: Pairs) -> None:
    _, mirror = pairs()
    del mirror.second
    with pytest.raises(AttributeError, match="'second' was deleted"):
        mirror(X)


def test_training_updates_what_csharp_reads(pairs: Pairs) -> None:
    """Ten steps of SGD give the counterpart's weights."""
    counterpart, mirror = pairs()
    for model in (counterpart, mirror):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(10):
            optimizer.zero_grad()
            model(X).square().mean().backward()
            optimizer.step()
    for expected, result in zip(counterpart.parameters(), mirror.parameters(), strict=True):
        assert torch.equal(expected, result)


def test_a_shared_child_is_replaced_everywhere_or_nowhere(load: Callable[..., Any]) -> None:
    """In .NET it is one object: replacing it in only one of its places is impossible, and is not ignored."""
    model = load("Tied")
    x = torch.ones(1, 2)
    model.two = torch.nn.Identity()
    with pytest.raises(RuntimeError, match="one and two are one module in .NET"):
        model(x)
    model.one = model.two
    assert torch.equal(model(x), x)


def test_a_parent_reads_the_parameter_of_a_child_that_it_never_calls(load: Callable[..., Any]) -> None:
    """Rebound between calls, by functional_call, and by a hook in the middle of one."""
    model = load("Borrower")
    x = torch.ones(1, 2)
    model.table.weight = torch.nn.Parameter(torch.full((2, 2), 3.0))
    assert torch.equal(model(x), torch.full((1, 2), 6.0))
    assert torch.equal(torch.func.functional_call(model, {"table.weight": torch.eye(2)}, (x,)), x)
    assert torch.equal(model(x), torch.full((1, 2), 6.0))
    model.act.register_forward_hook(lambda *_: setattr(model.table, "weight", torch.nn.Parameter(torch.eye(2))))
    assert torch.equal(model(x), x)


def test_a_parent_reads_the_parameter_of_what_replaced_its_child(load: Callable[..., Any]) -> None:
    """Issue: what was replaced is replaced. Also once the old child is gone, and when the new one is written."""
    model = load("Borrower")
    x = torch.ones(1, 2)
    model.table = torch.nn.Embedding.from_pretrained(torch.eye(2) * 3)
    gc.collect()
    assert torch.equal(model(x), torch.full((1, 2), 3.0))
    model.table.weight = torch.nn.Parameter(torch.eye(2) * 5)
    assert torch.equal(model(x), torch.full((1, 2), 5.0))
    model.table.weight = None
    with pytest.raises(RuntimeError, match=r"^C# reads 'table\.weight', which is None in Python \(Embedding\)$"):
        model(x)


def test_what_replaced_a_child_lacks_what_csharp_reads(load: Callable[..., Any]) -> None:
    """The error names the module path, the attribute and the class of the replacement."""
    model = load("Borrower")
    model.table = torch.nn.Identity()
    text = r"^C# reads 'table\.weight', but in Python 'table' is of class Identity, which has no 'weight'$"
    for _ in range(2):
        with pytest.raises(AttributeError, match=text):
            model(torch.ones(1, 2))
    model.table = torch.nn.Embedding.from_pretrained(torch.eye(2))
    assert torch.equal(model(torch.ones(1, 2)), torch.ones(1, 2))


def test_a_deleted_parameter_is_an_attribute_error(
    pairs: Callable[[], tuple[Any, Any]], load: Callable[..., Any]
) -> None:
    """As in PyTorch, whether C# computes the layer, Python listens to it, or C# reads the parameter by itself; and None is not deleted."""
    counterpart, mirror = pairs()
    for name in ("weight", "bias"):
        for model in (counterpart, mirror):
            kept = getattr(model.first, name)
            delattr(model.first, name)
            with pytest.raises(AttributeError, match=f"'Linear' object has no attribute '{name}'"):
                model(torch.ones(1, 3))
            setattr(model.first, name, kept)
            model(torch.ones(1, 3))
    reader = load("Borrower")
    weight = reader.table.weight
    del reader.table.weight
    with pytest.raises(AttributeError, match="has no 'weight'"):
        reader(torch.ones(1, 2))
    reader.table.weight = None
    with pytest.raises(RuntimeError, match="which is None in Python"):
        reader(torch.ones(1, 2))
    reader.table.weight = weight
    reader(torch.ones(1, 2))


def test_what_the_object_itself_has_comes_before_its_parameters(pairs: Callable[[], tuple[Any, Any]]) -> None:
    """A plain tensor in a parameter's place, and a parameter of that name put into the dictionary afterwards: attributes are found so."""
    results = []
    for model in pairs():
        del model.first.weight
        model.first.weight = torch.eye(3)
        model.first._parameters["weight"] = torch.nn.Parameter(torch.zeros(3, 3))
        results.append(model(torch.ones(1, 3)))
    assert torch.equal(*results)


def test_a_property_comes_before_what_is_put_into_the_dictionary(load: Callable[..., Any]) -> None:
    """A parameter under the name of a parametrized one is not what Python reads, and so not what C# reads."""
    reader = load("Borrower")
    parametrize.register_parametrization(reader.table, "weight", torch.nn.Softmax(0))
    expected = reader(torch.ones(1, 2))
    assert torch.equal(reader(torch.ones(1, 2)), expected)
    reader.table._parameters["weight"] = torch.nn.Parameter(torch.zeros(2, 2))
    assert torch.equal(reader(torch.ones(1, 2)), expected)


def test_what_a_thread_reports_while_the_old_child_is_being_freed_stays_alive(
    pairs: Pairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C# reads the new child's parameters by address, also where it was told of them in the midst of the old one's end."""
    _, net = pairs()
    net(X)
    leave = linked(net.first).runtime.exports.detach_mirror

    def leaving(id: int) -> None:
        leave(id)
        monkeypatch.undo()
        net(X)  # as another thread may

    monkeypatch.setattr(linked(net.first).runtime.exports, "detach_mirror", leaving)
    net.first = torch.nn.Linear(3, 3)
    reported = weakref.ref(net.first.weight)
    net.first = torch.nn.Linear(3, 3)
    gc.collect()
    assert reported() is not None
    net(X)
    assert reported() is None


def test_a_report_that_comes_too_late_frees_nothing(load: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a list that has more by now C# takes nothing, so what another thread reported of it stays alive."""
    net = load("Collections")
    net(torch.ones(1, 2))
    link = linked(net.scales)
    read_tensors = update.read_tensors

    def read_late(reader: Link, *arguments: Any) -> Any:
        late = read_tensors(reader, *arguments)
        if reader is link:
            monkeypatch.undo()
            net.scales.append(torch.ones(2))
            net(torch.ones(1, 2))  # as another thread may
        return late

    monkeypatch.setattr(update, "read_tensors", read_late)
    net.scales[0] = torch.nn.Parameter(torch.ones(2))
    net(torch.ones(1, 2))
    reported = weakref.ref(net.scales[2])
    net.scales[2] = torch.nn.Parameter(torch.ones(2))
    gc.collect()
    assert reported() is not None
    net(torch.ones(1, 2))
    assert reported() is None
