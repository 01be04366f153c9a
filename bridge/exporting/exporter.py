"""The function ``bridge.export``: the export of a model to a file that runs without .NET, checked against the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from bridge.compare.io.inputs import Inputs, split_arguments
from bridge.exporting import behavior, files, inference, tracing
from bridge.exporting.checking import Round, check_file
from bridge.exporting.dimensions import Dimension, draw, find_tensors, parse
from bridge.exporting.errors import ExportError, FixedSizeError
from hook_contract.output.files import atomic_file, check_writable, output_errors
from hook_contract.output.sentences import plural

FORMATS: Final = (".onnx", ".pt2")


@dataclass(frozen=True, slots=True)
class Exported:
    """An exported file, and how it was checked.

    Attributes:
        path: The file.
        opset: The version of ONNX's operators; None for a ``.pt2`` file.
        inputs: The names of the inputs.
        outputs: The names of the outputs of an ONNX file; empty for a ``.pt2`` file.
        rounds: The checks: the sizes of the dynamic dimensions, and the largest difference of the results.
        notes: What of the model is not in the file, or was fixed in it: hooks, constant arguments, inferred sizes.
    """

    path: Path
    opset: int | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rounds: tuple[Round, ...]
    notes: tuple[str, ...]

    @property
    def largest(self) -> float:
        """Return the largest difference of all checks."""
        return max(check.largest for check in self.rounds)

    @property
    def relative(self) -> float:
        """Return the largest difference of all checks, as a part of the largest element of the result."""
        return max(check.relative for check in self.rounds)

    def __str__(self) -> str:
        inputs = f"inputs {', '.join(self.inputs)}"
        outputs = f", outputs {', '.join(self.outputs)}" if self.outputs else ""
        opset = f"opset {self.opset}, " if self.opset is not None else ""
        by = "ONNX Runtime" if self.opset is not None else "PyTorch"
        lines = [
            f"{self.path}: {opset}{inputs}{outputs}",
            f"Checked by {by} on {plural(len(self.rounds), 'set')} of inputs{self._sizes()}: largest difference {self._difference()}.",
        ]
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])

    def _difference(self) -> str:
        return f"{self.largest:.3g}{f' ({self.relative:.1g} of the largest element)' if self.relative else ''}"

    def _sizes(self) -> str:
        """Return the sizes of the dynamic dimensions that were checked, in parentheses; empty if there are none."""
        names = self.rounds[0].sizes
        by_name = {name: sorted({check.sizes[name] for check in self.rounds}) for name in names}
        words = "; ".join(f"{name} {', '.join(map(str, found))}" for name, found in by_name.items())
        return f" ({words})" if words else ""

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {
            "file": str(self.path),
            "opset": self.opset,
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
            "largest_difference": self.largest,
            "largest_relative_difference": self.relative,
            "checks": [{"sizes": dict(check.sizes), "largest_difference": check.largest} for check in self.rounds],
            "notes": list(self.notes),
        }


def export(
    model: torch.nn.Module,
    inputs: torch.Tensor | Sequence[Any] | Mapping[str, Any] | Inputs,
    path: str | Path,
    *,
    dynamic: str | Sequence[str] = (),
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset: int | None = None,
    infer_sizes: bool = False,
    rtol: float = 1e-4,
    atol: float = 0.0,
    seed: int = 0,
    step: Callable[[str], None] = lambda _: None,
) -> Exported:
    """Export a model to an ONNX file (``.onnx``) or an ExportedProgram (``.pt2``), with its weights inside. The file needs no .NET.

    ``inputs`` is a tensor, a sequence of arguments, or a mapping of arguments by parameter name. ``dynamic`` lists the dimensions whose
    sizes may differ in each call: ``"batch"`` is dimension 0 of all tensors, ``"width=3"`` dimension 3 of all tensors that have one,
    ``"length=tokens:1"`` dimension 1 of the input ``tokens``. ``input_names`` and ``output_names`` are the names in an ONNX file; by
    default, inputs have the names of the parameters of ``forward``. ``opset`` is the version of ONNX's operators. Arguments that are not
    tensors become constants. ``step`` is called with a description of each step.

    The file is run (by ONNX Runtime, or PyTorch) on the sizes of ``inputs`` and on other sizes of the dynamic dimensions, each with other
    elements, and must give the results of the model: ``|x - y| <= atol + rtol * max(|y|)``, where ``max`` is over all elements of ``y``.

    A file has what ran in a single call. So ExportError is raised, with the path of the module, if the model branches on elements of
    tensors, or reads them as numbers; draws random numbers; changes between calls, or changes its buffers or inputs; or is in training
    mode; and if it reads a size of a dynamic dimension as a number (``x.shape[0]``). With ``infer_sizes``, the model is instead traced at
    several sizes, and the numbers in the file are computed from the size; the notes of the result name the modules. A branch on a size is
    then found only if it changes the result at one of the sizes that were tried.

    Copies of the model run; the model itself does not change.

    Raises:
        ExportError: The model cannot be exported, or the file differs from it. There is then no new file.
        InputsError: The inputs do not fit the model's ``forward``.
        OutputError: The file cannot be written.
    """
    path = Path(path)
    check_request(path, input_names, output_names, opset)
    behavior.check_model(model)
    check_writable(path)
    arguments = _to_inputs(inputs).bind(model)
    if not find_tensors(arguments):
        raise ExportError("the inputs contain no tensor.")
    dimensions = parse([dynamic] if isinstance(dynamic, str) else dynamic, arguments)
    args, kwargs = split_arguments(model, arguments)
    names = _name_inputs(arguments, input_names)

    step("running the model several times")
    result = behavior.check_calls(model, args, kwargs, draw((args, kwargs), dimensions, {}, seed + 1), seed)
    _check_result(result)
    step("tracing the model")
    traced = [_at_least_two(dimension) for dimension in dimensions]
    values = draw((args, kwargs), traced, {}, seed) if traced != dimensions else (args, kwargs)
    notes = [*_constants(arguments), *behavior.list_hooks(model)]
    readers: dict[str, str] = {}
    try:
        program = tracing.trace(behavior.copy_model(model), values[0], values[1], traced)
    except FixedSizeError:
        if not infer_sizes:
            raise
        program, readers = inference.infer(model, values[0], values[1], traced, seed, step)
        notes += readers.values()
    tracing.check_random(program)
    notes += [
        *tracing.list_constants(program),
        *tracing.list_conditions(program, _written_sizes(arguments, dimensions)),
    ]
    with output_errors(path), atomic_file(path) as temporary:
        step(f"writing {path.name}")
        version: int | None = None
        outputs: tuple[str, ...] = ()
        if path.suffix == ".onnx":
            version = files.write_onnx(program, temporary, values, traced, names, output_names, opset)
            run, in_file, out_of_file = files.run_onnx(temporary)
            names, outputs = tuple(in_file), tuple(out_of_file)
        else:
            files.write_pt2(program, temporary)
            run = files.run_pt2(temporary)
        del program
        rounds = check_file(
            run, behavior.copy_model(model), args, kwargs, dimensions, rtol, atol, seed, [*readers], step
        )
    return Exported(path, version, names, outputs, tuple(rounds), tuple(notes))


def check_request(
    path: Path, input_names: Sequence[str] | None, output_names: Sequence[str] | None, opset: int | None
) -> None:
    """Raise ExportError if the format of the file is unknown, does not have what is asked for, or needs packages that are missing."""
    if path.suffix not in FORMATS:
        raise ExportError(f"{path} must end in {' or '.join(FORMATS)}.")
    if path.suffix == ".onnx":
        files.check_packages()
    elif opset is not None or input_names or output_names:
        raise ExportError(
            "names of inputs and outputs, and an opset, are for .onnx files: a .pt2 file has the parameters of forward."
        )


def _to_inputs(inputs: torch.Tensor | Sequence[Any] | Mapping[str, Any] | Inputs) -> Inputs:
    if isinstance(inputs, Inputs):
        return inputs
    if isinstance(inputs, torch.Tensor):
        return Inputs((inputs,), {})
    if isinstance(inputs, Mapping):
        return Inputs((), dict(inputs))
    return Inputs(tuple(inputs), {})


def _name_inputs(arguments: Mapping[str, Any], given: Sequence[str] | None) -> tuple[str, ...]:
    """Return the name of each tensor of the inputs: those given, or the parameters' names, with an index for tensors in containers."""
    names: list[str] = []
    for name, value in arguments.items():
        count = len(find_tensors(value))
        own = name.replace("[", "_").replace("]", "")
        names += [own] if isinstance(value, torch.Tensor) else [f"{own}_{index}" for index in range(count)]
    if given is None:
        return tuple(names)
    if len(given) != len(names) or len(set(given)) != len(given):
        raise ExportError(
            f"input_names must be {len(names)} different names, for {', '.join(names)}, not {', '.join(given)}."
        )
    return tuple(given)


