"""instrumentation.py: functions record their values while they are instrumented."""

from __future__ import annotations

import ast
from collections.abc import Callable

import torch

from bridge.port.observe.instrumentation import Instrumentation
from bridge.port.observe.observations import Method
from bridge.port.observe.sources import read_method

SCALE = 2.0


def inner(x: torch.Tensor) -> torch.Tensor:
    return x * SCALE


def outer(x: torch.Tensor) -> torch.Tensor:
    def nested(y: torch.Tensor) -> torch.Tensor:
        return inner(y)

    return torch.relu(nested(x))


def closed(size: int) -> Callable[[int], int]:
    def add(n: int) -> int:
        return n + size

    return add


def methods_of(function: Callable[..., object]) -> dict[object, Method]:
    method = read_method(function)
    assert method is not None
    return {method.function: method}


def values(method: Method) -> dict[str, list[object]]:
    return {ast.unparse(node): seen.values for node, seen in method.seen.items()}


def test_a_function_that_is_called_is_instrumented_before_the_call() -> None:
    methods = methods_of(outer)
    codes = outer.__code__, inner.__code__
    with Instrumentation(methods, lambda kind: False):  # type: ignore[arg-type]  # the keys are functions
        outer(torch.rand(2))
    assert set(methods) == {outer, inner}, "neither PyTorch's function nor the nested one, which is a part of outer"
    assert values(methods[inner])["SCALE"] == [2.0]
    assert [given["x"].shape for given in methods[inner].given] == [(0,)]
    assert (outer.__code__, inner.__code__) == codes
    assert not [name for name in globals() if "bridge_port" in name]


def test_the_arguments_of_a_nested_function_are_recorded() -> None:
    methods = methods_of(closed)
    with Instrumentation(methods, lambda kind: False):  # type: ignore[arg-type]  # the keys are functions
        add = closed(5)
        add(2)
    (nested,) = methods[closed].nested.items()
    assert nested == (add.__code__, methods[closed].tree.body[0])
    assert methods[closed].seen[nested[1].args.args[0]].values == [2]


def test_a_closure_keeps_what_it_closes_over() -> None:
    function = closed(5)
    methods = methods_of(function)
    with Instrumentation(methods, lambda kind: False):  # type: ignore[arg-type]  # the keys are functions
        assert function(1) == 6
    assert values(methods[function])["size"] == [5]


def test_a_tentative_run_that_raises_leaves_no_observation() -> None:
    methods = methods_of(outer)
    with Instrumentation(methods, lambda kind: False) as instrumentation:  # type: ignore[arg-type]  # the keys are functions
        with instrumentation.tentative():
            outer("no tensor")  # type: ignore[arg-type]  # so that it raises
        assert not methods[outer].seen
        assert set(methods) == {outer}
        with instrumentation.tentative():
            outer(torch.rand(2))
        assert set(methods) == {outer, inner}
        assert len(methods[outer].given) == 1
