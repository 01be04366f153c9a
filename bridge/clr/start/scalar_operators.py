"""Operators that replace those that take a Scalar or a Generator, which libtorch's stable ABI cannot carry.

``aten::pow.Tensor_Scalar(Tensor self, Scalar exponent)`` gets ``bridge::pow__Tensor_Scalar__f`` with a float in place of the Scalar,
``__i`` with an int and ``__b`` with a bool. ``aten::multinomial(…, Generator? generator)`` gets ``bridge::multinomial__default__g`` with
the generator's state, a uint8 tensor, which is advanced in place. They call the real operator, under CompositeImplicitAutograd: graph,
dtype and rounding are the real one's. Their kernels are Python's and take the GIL themselves, so any .NET thread may call them.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable, Iterable
from typing import Any

import torch

from bridge.clr.start import public_functions

#: Suffixes, and the type that each gives a Scalar.
KINDS = {"f": "float", "i": "int", "b": "bool"}
_SCALAR = re.compile(r"\bScalar(?=[ ?\[])")
_GENERATOR = re.compile(r"\bGenerator\?(?= )")
_DEFAULT = re.compile(r"=(\[[^\]]*\]|[^,)]+)")
#: Gives .NET the exception that a kernel is about to raise; set when .NET runs.
keep_error: Callable[[BaseException], None] | None = None
#: Runs an operator's builtin with the names of its last arguments; set when .NET runs.
run_operator: Callable[..., Any] | None = None
#: Where PyTorch's own errors come from, as Python sees it.
_TORCHS = frozenset(
    (torch.autograd.__file__, torch.autograd.graph.__file__, torch._ops.__file__, public_functions.__file__, __file__)
)
#: Guards of the inference modes that .NET has entered and not yet left, for each thread.
_modes = threading.local()


def _seeded(seed: int, device: torch.device) -> torch.Tensor:
    return torch.Generator(device).manual_seed(seed).get_state()


def _signed(seed: int) -> int:
    """A seed as TorchSharp has it, whose type is signed: what is seeded with -1 has -1, where PyTorch says 2**64 - 1."""
    return seed - (1 << 64) if seed >= 1 << 63 else seed


def _restored(state: torch.Tensor, device: torch.device) -> torch.Generator:
    generator = torch.Generator(device)
    generator.set_state(state)
    return generator


def _trunc_normal(
    tensor: torch.Tensor, mean: float, std: float, a: float, b: float, state: torch.Tensor | None
) -> None:
    generator = None if state is None else _restored(state, tensor.device)
    torch.nn.init.trunc_normal_(tensor, mean, std, a, b, generator=generator)
    if state is not None and generator is not None:
        state.copy_(generator.get_state())


def _set_default_device(device: torch.device) -> None:
    torch.set_default_device(None if device.type == "cpu" else device)


def _is_default_device(device: torch.device) -> bool:
    now = torch.get_default_device()
    return now.type == device.type and (device.index is None or now.index == device.index)


def _enter(mode: bool) -> None:
    guard = torch.inference_mode(mode)
    guard.__enter__()
    _modes.entered = [*getattr(_modes, "entered", ()), guard]


def _leave() -> None:
    _modes.entered.pop().__exit__(None, None, None)


def _running_others(function: Callable[..., Any]) -> Callable[..., Any]:
    """What hooks and autograd functions raise in it reaches C#, and Python again, as the same object; PyTorch's own errors are text."""

    @functools.wraps(function)
    def call(*arguments: Any, **given: Any) -> Any:
        try:
            return function(*arguments, **given)
        except BaseException as error:
            _keep(error)
            raise

    return call


