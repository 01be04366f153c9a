"""collections.py: chains, lists and dictionaries of modules, from lists that are made in loops."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.ir.errors import Untranslatable
from tests.port.frontend.construction.making import made


def appended(a: int, n: int) -> nn.Module:
    layers: list[nn.Module] = []
    for _ in range(n):
        layers.append(nn.Linear(a, a))
    layers += [nn.ReLU(), nn.Dropout(0.5)]
    return nn.Sequential(*layers)


def of_one_class(a: int, n: int) -> nn.Module:
    layers = []
    for place in range(n):
        layers.append(nn.Linear(a, a + place))
    return nn.ModuleList(layers)


def comprehended(a: int, n: int) -> nn.Module:
    return nn.ModuleList([nn.Linear(a, a) for _ in range(n)])


def generated(a: int, n: int) -> nn.Module:
    return nn.ModuleList(nn.Linear(a, a) for _ in range(n))


def between(a: int, n: int) -> nn.Module:
    return nn.Sequential(nn.Linear(a, a), *[nn.Linear(a, a) for _ in range(n)], nn.ReLU())


def ordered(a: int) -> nn.Module:
    return nn.Sequential(OrderedDict([("fc", nn.Linear(a, a)), ("act", nn.ReLU())]))


def filled(a: int, n: int) -> nn.Module:
    net = nn.Sequential()
    for place in range(n):
        net.add_module(f"layer{place + 1}", nn.Linear(a, a))
    net.append(nn.ReLU())
    return net


def grown(a: int, n: int) -> nn.Module:
    net = nn.ModuleList()
    for _ in range(n):
        net.append(nn.Linear(a, a))
    net.extend([nn.ReLU()])
    return net


def heads(a: int) -> nn.Module:
    found = {}
    for name in ["one", "two"]:
        found[name] = nn.Linear(a, a)
    return nn.ModuleDict(found)


def several(a: int) -> nn.Module:
    return nn.ModuleDict(dict(embed=nn.Embedding(a, a), layers=nn.ModuleList([nn.Linear(a, a)])))  # noqa: C408  # as models write it


def parameters(a: int, n: int) -> nn.Module:
    return nn.ParameterList([nn.Parameter(torch.ones(a)) for _ in range(n)])


@pytest.mark.parametrize(
    ("function", "given", "wanted"),
    [
        (
            appended,
            (2, 2),
            "var layers = new List<Module<Tensor, Tensor>>();\n"
            "for (long i = 0; i < n; i++)\n{\n    layers.Add(Linear(a, a));\n}\n"
            "layers.AddRange(new List<Module<Tensor, Tensor>> { ReLU(), Dropout() });\n"
            "return Sequential(layers);",
        ),
        (
            of_one_class,
            (2, 2),
            "var layers = new List<Linear>();\n"
            "for (long place = 0; place < n; place++)\n{\n    layers.Add(Linear(a, a + place));\n}\n"
            "return new ModuleList<Linear>([.. layers]);",
        ),
        (
            comprehended,
            (2, 2),
            "return new ModuleList<Linear>([.. PythonMath.Range(0, n).Select(_ => Linear(a, a))]);",
        ),
        (
            generated,
            (2, 2),
            "return new ModuleList<Linear>([.. PythonMath.Range(0, n).Select(_ => Linear(a, a))]);",
        ),
        (
            between,
            (2, 2),
            "return Sequential(\n    (List<Module<Tensor, Tensor>>)"
            "[Linear(a, a), .. PythonMath.Range(0, n).Select(_ => Linear(a, a)), ReLU()]);",
        ),
        (ordered, (2,), 'return Sequential(("fc", Linear(a, a)), ("act", ReLU()));'),
        (
            filled,
            (2, 2),
            "var net = Sequential();\nfor (long place = 0; place < n; place++)\n{\n"
            '    net.append($"layer{place + 1}", Linear(a, a));\n}\nnet.append(ReLU());\nreturn net;',
        ),
        (
            grown,
            (2, 2),
            "var net = new ModuleList<Module<Tensor, Tensor>>();\nfor (long i = 0; i < n; i++)\n{\n"
            "    net.append(Linear(a, a));\n}\nnet.extend(new ReLU[] { ReLU() });\nreturn net;",
        ),
        (
            heads,
            (2,),
            "var found = new Dictionary<string, Linear>();\n"
            'foreach (var name in new[] { "one", "two" })\n{\n    found[name] = Linear(a, a);\n}\n'
            "return ModuleDict<Linear>([.. found.Select(entry => (entry.Key, entry.Value))]);",
        ),
        (
            several,
            (2,),
            'return ModuleDict<Module>(("embed", Embedding(a, a)), ("layers", new ModuleList<Linear>(Linear(a, a))));',
        ),
        (
            parameters,
            (2, 2),
            "return ParameterList([.. PythonMath.Range(0, n).Select(_ => new Parameter(torch.ones(a)))]);",
        ),
    ],
)
def test_a_collection_is_made_of_what_a_loop_makes(function: Any, given: tuple[Any, ...], wanted: str) -> None:
    assert made(function, *given) == wanted


def of_more(a: int) -> nn.Module:
    return nn.Sequential(nn.LSTM(a, a))


def test_a_chain_of_other_modules_is_refused() -> None:
    with pytest.raises(Untranslatable, match="other than one tensor"):
        made(of_more, 2)
