"""The tracing of a model by ``torch.export``, and what its refusals mean for C# code."""

from __future__ import annotations

import io
import logging
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from types import FrameType
from typing import Any, Final

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException
from torch.fx.experimental.sym_node import SymNode

from bridge.clr.errors import DotNetError
from bridge.compare.errors import describe
from bridge.errors import BridgeError
from bridge.exporting.dimensions import Dimension, dynamic_shapes
from bridge.exporting.errors import ExportError, FixedSizeError, find_line, find_module, name_module
from hook_contract.output.sentences import join_some, plural

#: The messages of PyTorch when code reads a value of a tensor that has none while PyTorch traces.
_VALUE_READS: Final = ("GuardOnDataDependentSymNode", "data-dependent", "Cannot access data pointer", "no storage")
#: The messages of PyTorch when code reads a symbolic size as a number.
_SIZE_READS: Final = ("symbolic sizes", "symbolic shape")
#: The messages of ``torch.export`` when a dynamic dimension cannot stay dynamic.
_FIXED: Final = ("Constraints violated", "specialized", "ConstraintViolation")

#: A condition that says that the sizes of a dimension that several inputs have are equal.
_TRIVIAL: Final = re.compile(r"(.+) == \1")
#: How many conditions for sizes a note lists.
_CONDITIONS: Final = 4


class _SizeReadError(BridgeError, RuntimeError):
    """A symbolic size was read as a number."""


def trace(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dimensions: Sequence[Dimension],
) -> torch.export.ExportedProgram:
    """Trace a model with ``torch.export``. Raises ExportError, which names the module that cannot be traced.

    The model may keep tensors without elements afterwards: trace a copy.
    """
    try:
        return _export(model, args, kwargs, dimensions)
    except Exception as error:
        problem: Exception = error
        if dimensions and _mentions(error, _FIXED) and not isinstance(error, DotNetError):
            read = _find_size_read(model, args, kwargs, dimensions)
            if read is None:
                try:
                    program = _export(model, args, kwargs, dimensions, conditions=True)
                    if hasattr(program, "_guards_code"):  # else the conditions could not be told
                        return program
                except Exception as second:
                    read = second
            problem = read or error
        raise _explain(problem, model, dimensions) from problem


def _export(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dimensions: Sequence[Dimension],
    *,
    conditions: bool = False,
) -> torch.export.ExportedProgram:
    shapes = dynamic_shapes((args, kwargs), dimensions, conditions=conditions)
    if shapes is not None:
        shapes = (*shapes[0],) if not kwargs else _by_name(model, shapes)
    with quiet():
        return torch.export.export(model, args, kwargs, dynamic_shapes=shapes, strict=False)


def _by_name(model: torch.nn.Module, shapes: tuple[Any, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the shapes of positional and keyword arguments by parameter name, as ``torch.export`` takes them if there are both."""
    import inspect

    names = list(inspect.signature(model.forward).parameters)
    return {**dict(zip(names, shapes[0], strict=False)), **shapes[1]}


@contextmanager
def quiet() -> Iterator[None]:
    """Hide the warnings, log lines and printed graphs of PyTorch's exporters: the errors that they raise say enough."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _find_size_read(
    model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], dimensions: Sequence[Dimension]
) -> Exception | None:
    """Trace again, stop where a symbolic size is read as a number, and return the error; None if the trace does not stop there."""
    guard_int = SymNode.guard_int

    def stop(self: Any, file: str, line: int) -> int:
        if self.maybe_as_int() is None and (names := _names_of(self, dimensions)):
            raise _SizeReadError(f"the size of {names}")
        return guard_int(self, file, line)

    SymNode.guard_int = stop  # type: ignore[method-assign]  # there is no public way to see the reads
    try:
        _export(model, args, kwargs, dimensions)
    except Exception as error:
        return error if _mentions(error, (_SizeReadError.__name__, "the size of")) else None
    finally:
        SymNode.guard_int = guard_int  # type: ignore[method-assign]  # as above
    return None


def find_size_readers(
    model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], dimensions: Sequence[Dimension]
) -> list[str]:
    """Return the paths of the modules that read the size of a dynamic dimension as a number, in the order of the first reads."""
    found: dict[str, None] = {}
    paths = {id(module): path for path, module in model.named_modules()}
    guard_int, guard_bool = SymNode.guard_int, SymNode.guard_bool

    def note(self: Any, file: str, line: int) -> int:
        if self.maybe_as_int() is None and _names_of(self, dimensions) and (path := _running(paths)) is not None:
            found[path] = None
        with self.shape_env.suppress_guards():  # so that the size stays symbolic for the next read
            return guard_int(self, file, line)

    def pass_on(self: Any, file: str, line: int) -> bool:
        with self.shape_env.suppress_guards():
            return guard_bool(self, file, line)

    SymNode.guard_int, SymNode.guard_bool = note, pass_on  # type: ignore[method-assign]  # see _find_size_read
    try:
        with suppress(Exception):  # the trace is of no use, and may stop early
            _export(model, args, kwargs, dimensions)
    finally:
        SymNode.guard_int, SymNode.guard_bool = guard_int, guard_bool  # type: ignore[method-assign]  # as above
    return [*found]


