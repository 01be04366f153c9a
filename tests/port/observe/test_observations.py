"""observations.py: the values of one expression, over several runs."""

from __future__ import annotations

import ast
from typing import cast

import torch
from torch import nn

from bridge.port.observe.observations import Method, Observation, name_type, sample


def of(*values: object) -> Observation:
    """Return the observation of these values."""
    found = Observation()
    for value in values:
        found.add(value)
    return found


def test_types_values_and_truths_are_kept() -> None:
    found = of(None, 0, 2)
    assert (found.types, found.values, found.truths) == ({"NoneType", "int"}, [None, 0, 2], {True, False})
    assert found.sample == 0
    tensor = of(torch.rand(2, 3))
    assert (tensor.types, tensor.values, tensor.truths, tensor.shape) == ({"Tensor"}, [], set(), (2, 3))
    assert tensor.sample.shape == (0, 3)


def test_a_few_values_and_a_module_of_each_class_are_kept() -> None:
    modules = [nn.ReLU() for _ in range(6)]
    tanh = nn.Tanh()
    assert of(*modules, tanh, nn.Tanh()).values == [*modules[:4], tanh]


def test_an_empty_list_is_no_sample_where_another_has_items() -> None:
    assert of([], [1, 2]).sample == [1]


def test_another_run_is_added() -> None:
    first, second = of(1), of(2, "a")
    first.merge(second)
    assert (first.types, first.values, first.sample) == ({"int", "str"}, [1, 2, "a"], 1)


_FUNCTION = cast("ast.FunctionDef", ast.parse("def of(): pass").body[0])


def test_a_method_takes_the_nodes_and_calls_of_another_run() -> None:
    node, other = ast.Constant(1), ast.Constant(2)
    method = Method(of.__code__ and of, _FUNCTION, "a/nets.py", 10, {node: of(1)}, [{"x": 1}])
    method.merge({node: of(2), other: of(3)}, [{"x": 2}])
    assert [method.seen[one].values for one in (node, other)] == [[1, 2], [3]]
    assert method.given == [{"x": 1}, {"x": 2}]
    assert method.at(ast.Pass(lineno=3)) == "nets.py:12"


def test_all_tensors_and_all_modules_are_of_one_type() -> None:
    assert [name_type(one) for one in (torch.rand(1), nn.Parameter(), nn.ReLU(), 3)] == [
        "Tensor",
        "Tensor",
        "Module",
        "int",
    ]


def test_a_sample_stands_for_the_type() -> None:
    assert sample({"a": [(torch.rand(3), 1), 2]})["a"][0][0].shape == (0,)
    assert sample(torch.Size([2, 3])) == torch.Size([2, 3])


def test_a_sample_keeps_no_elements_in_memory() -> None:
    whole = torch.rand(100, 100)
    assert [sample(one).untyped_storage().nbytes() for one in (whole, whole[0, 0])] == [0, 4]
    assert sample(whole).shape == (0, 100)


def test_a_large_dictionary_is_sampled_once() -> None:
    found = Observation()
    for number in range(20):
        found.add({number: torch.rand(1)})
    assert list(found.sample) == [0]
    assert (found.types, found.truths, len(found.values)) == ({"dict"}, {True}, 4)