def _keep(error: BaseException) -> None:
    """C++ keeps only the text of what a kernel raises: .NET gets the object, unless it is PyTorch's own error."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    if keep_error is not None and at is not None and at.tb_frame.f_code.co_filename not in _TORCHS:
        keep_error(error)


@_running_others
def _gradients(
    outputs: list[torch.Tensor],
    inputs: list[torch.Tensor],
    given: list[torch.Tensor | None],
    retain: bool,
    create: bool,
    unused: bool,
) -> list[torch.Tensor]:
    """Of which inputs there are gradients, as a tensor, and these gradients: a list of results cannot have gaps."""
    found = torch.autograd.grad(outputs, inputs, given or None, retain, create, allow_unused=unused)
    return [torch.tensor([one is not None for one in found]), *(one for one in found if one is not None)]


@_running_others
def _backward(
    tensors: list[torch.Tensor],
    given: list[torch.Tensor | None],
    retain: bool,
    create: bool,
    inputs: list[torch.Tensor],
) -> None:
    torch.autograd.backward(tensors, given or None, retain, create, inputs=inputs or None)


def _save_tensor(tensor: torch.Tensor, location: str) -> None:
    """Writes what C++'s ``torch::save(tensor, location)`` writes: an archive of TorchScript whose root has the tensor as "0"."""
    native: Any = torch._C
    root = native.ScriptModule("Module", native.CompilationUnit(), True)
    root._register_attribute("0", native.TensorType.get(), tensor.detach().requires_grad_(tensor.requires_grad))
    root.save(location)


def _load_tensor(location: str) -> torch.Tensor:
    native: Any = torch._C
    try:
        root = native.import_ir_module(native.CompilationUnit(), location, None, {}, False)
    except RuntimeError:
        loaded = torch.load(location, weights_only=True)
    else:
        loaded = root.getattr("0") if root.hasattr("0") else root
    if not isinstance(loaded, torch.Tensor):
        raise TypeError(f"{location} has {type(loaded).__name__}, not one tensor")
    return loaded


def _backends() -> tuple[Any, Any]:
    return torch.backends.cuda, torch.backends.cudnn  # which have no types


def _flag(name: str) -> bool:
    cuda, cudnn = _backends()
    read: dict[str, Callable[[], Any]] = {
        "flash_sdp": cuda.flash_sdp_enabled,
        "math_sdp": cuda.math_sdp_enabled,
        "matmul_tf32": lambda: cuda.matmul.allow_tf32,
        "matmul_fp16": lambda: cuda.matmul.allow_fp16_reduced_precision_reduction,
        "cudnn_tf32": lambda: cudnn.allow_tf32,
    }
    return bool(read[name]())


def _set_flag(name: str, value: bool) -> None:
    cuda, cudnn = _backends()
    write: dict[str, Callable[[bool], Any]] = {
        "flash_sdp": cuda.enable_flash_sdp,
        "math_sdp": cuda.enable_math_sdp,
        "matmul_tf32": lambda given: setattr(cuda.matmul, "allow_tf32", given),
        "matmul_fp16": lambda given: setattr(cuda.matmul, "allow_fp16_reduced_precision_reduction", given),
        "cudnn_tf32": lambda given: setattr(cudnn, "allow_tf32", given),
    }
    write[name](value)


