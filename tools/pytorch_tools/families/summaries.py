"""What a model consists of and costs: torchinfo, torchview, ptflops, thop, fvcore, PyTorch's own counters."""

from __future__ import annotations

import contextlib
import inspect
import io
from typing import Any

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from pytorch_tools.cases import Case
from pytorch_tools.checks import Tool, check

torchinfo, torchview, ptflops, thop, fvcore = map(Tool, ("torchinfo", "torchview", "ptflops", "thop", "fvcore.nn"))


@check("torchinfo", "summary with every column, depth 5")
def torchinfo_summary(model: nn.Module, case: Case) -> Any:
    columns = ("input_size", "output_size", "num_params", "params_percent", "kernel_size", "mult_adds", "trainable")
    options = {"depth": 5, "col_names": columns, "row_settings": ("var_names",), "verbose": 0}
    return str(torchinfo.summary(model, input_data=case.inputs(2), **options))


@check("torchview", "draw_graph, the graph's source")
def torchview_graph(model: nn.Module, case: Case) -> Any:
    return torchview.draw_graph(model, input_data=case.inputs(2), depth=5, expand_nested=True).visual_graph.source


@check("ptflops", "get_model_complexity_info, both backends")
def ptflops_complexity(model: nn.Module, case: Case) -> Any:
    x, (name, *_) = case.inputs(1), inspect.signature(model.forward).parameters
    found = []
    for backend in ("pytorch", "aten"):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            counts = ptflops.get_model_complexity_info(
                model,
                tuple(x.shape[1:]),
                input_constructor=lambda shape: {name: x},
                as_strings=False,
                print_per_layer_stat=True,
                backend=backend,
                ost=text,
            )
        found.append((*counts, text.getvalue()))
    return found


@check("thop", "profile")
def thop_profile(model: nn.Module, case: Case) -> Any:
    return thop.profile(model, inputs=(case.inputs(2),), verbose=False, ret_layer_info=True)


@check("fvcore", "FlopCountAnalysis, ActivationCountAnalysis, parameter_count_table")
def fvcore_counts(model: nn.Module, case: Case) -> Any:
    flops = fvcore.FlopCountAnalysis(model, case.inputs(2)).uncalled_modules_warnings(False)
    activations = fvcore.ActivationCountAnalysis(model, case.inputs(2))
    counts = [each.unsupported_ops_warnings(False).by_module_and_operator() for each in (flops, activations)]
    return [
        *({name: dict(by_operator) for name, by_operator in each.items()} for each in counts),
        fvcore.flop_count_table(flops, max_depth=5),
        fvcore.parameter_count_table(model, max_depth=5),
    ]


@check("torch", "torch.utils.flop_counter by module")
def flop_counter(model: nn.Module, case: Case) -> Any:
    with FlopCounterMode(display=False, depth=5) as counter:
        model(case.inputs(2)).sum().backward()
    counts = counter.get_flop_counts()
    return {name: {str(operator): count for operator, count in each.items()} for name, each in counts.items()}


@check(
    "torch",
    "torch.profiler, the operators of a training step",
    reason="The results are equal, some operators are others: libtorch's stable C interface has no number for `add`'s alpha, so C#'s "
    "`a + b` runs as `subtract` with alpha -1; C#'s LSTM makes its first state from a copy.",
)
def profiler(model: nn.Module, case: Case) -> Any:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profile:
        case.loss(model(case.inputs(2)), case.targets(2)).backward()
    events = [event for event in profile.key_averages(True) if event.key.startswith("aten::")]
    return sorted((event.key, event.count, str(event.input_shapes)) for event in events)
