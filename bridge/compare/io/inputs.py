"""The inputs of a run: arrays from files or random tensors, bound to the parameters of ``forward``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from bridge.compare.errors import InputsError
from bridge.mirror import Mirror
from bridge.runtimes.binding import count_trailing_defaults, parameters_of
from bridge.torchsharp.classes import ON_TORCHSHARP

#: The dtypes of random integers. PyTorch cannot convert random integers to other integer dtypes, such as ``int4``, ``bits8`` or ``qint8``.
_INTEGERS: Final = (
    torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.int8, torch.int16, torch.int32, torch.int64,
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """Arguments of ``forward``, by position and by parameter name."""

    positional: tuple[torch.Tensor, ...] = ()
    named: Mapping[str, torch.Tensor] = field(default_factory=dict)

    def bind(self, model: torch.nn.Module) -> dict[str, Any]:
        """Return the arguments by the parameter names of ``model.forward``, in the order of the parameters.

        For a PyTorch model, they include the defaults. Raises InputsError, with the parameters of ``forward``, if the inputs do not fit.
        """
        owner, signature = type(model).__name__, signature_of(model)
        try:
            bound = signature.bind(*self.positional, **self.named)
        except TypeError as error:
            raise InputsError(
                f"the inputs do not fit forward({_format_parameters(signature)}) of {owner}: {error}. Given: {self}."
            ) from None
        if not isinstance(model, (Mirror, *ON_TORCHSHARP)):
            bound.apply_defaults()
        arguments: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            kind = signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                arguments.update({f"{name}[{index}]": item for index, item in enumerate(value)})
            elif kind is inspect.Parameter.VAR_KEYWORD:
                arguments.update(value)
            else:
                arguments[name] = value
        return arguments

    def __str__(self) -> str:
        items = [describe_value(value) for value in self.positional]
        items += [f"{name}={describe_value(value)}" for name, value in self.named.items()]
        return ", ".join(items) or "nothing"


def split_arguments(model: torch.nn.Module, arguments: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Split arguments into those that ``model`` receives by position and those that it receives by keyword.

    A .NET model receives all arguments by position. A PyTorch model receives arguments of keyword-only parameters and of ``**kwargs`` by
    keyword. For a PyTorch model, keyword arguments and trailing positional arguments are left out if they equal their defaults.
    """
    if isinstance(model, (Mirror, *ON_TORCHSHARP)):
        return tuple(arguments.values()), {}
    parameters = signature_of(model).parameters
    any_name = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    by_name = [
        name
        for name in arguments
        if (any_name and name not in parameters and "[" not in name)
        or (name in parameters and parameters[name].kind is inspect.Parameter.KEYWORD_ONLY)
    ]
    positional = {name: value for name, value in arguments.items() if name not in by_name}
    defaults = [parameters[name].default if name in parameters else inspect.Parameter.empty for name in positional]
    values = tuple(positional.values())
    named = {
        name: arguments[name]
        for name in by_name
        if name not in parameters or not count_trailing_defaults((arguments[name],), (parameters[name].default,))
    }
    return values[: len(values) - count_trailing_defaults(values, defaults)], named


def signature_of(model: torch.nn.Module) -> inspect.Signature:
    """Return the signature of the method that a call of the model runs.

    It is that of ``forward``, or of ``__call__`` if the class overrides only ``__call__``. For a Mirror it is the signature of the C#
    method, with ``...`` as each default.
    """
    if not isinstance(model, Mirror):
        return inspect.signature(model.__call__ if calls_itself(type(model)) else model.forward)
    kind, nothing = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    parameters = parameters_of(model)
    return inspect.Signature(
        [inspect.Parameter(name, kind, default=... if optional else nothing) for name, optional in parameters]
    )


def calls_itself(kind: type[torch.nn.Module]) -> bool:
    """Return whether a class overrides ``__call__`` and does not define ``forward``."""
    return kind.__call__ is not torch.nn.Module.__call__ and kind.forward is torch.nn.Module.forward


def describe_value(value: Any) -> str:
    """Describe an argument: a tensor as ``float32[1, 3, 224, 224]``, another value by its ``repr``."""
    if not isinstance(value, torch.Tensor):
        return repr(value)
    return f"{str(value.dtype)[6:]}[{', '.join(map(str, value.shape))}]"


def _format_parameters(signature: inspect.Signature) -> str:
    """Format the parameters of a signature without their types."""
    plain = (parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values())
    return str(signature.replace(parameters=list(plain), return_annotation=inspect.Signature.empty))[1:-1]


def from_files(paths: Sequence[Path]) -> Inputs:
    """Read one argument from each ``.npy`` file, in order, and the arrays of an ``.npz`` file by their names.

    Arrays with NumPy's own names ``arr_0``, ``arr_1`` … are arguments by position, in their order in the file. Raises InputsError.
    """
    positional: list[torch.Tensor] = []
    named: dict[str, torch.Tensor] = {}
    for path in paths:
        found = _read_arrays(path)
        if isinstance(found, np.ndarray):
            positional.append(_to_tensor(found, f"{path}"))
            continue
        for name, array in found.items():
            tensor = _to_tensor(array, f"{path}, array {name}")
            if name.startswith("arr_") and name[4:].isdigit():
                positional.append(tensor)
            elif name in named:
                raise InputsError(f"{path}: an earlier file also has an array named {name}.")
            else:
                named[name] = tensor
    return Inputs(tuple(positional), named)