#: What the ABI cannot ask for either: name and arguments, then the function. A list is empty for None.
_OTHERS: dict[str, Callable[..., Any]] = {
    "size(Tensor self, int dim) -> int": lambda tensor, dim: int(tensor.shape[dim]),
    "grad(Tensor self) -> Tensor[]": lambda tensor: [] if tensor.grad is None else [tensor.grad],
    "set_grad(Tensor self, Tensor[] grad) -> ()": lambda tensor, grad: setattr(
        tensor, "grad", grad[0] if grad else None
    ),
    "manual_seed(int seed) -> ()": lambda seed: torch.manual_seed(seed) and None,
    "device_count() -> int": lambda: torch.cuda.device_count(),
    "cudnn_is_available() -> bool": lambda: bool(_backends()[1].is_available()),
    "mps_is_available() -> bool": lambda: torch.backends.mps.is_available(),
    "synchronize(Device? device) -> ()": lambda device: torch.cuda.synchronize(device),
    "num_threads() -> int": lambda: torch.get_num_threads(),
    "set_num_threads(int number) -> ()": lambda number: torch.set_num_threads(number),
    "num_interop_threads() -> int": lambda: torch.get_num_interop_threads(),
    "set_num_interop_threads(int number) -> ()": lambda number: torch.set_num_interop_threads(number),
    "set_default_dtype(ScalarType dtype) -> ()": lambda dtype: torch.set_default_dtype(dtype),
    "set_default_device(Device device) -> ()": _set_default_device,
    "is_default_device(Device device) -> bool": _is_default_device,
    "backend_flag(str name) -> bool": _flag,
    "set_backend_flag(str name, bool value) -> ()": _set_flag,
    "initial_seed() -> int": lambda: _signed(torch.initial_seed()),
    "rng_state() -> Tensor": lambda: torch.get_rng_state(),
    "set_rng_state(Tensor state) -> ()": lambda state: torch.set_rng_state(state),
    "seeded(int seed, Device device) -> Tensor": _seeded,
    "seed_of(Tensor state, Device device) -> int": lambda state, device: _signed(
        _restored(state, device).initial_seed()
    ),
    "trunc_normal_(Tensor(a!) self, float mean, float std, float a, float b, Tensor? state) -> ()": _trunc_normal,
    "clip_grad_norm_(Tensor[] parameters, float max_norm, float norm_type) -> Tensor": torch.nn.utils.clip_grad_norm_,
    "clip_grad_value_(Tensor[] parameters, float clip_value) -> ()": torch.nn.utils.clip_grad_value_,
    "autograd_grad(Tensor[] outputs, Tensor[] inputs, Tensor?[] grad_outputs, bool retain_graph, bool create_graph,"
    " bool allow_unused) -> Tensor[]": _gradients,
    "autograd_backward(Tensor[] tensors, Tensor?[] grad_tensors, bool retain_graph, bool create_graph,"
    " Tensor[] inputs) -> ()": _backward,
    "set_anomaly(bool mode, bool check_nan) -> ()": lambda mode, check: (
        torch.autograd.set_detect_anomaly(mode, check) and None
    ),
    "anomaly() -> int": lambda: int(torch.is_anomaly_enabled()) + 2 * torch.is_anomaly_check_nan_enabled(),
    "save_tensor(Tensor self, str location) -> ()": _save_tensor,
    "load_tensor(str location) -> Tensor": _load_tensor,
    "enter_inference_mode(bool mode) -> ()": _enter,
    "leave_inference_mode() -> ()": _leave,
    "is_inference_mode() -> bool": lambda: torch.is_inference_mode_enabled(),
}
_library: Any = None
_defined: dict[str, Callable[..., Any]] = {}
_operators: tuple[str, ...] = ()
_functions: list[str] = []
_defining = threading.Lock()


def define(operators: Iterable[str]) -> list[str]:
    """Registers replacements for those of ``operators`` (``aten::add.Tensor``) that take a Scalar or a Generator.

    Returns the names of all replacements. Operators that this torch lacks are left out. Defining twice does nothing the second time.
    """
    global _library, _operators
    operators = tuple(operators)
    _operators = tuple(dict.fromkeys((*_operators, *operators)))
    if _library is None:
        # It lives as long as the process: dropping it unregisters.
        _library = torch.library.Library("bridge", "DEF")  # type: ignore[no-untyped-call]  # torch's is untyped
        for schema, function in _OTHERS.items():
            _add(schema.partition("(")[0], schema, function)
    for operator in operators:
        name, _, overload = operator.partition(".")
        try:
            schema = str(torch._C._get_schema(name, overload))
        except RuntimeError:
            continue
        if not (_SCALAR.search(schema) or _GENERATOR.search(schema)):
            continue
        base = name.partition("::")[2]
        function = getattr(getattr(torch.ops.aten, base), overload or "default")
        signature = _DEFAULT.sub("", schema[schema.index("(") :])
        # One with a number besides cannot be called from C# by either way.
        if _GENERATOR.search(schema) and not _SCALAR.search(schema):
            replacement = f"{base}__{overload or 'default'}__g"
            _add(replacement, replacement + _GENERATOR.sub("Tensor", signature), _drawing(function))
        for kind, word in KINDS.items() if _SCALAR.search(schema) else ():
            replacement = f"{base}__{overload or 'default'}__{kind}"
            positional = _SCALAR.sub(word, signature).replace(" *,", "")
            _add(replacement, replacement + positional, _positional(function, run_operator))
    return sorted(_defined)


