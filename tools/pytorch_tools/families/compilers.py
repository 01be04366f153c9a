"""What turns a model into a graph: torch.compile, torch.export, ONNX, torch.fx, TorchScript, make_fx; and pickles."""

from __future__ import annotations

import copy
import io
import multiprocessing
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from pytorch_tools.cases import PICTURES, Case
from pytorch_tools.checks import check


@check("torch", "torch.compile with inductor: eval and three training steps", tolerance=2e-5)
def compile_inductor(model: nn.Module, case: Case) -> Any:
    compiled = torch.compile(model)
    with torch.no_grad():
        scores = compiled(case.inputs(2))
    for _, child in model.named_modules():
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
def compile_fullgraph(model: nn.Module, case: Case) -> Any:
    with torch.no_grad():
        return torch.compile(model, backend="eager", fullgraph=True)(case.inputs(2))


def _dynamic(case: Case) -> Any:
    return ({0: torch.export.Dim("batch", min=2, max=64)},)


@check("torch", "torch.export: strict=False, its program run, saved and loaded")
def export_program(model: nn.Module, case: Case) -> Any:
    program = torch.export.export(model, (case.inputs(2),), strict=False)
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    read = torch.export.load(file)
    operators = sorted(str(node.target) for node in program.graph.nodes if node.op == "call_function")
    return [program.module()(case.inputs(2)), read.module()(case.inputs(2)), operators]


@check("torch", "torch.export with a dynamic batch, run with another")
def export_dynamic(model: nn.Module, case: Case) -> Any:
    program = torch.export.export(model, (case.inputs(4),), dynamic_shapes=_dynamic(case), strict=False)
    return [program.module()(case.inputs(4)), program.module()(case.inputs(3))]


@check("torch", "AOTInductor: torch._inductor.aoti_compile_and_package", cases=("LeNet", "GPT"), tolerance=2e-5)
def aoti(model: nn.Module, case: Case) -> Any:
    program = torch.export.export(model, (case.inputs(2),), strict=False)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        path = torch._inductor.aoti_compile_and_package(program, package_path=f"{folder}/model.pt2")
        return torch._inductor.aoti_load_package(path)(case.inputs(2))


def _onnx(model: nn.Module, case: Case, **options: Any) -> Any:
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        torch.onnx.export(model, (case.inputs(4),), path, verbose=False, input_names=["words"], **options)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name
        batches = (4, 3) if "dynamic_axes" in options or "dynamic_shapes" in options else (4,)
        return [torch.from_numpy(session.run(None, {name: case.inputs(n).numpy()})[0]) for n in batches]


@check("onnx", "torch.onnx.export(dynamo=True), run by onnxruntime", tolerance=1e-5)
def onnx_dynamo(model: nn.Module, case: Case) -> Any:
    return _onnx(model, case, dynamo=True)


@check("onnx", "torch.onnx.export(dynamo=True) with a dynamic batch, run with another", tolerance=1e-5)
def onnx_dynamo_dynamic(model: nn.Module, case: Case) -> Any:
    return _onnx(model, case, dynamo=True, dynamic_shapes=_dynamic(case))


@check("onnx", "torch.onnx.export(dynamo=False), run by onnxruntime", tolerance=1e-5)
def onnx_older(model: nn.Module, case: Case) -> Any:
    return _onnx(model, case, dynamo=False)


@check("onnx", "torch.onnx.export(dynamo=False) with a dynamic batch, run with another", tolerance=1e-5)
def onnx_older_dynamic(model: nn.Module, case: Case) -> Any:
    return _onnx(model, case, dynamo=False, dynamic_axes={"words": {0: "batch"}})


@check("torch", "jit.trace, run with another batch, saved and loaded")
def jit_trace(model: nn.Module, case: Case) -> Any:
    traced = torch.jit.trace(model, (case.inputs(2),))
    file = io.BytesIO()
    torch.jit.save(traced, file)
    file.seek(0)
    read = torch.jit.load(file)
    return [traced(case.inputs(3)), read(case.inputs(3)), sorted(read.state_dict())]


@check("torch", "jit.script", refusal=True)
def jit_script(model: nn.Module, case: Case) -> Any:
    return torch.jit.script(model)(case.inputs(2))


@check("torch", "fx.symbolic_trace", refusal=True)
def fx_symbolic_trace(model: nn.Module, case: Case) -> Any:
    return torch.fx.symbolic_trace(model)(case.inputs(2))


@check("torch", "make_fx, the graph's operators")
def make_fx(model: nn.Module, case: Case) -> Any:
    from torch.fx.experimental.proxy_tensor import make_fx as trace

    graph = trace(model)(case.inputs(2))
    return [graph(case.inputs(2)), [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]]


@check("torchvision", "create_feature_extractor", cases=PICTURES, refusal=True)
def feature_extractor(model: nn.Module, case: Case) -> Any:
    from torchvision.models.feature_extraction import create_feature_extractor

    return dict(create_feature_extractor(model, {case.layer: "middle"})(case.inputs(2)))


@check("torchvision", "IntermediateLayerGetter", cases=("ResNet-18",))
def layer_getter(model: nn.Module, case: Case) -> Any:
    from torchvision.models._utils import IntermediateLayerGetter

    return dict(IntermediateLayerGetter(model, {"layer2": "middle", "layer4": "last"})(case.inputs(2)))


@check("torch", "torch.save(model) and torch.load in another process")
def saved_whole(model: nn.Module, case: Case) -> Any:
    reading = "import sys, torch; m = torch.load(sys.argv[1], weights_only=False); torch.save(m(torch.load(sys.argv[2])), sys.argv[3])"
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{name}.pt" for name in ("model", "input", "result")]
        torch.save(copy.deepcopy(model), paths[0])
        torch.save(case.inputs(2), paths[1])
        subprocess.run([sys.executable, "-c", "import torch; torch.set_num_threads(1);" + reading, *paths], check=True)
        return torch.load(paths[2])


def _run(model: nn.Module, x: Tensor) -> Any:
    torch.set_num_threads(1)
    with torch.no_grad():
        return model(x).numpy()


@check("torch", "multiprocessing with spawn: the model is sent to a worker")
def spawned(model: nn.Module, case: Case) -> Any:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_run, (model, case.inputs(2)))