@dataclass(frozen=True, slots=True)
class RandomInput:
    """A random input: floats are normally distributed, integers and booleans are uniform."""

    #: The sizes; for a dimension with a range, the smallest.
    shape: tuple[int, ...]
    dtype: torch.dtype = torch.float32
    #: The upper bound, exclusive, of integers; 2 for booleans, 0 for floats.
    below: int = 0
    #: The name of the parameter, or empty.
    name: str = ""
    #: The largest size of each dimension with a range, by dimension.
    ends: Mapping[int, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the value of ``--shape``, without ranges."""
        kind = "" if self.dtype is torch.float32 else f":{str(self.dtype)[6:]}"
        limit = f"<{self.below}" if self.below and self.dtype is not torch.bool else ""
        return f"{self.name}{'=' if self.name else ''}{','.join(map(str, self.shape))}{kind}{limit}"


def from_shapes(inputs: Sequence[RandomInput], seed: int) -> Inputs:
    """Draw a random tensor for each input; equal seeds give equal tensors. Raises InputsError."""
    generator = torch.Generator().manual_seed(seed)
    drawn = [(item.name, _draw(item, generator)) for item in inputs]
    named = {name: value for name, value in drawn if name}
    if len(named) < sum(1 for name, _ in drawn if name):
        raise InputsError("two inputs have the same name: give each --shape a different name.")
    return Inputs(tuple(value for name, value in drawn if not name), named)


def _draw(item: RandomInput, generator: torch.Generator) -> torch.Tensor:
    try:
        if item.below:
            return torch.randint(item.below, item.shape, generator=generator).to(item.dtype)
        return torch.randn(item.shape, generator=generator).to(item.dtype)
    except (RuntimeError, TypeError, MemoryError) as error:  # too large for the memory, or for libtorch's sizes
        words = str(error).partition("\n")[0]
        raise InputsError(f"cannot make an input of shape {','.join(map(str, item.shape))}: {words}") from error


def parse_shape(text: str) -> RandomInput:
    """Parse ``--shape``. Raises InputsError.

    Examples: ``1,3,224,224``, ``1,8:float64``, ``1,16:int64<30522``, ``1,16:bool``, ``mask=1,16:bool``, ``1..4,3,32..64``.
    """
    parameter, equals, rest = text.partition("=")
    if equals and not parameter.isidentifier():
        raise InputsError(
            f"'{parameter}' in '{text}' is not the name of a parameter: write for example mask=1,16:bool."
        )
    sizes, colon, kind = (rest if equals else text).partition(":")
    shape, ends = _parse_sizes(sizes)
    item = _parse_dtype(text, kind, shape) if colon else RandomInput(shape)
    return replace(item, name=parameter if equals else "", ends=ends)


def _parse_sizes(text: str) -> tuple[tuple[int, ...], dict[int, int]]:
    """Parse the sizes; return each size (the smallest of a range ``1..4``), and the largest sizes of ranges by dimension."""
    shape, ends = [], {}
    for dimension, part in enumerate(text.split(",")):
        low, dots, high = part.partition("..")
        try:
            shape.append(int(low))
            if dots:
                ends[dimension] = int(high)
        except ValueError:
            shape.append(-1)
        if shape[-1] < 0 or ends.get(dimension, shape[-1]) < shape[-1]:
            raise InputsError(
                f"'{text}' is not a shape: write sizes separated by commas, for example 1,3,224,224 or 1..4,3,224,224."
            )
    return tuple(shape), ends


def _parse_dtype(text: str, kind: str, shape: tuple[int, ...]) -> RandomInput:
    name, less, below = kind.partition("<")
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype) or not (dtype.is_floating_point or dtype in (torch.bool, *_INTEGERS)):
        raise InputsError(
            f"'{name}' in '{text}' is not a dtype of random inputs: write for example '1,16:int64<30522' or 1,16:float64."
        )
    if dtype.is_floating_point or dtype is torch.bool:
        if less:
            raise InputsError(f"'<{below}' in '{text}' is for integers: a random {name} has no upper bound.")
        return RandomInput(shape, dtype, 2 if dtype is torch.bool else 0)
    if not less:
        raise InputsError(
            f"random integers need an upper bound: --shape '{text}<N', for example '1,16:int64<30522' for a vocabulary of 30522 words. "
            "Keep the quotes: the shell takes < for a file."
        )
    largest = min(torch.iinfo(dtype).max + 1, torch.iinfo(torch.int64).max)
    if not (below.isascii() and below.isdecimal() and 0 < int(below) <= largest):
        raise InputsError(
            f"'<{below}' in '{text}' is not an upper bound for {name}: write a number from 1 to {largest}."
        )
    return RandomInput(shape, dtype, int(below))


def _read_arrays(path: Path) -> np.ndarray | dict[str, np.ndarray]:
    if path.suffix not in (".npy", ".npz"):
        raise InputsError(f"{path} is neither .npy nor .npz: save the input with numpy.save.")
    try:
        # Pickles are refused, since they could run code.
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            found = loaded if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except FileNotFoundError:
        raise InputsError(f"there is no input file {path}.") from None
    except Exception as error:  # NumPy, zipfile and zlib raise a dozen types for damaged bytes
        words = str(error).partition("\n")[0] or type(error).__name__
        raise InputsError(f"{path} cannot be read as a NumPy file: {words}") from error
    for name, item in found.items() if isinstance(found, dict) else ():
        if not isinstance(item, np.ndarray):
            raise InputsError(f"{path}: {name} is not an array.")
    return found


def _to_tensor(array: np.ndarray, where: str) -> torch.Tensor:
    native = array.astype(array.dtype.newbyteorder("="), order="C")
    try:
        return torch.from_numpy(native)
    except TypeError:
        raise InputsError(f"{where}: torch has no dtype for NumPy's {array.dtype}.") from None
