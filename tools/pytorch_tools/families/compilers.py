"""What turns a model into a graph: torch.compile, torch.export, ONNX, torch.fx, TorchScript, make_fx; and pickles."""

from __future__ import annotations

import copy
import io
import multiprocessing
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx.experimental import proxy_tensor

from pytorch_tools.cases import IMAGES, Case
from pytorch_tools.checks import Run, Tool, add, check

onnxruntime = Tool("onnxruntime")
feature_extraction, torchvision_utils = Tool("torchvision.models.feature_extraction"), Tool("torchvision.models._utils")


def _reloaded(namespace: Any, program: Any) -> Any:
    """Return what ``torch.export`` or ``torch.jit`` loads of what it saved."""
    file = io.BytesIO()
    namespace.save(program, file)
    file.seek(0)
    return namespace.load(file)


def _operators(graph: Any) -> list[str]:
    return [str(node.target) for node in graph.nodes if node.op == "call_function"]


def _dynamic_batch() -> Any:
    return ({0: torch.export.Dim("batch", min=2, max=64)},)


@check("torch", "torch.compile with inductor: eval and three training steps", tolerance=2e-5)
def compile_inductor(model: nn.Module, case: Case) -> Any:
    compiled = torch.compile(model)
    with torch.no_grad():
        scores = compiled(case.inputs(2))
    for child in model.modules():
        if isinstance(child, nn.Dropout):
            child.p = 0.0  # inductor draws its own random numbers
    loss = case.loss(compiled(case.inputs(2)), case.targets(2))
    loss.backward()
    return [scores, loss, [parameter.grad for parameter in model.parameters()]]


@check("torch", "torch.compile(dynamic=True) with aot_eager, two shapes")
def compile_dynamic(model: nn.Module, case: Case) -> Any:
    compiled = torch.compile(model, backend="aot_eager", dynamic=True)
    return [compiled(case.inputs(2)), compiled(case.inputs(5))]


@check("torch", "torch.compile(fullgraph=True)", refusal=True)
@torch.no_grad()
def compile_fullgraph(model: nn.Module, case: Case) -> Any:
    return torch.compile(model, backend="eager", fullgraph=True)(case.inputs(2))


@check("torch", "torch.export: strict=False, its program run, saved and loaded")
def export_program(model: nn.Module, case: Case) -> Any:
    program = torch.export.export(model, (case.inputs(2),), strict=False)
    results = [each.module()(case.inputs(2)) for each in (program, _reloaded(torch.export, program))]
    return [results, sorted(_operators(program.graph))]


@check("torch", "torch.export with a dynamic batch, run with another")
def export_dynamic(model: nn.Module, case: Case) -> Any:
    program = torch.export.export(model, (case.inputs(4),), dynamic_shapes=_dynamic_batch(), strict=False)
    return [program.module()(case.inputs(n)) for n in (4, 3)]


@check("torch", "AOTInductor: torch._inductor.aoti_compile_and_package", cases=("LeNet", "GPT"), tolerance=2e-5)
def aoti(model: nn.Module, case: Case) -> Any:
    program = torch.export.export(model, (case.inputs(2),), strict=False)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        path = torch._inductor.aoti_compile_and_package(program, package_path=f"{folder}/model.pt2")
        return torch._inductor.aoti_load_package(path)(case.inputs(2))


def _onnx(*batches: int, **options: Any) -> Run:
    """Return a check that exports a model, and runs it on batches of these sizes, of which the first is exported."""

    def run(model: nn.Module, case: Case) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            torch.onnx.export(model, (case.inputs(4),), path, verbose=False, input_names=["words"], **options)
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            name = session.get_inputs()[0].name
            return [torch.from_numpy(session.run(None, {name: case.inputs(n).numpy()})[0]) for n in batches]

    return run


for _name, _dynamo, _dynamic in (
    ("onnx_dynamo", True, {"dynamic_shapes": _dynamic_batch()}),
    ("onnx_older", False, {"dynamic_axes": {"words": {0: "batch"}}}),
):
    _what = f"torch.onnx.export(dynamo={_dynamo})"
    add(_name, "onnx", f"{_what}, run by onnxruntime", _onnx(4, dynamo=_dynamo), tolerance=1e-5)
    _run = _onnx(4, 3, dynamo=_dynamo, **_dynamic)
    add(f"{_name}_dynamic", "onnx", f"{_what} with a dynamic batch, run with another", _run, tolerance=1e-5)


@check("torch", "jit.trace, run with another batch, saved and loaded")
def jit_trace(model: nn.Module, case: Case) -> Any:
    traced = torch.jit.trace(model, (case.inputs(2),))
    loaded = _reloaded(torch.jit, traced)
    return [traced(case.inputs(3)), loaded(case.inputs(3)), sorted(loaded.state_dict())]


def _converted(convert: Callable[..., Any]) -> Run:
    return lambda model, case: convert(model)(case.inputs(2))


add("jit_script", "torch", "jit.script", _converted(torch.jit.script), refusal=True)
add("fx_symbolic_trace", "torch", "fx.symbolic_trace", _converted(torch.fx.symbolic_trace), refusal=True)


@check("torch", "make_fx, the graph's operators")
def make_fx(model: nn.Module, case: Case) -> Any:
    traced = proxy_tensor.make_fx(model)(case.inputs(2))
    return [traced(case.inputs(2)), _operators(traced.graph)]


@check("torchvision", "create_feature_extractor", cases=IMAGES, refusal=True)
def feature_extractor(model: nn.Module, case: Case) -> Any:
    return dict(feature_extraction.create_feature_extractor(model, {case.layer: "middle"})(case.inputs(2)))


@check("torchvision", "IntermediateLayerGetter", cases=("ResNet-18",))
def layer_getter(model: nn.Module, case: Case) -> Any:
    layers = {"layer2": "middle", "layer4": "last"}
    return dict(torchvision_utils.IntermediateLayerGetter(model, layers)(case.inputs(2)))


_READER = """
import sys, torch
torch.set_num_threads(1)
model, x = (torch.load(path, weights_only=False) for path in sys.argv[1:3])
torch.save(model(x), sys.argv[3])
"""


@check("torch", "torch.save(model) and torch.load in another process")
def saved_whole(model: nn.Module, case: Case) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        saved, given, result = paths = [f"{folder}/{name}.pt" for name in ("model", "input", "result")]
        torch.save(copy.deepcopy(model), saved)
        torch.save(case.inputs(2), given)
        subprocess.run([sys.executable, "-c", _READER, *paths], check=True)
        return torch.load(result)


def _predict(model: nn.Module, x: Tensor) -> Any:
    torch.set_num_threads(1)
    with torch.no_grad():
        return model(x).numpy()


@check("torch", "multiprocessing with spawn: the model is sent to a worker")
def spawned(model: nn.Module, case: Case) -> Any:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_predict, (model, case.inputs(2)))
