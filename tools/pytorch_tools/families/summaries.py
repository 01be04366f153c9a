"""What a model consists of and costs: torchinfo, torchview, ptflops, thop, fvcore, PyTorch's own counters."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import torch
from torch import nn

from pytorch_tools.cases import Case
from pytorch_tools.checks import check


@check("torchinfo", "summary with every column, depth 5")
def torchinfo_summary(model: nn.Module, case: Case) -> Any:
    import torchinfo

    columns = ("input_size", "output_size", "num_params", "params_percent", "kernel_size", "mult_adds", "trainable")
    return str(
        torchinfo.summary(
            model, input_data=case.inputs(2), depth=5, col_names=columns, row_settings=("var_names",), verbose=0
        )
    )


@check("torchview", "draw_graph, the graph's source")
def torchview_graph(model: nn.Module, case: Case) -> Any:
    from torchview import draw_graph

    return draw_graph(model, input_data=case.inputs(2), depth=5, expand_nested=True).visual_graph.source


@check("ptflops", "get_model_complexity_info, both backends")
def ptflops_complexity(model: nn.Module, case: Case) -> Any:
    from ptflops import get_model_complexity_info

    x = case.inputs(1)
    found = []
    for backend in ("pytorch", "aten"):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            counts = get_model_complexity_info(
                model,
                tuple(x.shape[1:]),
                input_constructor=lambda shape: {"input" if _has_input(model) else "x": x},
                as_strings=False,
                print_per_layer_stat=True,
                backend=backend,
                ost=text,
            )
        found.append((*counts, text.getvalue()))
    return found


def _has_input(model: nn.Module) -> bool:
    import inspect

    return "input" in inspect.signature(model.forward).parameters


@check("thop", "profile")
def thop_profile(model: nn.Module, case: Case) -> Any:
    import thop

    return thop.profile(model, inputs=(case.inputs(2),), verbose=False, ret_layer_info=True)


@check("fvcore", "FlopCountAnalysis, ActivationCountAnalysis, parameter_count_table")
def fvcore_counts(model: nn.Module, case: Case) -> Any:
    from fvcore.nn import ActivationCountAnalysis, FlopCountAnalysis, flop_count_table, parameter_count_table

    flops = FlopCountAnalysis(model, case.inputs(2)).unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    activations = ActivationCountAnalysis(model, case.inputs(2)).unsupported_ops_warnings(False)
    return [
        {name: dict(counts) for name, counts in flops.by_module_and_operator().items()},
        {name: dict(counts) for name, counts in activations.by_module_and_operator().items()},
        flop_count_table(flops, max_depth=5),
        parameter_count_table(model, max_depth=5),
    ]


@check("torch", "torch.utils.flop_counter by module")
def flop_counter(model: nn.Module, case: Case) -> Any:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False, depth=5) as counter:
        model(case.inputs(2)).sum().backward()
    return {
        name: {str(op): count for op, count in counts.items()} for name, counts in counter.get_flop_counts().items()
    }


@check(
    "torch",
    "torch.profiler, the operators of a training step",
    reason="The results are equal, some operators are others: libtorch's stable C interface has no number for `add`'s alpha, so C#'s "
    "`a + b` runs as `subtract` with alpha -1; C#'s LSTM makes its first state from a copy.",
)
def profiler(model: nn.Module, case: Case) -> Any:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profile:
        case.loss(model(case.inputs(2)), case.targets(2)).backward()
    return sorted(
        (event.key, event.count, str(event.input_shapes))
        for event in profile.key_averages(True)
        if event.key.startswith("aten::")
    )
