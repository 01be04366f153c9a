"""The two formats of exported files: how they are written, and how they run without the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import torch

from bridge.exporting.dimensions import Dimension, dynamic_shapes, find_tensors
from bridge.exporting.errors import ExportError, name_module
from bridge.exporting.tracing import path_of, quiet

#: A function that runs the file on the tensors of the inputs, and returns the tensors of the result.
Run = Callable[[tuple[Any, ...], dict[str, Any]], list[torch.Tensor]]
#: The packages that ONNX files need, which the extra ``export`` installs.
PACKAGES: Final = ("onnx", "onnxscript", "onnxruntime")
#: A protobuf file, and so an ONNX file with its weights inside, is smaller.
_LARGEST: Final = 2**31
_MISSING: Final = re.compile(r"No ONNX function found for <OpOverload\(op='([\w.]+)', overload='(\w+)'\)>")


def check_packages() -> None:
    """Raise ExportError if a package that ONNX files need is missing."""
    import importlib.util

    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ExportError(
            f"an ONNX file needs {', '.join(missing)}: install them with pip install 'torchsharp-bridge[export]', or write a .pt2 file."
        )


def write_pt2(program: torch.export.ExportedProgram, path: Path) -> None:
    """Write an ExportedProgram, with its weights."""
    with quiet(), path.open("wb") as file:
        torch.export.save(program, file)


def run_pt2(path: Path) -> Run:
    """Load an ExportedProgram, and return a function that runs it."""
    with quiet(), path.open("rb") as file:
        loaded = torch.export.load(file).module()

    def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
        with torch.no_grad():
            return find_tensors(loaded(*args, **kwargs))

    return run


def write_onnx(
    program: torch.export.ExportedProgram,
    path: Path,
    values: tuple[Any, Any],
    dimensions: Sequence[Dimension],
    input_names: Sequence[str],
    output_names: Sequence[str] | None,
    opset: int | None,
) -> int:
    """Write an ONNX file with the weights inside, and return the version of its operators. Raises ExportError."""
    size = sum(value.numel() * value.element_size() for value in program.state_dict.values())
    if size >= _LARGEST:
        raise ExportError(
            f"the weights have {size / 2**30:.1f} GiB, and an ONNX file with its weights inside has less than 2: write a .pt2 file."
        )
    shapes = dynamic_shapes(values, dimensions)
    with quiet():
        try:
            written: Any = torch.onnx.export(
                program,
                dynamo=True,
                verbose=False,
                input_names=list(input_names),
                output_names=None if output_names is None else list(output_names),
                opset_version=opset,
                dynamic_shapes=None if shapes is None else (*shapes[0], *shapes[1].values()),
                external_data=False,
            )
        except torch.onnx.OnnxExporterError as error:
            raise _explain(error, program) from error
        actual = int(written.model.opset_imports[""])
        if opset is not None and actual != opset:
            raise ExportError(
                f"PyTorch cannot write this model with opset {opset}, only with {actual}: use --opset {actual}."
            )
        written.save(str(path), external_data=False)
    return actual


def _explain(error: BaseException, program: torch.export.ExportedProgram) -> ExportError:
    found = _MISSING.search(_full_text(error))
    if found is None:
        lines = [line for line in _full_text(error).splitlines() if line.strip()]
        return ExportError(f"PyTorch cannot write the model as ONNX: {lines[-1] if lines else type(error).__name__}")
    target = f"{found[1]}.{found[2]}"
    path = next((path_of(node) for node in program.graph.nodes if str(node.target) == target), None)
    where = f" of {name_module(path)}" if path is not None else ""
    return ExportError(f"ONNX has no operator for {target}{where}: write a .pt2 file, or use other operators.", path)


def _full_text(error: BaseException) -> str:
    texts = []
    following: BaseException | None = error
    while following is not None:
        texts.append(str(following))
        following = following.__cause__
    return "\n".join(texts)


def run_onnx(path: Path) -> tuple[Run, list[str], list[str]]:
    """Load an ONNX file in ONNX Runtime, and return a function that runs it, and the names of its inputs and outputs."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no common base class
        raise ExportError(f"ONNX Runtime cannot load the file: {error}") from error
    inputs = [entry.name for entry in session.get_inputs()]
    outputs = [entry.name for entry in session.get_outputs()]

    def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
        tensors = find_tensors((args, kwargs))
        if len(tensors) != len(inputs):
            raise ExportError(f"the file has {len(inputs)} inputs ({', '.join(inputs)}), and the model {len(tensors)}.")
        try:
            fed = {name: tensor.detach().cpu().numpy() for name, tensor in zip(inputs, tensors, strict=True)}
        except TypeError as error:
            raise ExportError(f"ONNX Runtime cannot take the inputs, and so cannot check the file: {error}.") from error
        try:
            return [torch.from_numpy(value) for value in session.run(None, fed)]
        except Exception as error:  # its exceptions have no common base class
            raise ExportError(f"ONNX Runtime cannot run the file: {error}") from error

    return run, inputs, outputs