def _written_sizes(arguments: Mapping[str, Any], dimensions: Sequence[Dimension]) -> dict[str, str]:
    """Return the names of the dynamic dimensions by how PyTorch writes the size of an input that is a tensor."""
    owners = [(name, value) for name, value in arguments.items() if find_tensors(value)]
    names = [name if isinstance(value, torch.Tensor) else "" for name, value in owners for _ in find_tensors(value)]
    return {f"L['{names[index]}'].size()[{dim}]": one.name for one in dimensions for index, dim in one.places}


def _check_result(result: Any) -> None:
    """Raise ExportError if the result has numbers, which the file would have as constants, or no tensors."""
    from torch.utils import _pytree

    for leaf in _pytree.tree_leaves(result):
        if leaf is not None and not isinstance(leaf, torch.Tensor):
            raise ExportError(
                f"the model returns a value of type {type(leaf).__name__}, and a file returns tensors only: return tensors."
            )
    if not find_tensors(result):
        raise ExportError("the model returns no tensor.")


def _at_least_two(dimension: Dimension) -> Dimension:
    """Return the dimension with a size of at least 2: in a trace, a size of 1 would remain 1."""
    return Dimension(dimension.name, max(dimension.size, 2), dimension.places)


def _constants(arguments: Mapping[str, Any]) -> list[str]:
    return [
        f"the argument {name} = {value!r} is a constant of the file."
        for name, value in arguments.items()
        if value is not None and not find_tensors(value)
    ]