def define_functions() -> list[str]:
    """Registers, for every operator that .NET calls, one that runs PyTorch's public function: ``bridge::relu__default__p``.

    Returns their names. From then on ``torch.jit.trace`` and ``torch.export`` record none of our operators: they see what these run.
    """
    with _defining:
        if not _functions:
            _define_functions()
    return _functions


def _define_functions() -> None:
    for operator in _operators:
        name, _, overload = operator.partition(".")
        try:
            schema = str(torch._C._get_schema(name, overload))
        except RuntimeError:
            continue
        base = name.partition("::")[2]
        if not name.startswith("aten::") or _GENERATOR.search(schema):
            continue
        function = getattr(getattr(torch.ops.aten, base), overload or "default")
        public = public_functions.of(function)
        if public is None:
            continue
        signature = _DEFAULT.sub("", schema[schema.index("(") :]).replace(" *,", "")
        kernel = _running_others(_positional_call(function, public))
        replacement = f"{base}__{overload or 'default'}__"
        for kind, word in KINDS.items() if _SCALAR.search(schema) else {"": ""}.items():
            named = f"{replacement}{kind}p"
            _add(named, named + _SCALAR.sub(word, signature), kernel)
            _functions.append(f"bridge::{named}")
    for name, kernel in _defined.items():
        for key in ("Tracer", "PreDispatch"):
            _library.impl(name, torch.library.fallthrough_kernel, key)
        # Without a tensor no autograd key leads to the composite kernel, and a dispatch mode would get our operator. This key is always on.
        if not any(argument.type.kind() == "TensorType" for argument in torch._C._get_schema(name, "").arguments):
            _library.impl(name, kernel, "ADInplaceOrView")
        # In inference mode none does either. This key is on where there is a dispatch mode.
        _library.impl(name, kernel, "PythonTLSSnapshot")


def has_functions() -> bool:
    """:func:`define_functions` was called."""
    return bool(_functions)


def _positional_call(operator: Any, run: Callable[..., Any]) -> Callable[..., Any]:
    keywords = tuple(argument.name for argument in operator._schema.arguments if argument.kwarg_only)

    def call(*arguments: Any) -> Any:
        at = len(arguments) - len(keywords)
        return run(*arguments[:at], **dict(zip(keywords, arguments[at:], strict=True)))

    return call


def _positional(function: Any, run: Callable[..., Any] | None) -> Callable[..., Any]:
    """A kernel without Python code of its own (``exports.run_operator``): all arguments are given by position."""
    keywords = tuple(argument.name for argument in function._schema.arguments if argument.kwarg_only)
    if run is not None:
        return functools.partial(run, function._op, keywords or None)
    return _positional_call(function, function)


def _drawing(function: Any) -> Callable[..., Any]:
    """Calls it with a generator of the given state, and advances the state."""
    names = [argument.name for argument in function._schema.arguments]

    @_running_others
    def call(*arguments: Any, **given: Any) -> Any:
        named = dict(zip(names, arguments, strict=False)) | given
        state = named.pop("generator")
        generator = _restored(state, _place(named.values()))
        if "generator" in given:
            result = function(*arguments, **{**given, "generator": generator})
        else:
            at = names.index("generator")
            result = function(*arguments[:at], generator, *arguments[at + 1 :], **given)
        with torch.no_grad():
            state.copy_(generator.get_state())
        return result

    return call


def _place(arguments: Iterable[Any]) -> torch.device:
    """Where the numbers are drawn."""
    for argument in arguments:
        if isinstance(argument, torch.Tensor):
            return argument.device
        if isinstance(argument, torch.device):
            return argument
    return torch.device("cpu")


def _add(name: str, schema: str, function: Callable[..., Any]) -> None:
    if f"bridge::{name}" in _defined:
        return
    _library.define(schema)
    _library.impl(name, function, "CompositeImplicitAutograd")
    _defined[f"bridge::{name}"] = function