def _running(paths: Mapping[int, str]) -> str | None:
    """Return the path of the innermost module that is running on this thread."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if (path := paths.get(id(frame.f_locals.get("self")))) is not None:
            return path
        frame = frame.f_back
    return None


def _names_of(node: Any, dimensions: Sequence[Dimension]) -> str:
    """Return the names of the dynamic dimensions that a symbolic size may depend on."""
    if not getattr(node.expr, "free_symbols", ()):
        return ""
    hint = node.hint if node.expr.is_symbol else None
    names = [dimension.name for dimension in dimensions if hint in (None, dimension.size)]
    return " or ".join(names or [dimension.name for dimension in dimensions])


def _mentions(error: BaseException, words: Sequence[str]) -> bool:
    text = f"{type(error).__name__}: {error}"
    return any(word in text for word in words)


def _explain(error: Exception, model: torch.nn.Module, dimensions: Sequence[Dimension]) -> ExportError:
    path, line = find_module(error, model), find_line(error)
    where = name_module(path) if path is not None else "the model"
    read = re.search(r"the size of ([\w ]+)", str(error))
    names = " and ".join(dimension.name for dimension in dimensions)
    if read is not None or _mentions(error, _SIZE_READS):
        sizes = ", ".join(f"{dimension.name} = {dimension.size}" for dimension in dimensions)
        return FixedSizeError(
            f"{where} reads the size of {read[1] if read else names} as a number{line}, and the file would have this number ({sizes}) "
            "for all inputs. In C#, flatten(1) and view(-1, n) need no size, and x.size(1) reads that of dimension 1 alone. Or infer how "
            "the numbers in the file depend on the size, with --infer-sizes (infer_sizes=True).",
            path,
        )
    if isinstance(error, DataDependentOutputException) or _mentions(error, _VALUE_READS):
        return ExportError(
            f"{where} reads elements of a tensor into C#{line}, for a branch or as numbers{_operator(error)}. The file would have those of "
            "the given inputs for all inputs. Compute with tensors instead, for instance where(condition, a, b).",
            path,
        )
    text = describe(error) if isinstance(error, DotNetError) else _shorten(str(error))
    if dimensions and _mentions(error, _FIXED):
        fixed = re.search(r"specialized it to be a constant \((\d+)\)", text)
        only = f": it needs the size {fixed[1]}" if fixed else f". {text}"
        return FixedSizeError(f"{where} does not work for other sizes of {names}{only}", path)
    return ExportError(f"torch.export cannot trace {where}{line}: {type(error).__name__}: {text}", path)


def _operator(error: Exception) -> str:
    """Return the operator that needs the elements, in parentheses; empty if it is unknown."""
    if isinstance(error, DataDependentOutputException):
        return f" ({error.func})"
    message = error.dotnet_message if isinstance(error, DotNetError) else ""
    found = re.match(r"([\w:]+): ", message)
    return f" ({found[1]})" if found else ""


def _shorten(text: str) -> str:
    """Return the message without PyTorch's advice on its log and its own functions."""
    text = re.split(r"\n\s*(?:Suggested fixes|The error above|For more|For extended|Exception raised from|At:)", text)[
        0
    ]
    text = re.sub(r"! For more information, run with TORCH_LOGS=\S+\n?", ":\n", text)
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return "\n".join(lines[:6])


def path_of(node: torch.fx.Node) -> str | None:
    """Return the path of the module that an operation of a graph comes from; None if it is unknown."""
    stack = node.meta.get("nn_module_stack")
    return str([*stack.values()][-1][0]) if stack else None


def list_conditions(program: torch.export.ExportedProgram, names: Mapping[str, str]) -> Iterator[str]:
    """Yield a note on the conditions for sizes under which the program gives the model's results, if there are any.

    ``names`` has the names of dynamic dimensions by how PyTorch writes them, such as ``L['x'].size()[0]``. Conditions that say only that a
    size is not 0 or 1 are left out: PyTorch treats these sizes differently, with the same results.
    """
    found: dict[str, None] = {}
    for condition in getattr(program, "_guards_code", ()):
        for written, name in names.items():
            condition = condition.replace(written, name)
        if not condition.endswith((" != 1", " != 0")) and not _TRIVIAL.fullmatch(condition):
            found[condition] = None
    if found:
        yield f"the file is for sizes with {join_some([*found], _CONDITIONS)}. An ONNX file does not check them."


def list_constants(program: torch.export.ExportedProgram) -> Iterator[str]:
    """Yield a note for each module that uses tensors which are neither parameters nor buffers, and so are in the file as they were."""
    constants = program.graph_signature.inputs_to_lifted_tensor_constants
    paths = [
        path_of(user) or ""
        for node in program.graph.nodes
        if node.op == "placeholder" and node.name in constants
        for user in [*node.users][:1]
    ]
    for path, count in Counter(paths).items():
        are = "is no parameter or buffer: it is" if count == 1 else "are no parameters or buffers: they are"
        yield f"{name_module(path)} uses {plural(count, 'tensor')} that {are} constant in the file."


def check_random(program: torch.export.ExportedProgram) -> None:
    """Raise ExportError, with the path of the module, if an operation of the program draws random numbers."""
    for graph in program.graph_module.modules():
        if not isinstance(graph, torch.fx.GraphModule):
            continue
        for node in graph.graph.nodes:
            if isinstance(node.target, torch._ops.OpOverload) and _is_random(node):
                path = path_of(node)
                where = name_module(path) if path is not None else "the model"
                raise ExportError(
                    f"{where} draws random numbers ({node.target}). Pass them to the model as an input.", path
                )


def _is_random(node: torch.fx.Node) -> bool:
    """Return whether an operation draws random numbers. Dropout and the like draw none in eval mode, or with probability 0."""
    target: Any = node.target
    if torch.Tag.nondeterministic_seeded not in target.tags:
        return False
    given = {argument.name: argument.default_value for argument in target._schema.arguments}
    given.update(zip(given, node.args, strict=False))
    given.update(node.kwargs)
    return not (
        given.get("train") is False
        or given.get("training") is False
        or any(name in given and given[name] == 0 for name in ("p", "dropout_p", "dropout"))
    )
