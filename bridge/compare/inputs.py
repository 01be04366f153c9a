"""The inputs of a run: arrays from files or from a seed, bound to the parameters of ``forward``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bridge.compare.compare_errors import InputsError
from bridge.mirror import Mirror
from bridge.runtimes.binding import parameters_of


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """Arguments of ``forward``: some by position, some by parameter name (the arrays of an ``.npz`` file)."""

    positional: tuple[torch.Tensor, ...] = ()
    named: Mapping[str, torch.Tensor] = field(default_factory=dict)

    def bind(self, model: torch.nn.Module) -> dict[str, Any]:
        """The arguments by the parameter names of ``model.forward``, in its order, defaults included.

        Raises InputsError when they do not fit, with what ``forward`` takes.
        """
        owner, signature = type(model).__name__, signature_of(model)
        try:
            bound = signature.bind(*self.positional, **self.named)
        except TypeError as error:
            raise InputsError(
                f"the inputs do not fit forward({_taken(signature)}) of {owner}: {error}. Given: {self}."
            ) from None
        if not isinstance(model, Mirror):
            bound.apply_defaults()
        arguments: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            kind = signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                arguments.update({f"{name}[{index}]": item for index, item in enumerate(value)})
            elif kind is inspect.Parameter.VAR_KEYWORD:
                if value:
                    raise InputsError(
                        f"forward({_taken(signature)}) of {owner} takes {', '.join(value)} by keyword only, which .NET does not support."
                    )
            else:
                arguments[name] = value
        return arguments

    def __str__(self) -> str:
        items = [described(value) for value in self.positional]
        items += [f"{name}={described(value)}" for name, value in self.named.items()]
        return ", ".join(items) or "nothing"


def signature_of(model: torch.nn.Module) -> inspect.Signature:
    """What ``model.forward`` takes; for a mirror, what the C# method takes, whose defaults only C# knows."""
    if not isinstance(model, Mirror):
        return inspect.signature(model.forward)
    kind, nothing = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    parameters = parameters_of(model)
    return inspect.Signature(
        [inspect.Parameter(name, kind, default=... if left else nothing) for name, left in parameters]
    )


def described(value: Any) -> str:
    """An argument in short: ``float32[1, 3, 224, 224]``, or a plain value as it is written."""
    if not isinstance(value, torch.Tensor):
        return repr(value)
    return f"{str(value.dtype)[6:]}[{', '.join(map(str, value.shape))}]"


def _taken(signature: inspect.Signature) -> str:
    """Parameters as one writes them, without their types."""
    plain = (parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values())
    return str(signature.replace(parameters=list(plain), return_annotation=inspect.Signature.empty))[1:-1]


def from_files(paths: Sequence[Path]) -> Inputs:
    """One argument from each ``.npy`` file, in order; the arrays of an ``.npz`` file by their names.

    NumPy's own names ``arr_0``, ``arr_1`` … are positions. Raises InputsError for what cannot be read.
    """
    positional: list[torch.Tensor] = []
    named: dict[str, torch.Tensor] = {}
    for path in paths:
        found = _arrays(path)
        if isinstance(found, np.ndarray):
            positional.append(_tensor(found, f"{path}"))
            continue
        for name, array in found.items():
            tensor = _tensor(array, f"{path}, array {name}")
            if name.startswith("arr_") and name[4:].isdigit():
                positional.append(tensor)
            elif name in named:
                raise InputsError(f"{path}: two arrays are named {name}.")
            else:
                named[name] = tensor
    return Inputs(tuple(positional), named)


def from_shapes(shapes: Sequence[tuple[int, ...]], seed: int) -> Inputs:
    """One float32 tensor for each shape, normally distributed, the same for the same seed on every machine.

    Raises InputsError when one is too large.
    """
    generator = torch.Generator().manual_seed(seed)
    return Inputs(tuple(_drawn(shape, generator) for shape in shapes))


def _drawn(shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    try:
        return torch.randn(shape, generator=generator)
    except (RuntimeError, TypeError, MemoryError) as error:  # too large for the memory, or for a size of libtorch's
        words = str(error).partition("\n")[0]
        raise InputsError(f"cannot make an input of shape {','.join(map(str, shape))}: {words}") from error


def parse_shape(text: str) -> tuple[int, ...]:
    """``1,3,224,224``. Raises InputsError for anything else."""
    try:
        shape = tuple(int(part) for part in text.split(","))
    except ValueError:
        shape = (-1,)
    if any(size < 0 for size in shape):
        raise InputsError(f"'{text}' is not a shape: write sizes separated by commas, for example 1,3,224,224.")
    return shape


def _arrays(path: Path) -> np.ndarray | dict[str, np.ndarray]:
    if path.suffix not in (".npy", ".npz"):
        raise InputsError(f"{path} is neither .npy nor .npz: save the input with numpy.save.")
    try:
        # No pickles: reading a file never runs what is in it.
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            found = loaded if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except FileNotFoundError:
        raise InputsError(f"there is no input file {path}.") from None
    except Exception as error:  # what NumPy, zipfile and zlib say to damaged bytes is of a dozen types
        words = str(error).partition("\n")[0] or type(error).__name__
        raise InputsError(f"{path} cannot be read as a NumPy file: {words}") from error
    for name, item in found.items() if isinstance(found, dict) else ():
        if not isinstance(item, np.ndarray):
            raise InputsError(f"{path}: {name} is not an array.")
    return found


def _tensor(array: np.ndarray, where: str) -> torch.Tensor:
    native = array.astype(array.dtype.newbyteorder("="), order="C")
    try:
        return torch.from_numpy(native)
    except TypeError:
        raise InputsError(f"{where}: torch has no dtype for NumPy's {array.dtype}.") from None
