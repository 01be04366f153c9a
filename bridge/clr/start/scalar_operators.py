"""Operators of the namespace ``bridge``, by which .NET calls operators and functions that libtorch's stable ABI cannot call.

The ABI cannot pass a Scalar or a Generator. ``aten::pow.Tensor_Scalar(Tensor self, Scalar exponent)`` has replacements with a float
(``bridge::pow__Tensor_Scalar__f``), an int (``__i``) and a bool (``__b``) instead of the Scalar. The replacement
``bridge::multinomial__default__g`` for ``aten::multinomial(…, Generator? generator)`` takes the generator's state, a uint8 tensor, and
updates it in place. A replacement calls the aten operator from a CompositeImplicitAutograd kernel, so graph, dtype and rounding are
those of the aten operator. Other operators of the namespace call functions of Python's torch, such as ``torch.autograd.grad``. PyTorch
takes the GIL to call the kernels, so any .NET thread may call the operators.
"""

from __future__ import annotations

import functools
import re
import threading
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import torch

from bridge.clr.start import public_functions

#: The types that replace a Scalar, by the suffix of the replacement operator.
SCALAR_TYPES = {"f": "float", "i": "int", "b": "bool"}
_SCALAR = re.compile(r"\bScalar(?=[ ?\[])")
_GENERATOR = re.compile(r"\bGenerator\?(?= )")
_DEFAULT = re.compile(r"=(\[[^\]]*\]|[^,)]+)")
#: .NET's function to which the exception of a failed kernel is passed; set when .NET has started.
keep_error: Callable[[BaseException], None] | None = None
#: .NET's function that calls an operator. It takes the operator, the names of the operator's keyword-only arguments, and all of the
#: operator's arguments by position. Set when .NET has started.
run_operator: Callable[..., Any] | None = None
#: If the innermost frame of an error is in one of these Python files, PyTorch itself has raised the error.
_TORCH_FILES = frozenset(
    (torch.autograd.__file__, torch.autograd.graph.__file__, torch._ops.__file__, public_functions.__file__, __file__)
)
#: The guards of inference mode and of autocast that .NET has entered, per thread, innermost last.
_modes = threading.local()


def _seed_state(seed: int, device: torch.device) -> torch.Tensor:
    return torch.Generator(device).manual_seed(seed).get_state()


def _signed(seed: int) -> int:
    """Return an unsigned 64-bit seed of PyTorch as TorchSharp's signed 64-bit integer."""
    return seed - (1 << 64) if seed >= 1 << 63 else seed


def _create_generator(state: torch.Tensor, device: torch.device) -> torch.Generator:
    generator = torch.Generator(device)
    generator.set_state(state)
    return generator


def _trunc_normal(
    tensor: torch.Tensor, mean: float, std: float, a: float, b: float, state: torch.Tensor | None
) -> None:
    generator = None if state is None else _create_generator(state, tensor.device)
    torch.nn.init.trunc_normal_(tensor, mean, std, a, b, generator=generator)
    if state is not None and generator is not None:
        state.copy_(generator.get_state())


def _set_default_device(device: torch.device) -> None:
    torch.set_default_device(None if device.type == "cpu" else device)


def _is_default_device(device: torch.device) -> bool:
    default = torch.get_default_device()
    return default.type == device.type and (device.index is None or default.index == device.index)


def _enter_inference_mode(mode: bool) -> None:
    guard = torch.inference_mode(mode)
    guard.__enter__()
    _modes.entered = [*getattr(_modes, "entered", ()), guard]


def _leave_inference_mode() -> None:
    _modes.entered.pop().__exit__(None, None, None)


def _enter_autocast(device_type: str, dtype: torch.dtype | None, enabled: bool, cache_enabled: bool | None) -> None:
    mode = torch.autocast(device_type, dtype, enabled, cache_enabled)
    mode.__enter__()  # type: ignore[no-untyped-call]  # torch's is untyped
    _modes.autocasts = [*getattr(_modes, "autocasts", ()), mode]


def _leave_autocast() -> None:
    _modes.autocasts.pop().__exit__(None, None, None)


def _keeping_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls ``function``, and passes an exception that it raises to :func:`_keep_users_error`."""

    @functools.wraps(function)
    def call(*arguments: Any, **given: Any) -> Any:
        try:
            return function(*arguments, **given)
        except BaseException as error:
            _keep_users_error(error)
            raise

    return call


def _keep_users_error(error: BaseException) -> None:
    """Give .NET the exception object that a kernel raises, unless PyTorch itself has raised it. C++ would pass on only the text."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if keep_error is not None and last is not None and last.tb_frame.f_code.co_filename not in _TORCH_FILES:
        keep_error(error)


@_keeping_errors
def _gradients(
    outputs: list[torch.Tensor],
    inputs: list[torch.Tensor],
    grad_outputs: list[torch.Tensor | None],
    retain: bool,
    create: bool,
    unused: bool,
) -> list[torch.Tensor]:
    """Return a mask of the inputs that have gradients, then the gradients: a list that an operator returns cannot hold None."""
    gradients = torch.autograd.grad(outputs, inputs, grad_outputs or None, retain, create, allow_unused=unused)
    mask = torch.tensor([gradient is not None for gradient in gradients])
    return [mask, *(gradient for gradient in gradients if gradient is not None)]


@_keeping_errors
def _backward(
    tensors: list[torch.Tensor],
    grad_tensors: list[torch.Tensor | None],
    retain: bool,
    create: bool,
    inputs: list[torch.Tensor],
) -> None:
    torch.autograd.backward(tensors, grad_tensors or None, retain, create, inputs=inputs or None)


def _save_tensor(tensor: torch.Tensor, location: str) -> None:
    """Write a tensor as C++'s ``torch::save`` does: as a TorchScript archive whose root module has the attribute "0"."""
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
        raise TypeError(f"{location} holds {type(loaded).__name__}, not a tensor")
    return loaded


def _backends() -> tuple[Any, Any]:
    return torch.backends.cuda, torch.backends.cudnn  # as Any: torch leaves them untyped


def _flag(name: str) -> bool:
    cuda, cudnn = _backends()
    getters: dict[str, Callable[[], Any]] = {
        "flash_sdp": cuda.flash_sdp_enabled,
        "math_sdp": cuda.math_sdp_enabled,
        "matmul_tf32": lambda: cuda.matmul.allow_tf32,
        "matmul_fp16": lambda: cuda.matmul.allow_fp16_reduced_precision_reduction,
        "cudnn_tf32": lambda: cudnn.allow_tf32,
    }
    return bool(getters[name]())


def _set_flag(name: str, value: bool) -> None:
    cuda, cudnn = _backends()
    setters: dict[str, Callable[[bool], Any]] = {
        "flash_sdp": cuda.enable_flash_sdp,
        "math_sdp": cuda.enable_math_sdp,
        "matmul_tf32": lambda allow: setattr(cuda.matmul, "allow_tf32", allow),
        "matmul_fp16": lambda allow: setattr(cuda.matmul, "allow_fp16_reduced_precision_reduction", allow),
        "cudnn_tf32": lambda allow: setattr(cudnn, "allow_tf32", allow),
    }
    setters[name](value)


#: Functions of PyTorch that .NET calls as operators, by their schemas. An empty list of tensors stands for None.
_FUNCTION_SCHEMAS: dict[str, Callable[..., Any]] = {
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
    "seeded(int seed, Device device) -> Tensor": _seed_state,
    "seed_of(Tensor state, Device device) -> int": lambda state, device: _signed(
        _create_generator(state, device).initial_seed()
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
    "enter_inference_mode(bool mode) -> ()": _enter_inference_mode,
    "leave_inference_mode() -> ()": _leave_inference_mode,
    "is_inference_mode() -> bool": lambda: torch.is_inference_mode_enabled(),
    "enter_autocast(str device_type, ScalarType? dtype, bool enabled, bool? cache_enabled) -> ()": _enter_autocast,
    "leave_autocast() -> ()": _leave_autocast,
    "is_autocast_enabled(str device_type) -> bool": lambda device_type: torch.is_autocast_enabled(device_type),
    # An operator cannot return a ScalarType to .NET: this is a tensor of the type.
    "autocast_dtype(str device_type) -> Tensor": lambda device_type: torch.empty(
        0, dtype=torch.get_autocast_dtype(device_type)
    ),
    "warn(str text) -> ()": lambda text: warnings.warn(text, stacklevel=2),
}
_library: Any = None
#: The kernels of the registered operators by name.
_defined: dict[str, Callable[..., Any]] = {}
#: The names of the aten operators that .NET calls.
_operators: tuple[str, ...] = ()
#: The names of the operators that call public functions.
_public_operators: list[str] = []
_defining = threading.Lock()


def define(operators: Iterable[str]) -> list[str]:
    """Register replacements for those of ``operators`` (``aten::add.Tensor``) that take a Scalar or a Generator.

    The first call also registers the operators of ``_FUNCTION_SCHEMAS``. Operators that this torch lacks, and replacements that are
    registered already, are skipped. Returns the names of all operators of the namespace ``bridge``.
    """
    global _library, _operators
    operators = tuple(operators)
    _operators = tuple(dict.fromkeys((*_operators, *operators)))
    if _library is None:
        # Never freed: that would unregister the operators.
        _library = torch.library.Library("bridge", "DEF")  # type: ignore[no-untyped-call]  # torch's is untyped
        for schema, function in _FUNCTION_SCHEMAS.items():
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
        # An operator with both a Scalar and a Generator has no replacement for the Generator.
        if _GENERATOR.search(schema) and not _SCALAR.search(schema):
            replacement = f"{base}__{overload or 'default'}__g"
            _add(replacement, replacement + _GENERATOR.sub("Tensor", signature), _with_generator_state(function))
        for kind, word in SCALAR_TYPES.items() if _SCALAR.search(schema) else ():
            replacement = f"{base}__{overload or 'default'}__{kind}"
            positional = _SCALAR.sub(word, signature).replace(" *,", "")
            _add(replacement, replacement + positional, _positional_kernel(function, run_operator))
    return sorted(_defined)


def define_public() -> list[str]:
    """Register operators such as ``bridge::relu__default__p``, which call public functions such as ``torch.Tensor.relu``.

    They stand for the aten operators that .NET calls, except operators with a Generator or without a public function. Only the first call
    registers them; each call returns their names. After the first call, ``torch.jit.trace`` and ``torch.export`` do not record operators
    of ``bridge``, but the aten operators that these call.
    """
    with _defining:
        if not _public_operators:
            _define_public()
    return _public_operators


def _define_public() -> None:
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
        public = public_functions.find(function)
        if public is None:
            continue
        signature = _DEFAULT.sub("", schema[schema.index("(") :]).replace(" *,", "")
        kernel = _keeping_errors(_positional_call(function, public))
        replacement = f"{base}__{overload or 'default'}__"
        for kind, word in SCALAR_TYPES.items() if _SCALAR.search(schema) else {"": ""}.items():
            named = f"{replacement}{kind}p"
            _add(named, named + _SCALAR.sub(word, signature), kernel)
            _public_operators.append(f"bridge::{named}")
    for name, kernel in _defined.items():
        for key in ("Tracer", "PreDispatch"):
            _library.impl(name, torch.library.fallthrough_kernel, key)
        # A kernel usually runs at an autograd key, before a dispatch mode sees the operator. If an operator has no tensor arguments, no
        # autograd key is set. But outside inference mode the key ADInplaceOrView is always set, and selects the kernel registered here.
        if not any(argument.type.kind() == "TensorType" for argument in torch._C._get_schema(name, "").arguments):
            _library.impl(name, kernel, "ADInplaceOrView")
        # In inference mode neither an autograd key nor ADInplaceOrView is set, but PythonTLSSnapshot is, if a dispatch mode is active.
        _library.impl(name, kernel, "PythonTLSSnapshot")


def has_public() -> bool:
    """Return whether :func:`define_public` has registered operators."""
    return bool(_public_operators)


def _positional_call(operator: Any, run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes all of an operator's arguments by position, and calls ``run`` with them."""
    keywords = tuple(argument.name for argument in operator._schema.arguments if argument.kwarg_only)

    def call(*arguments: Any) -> Any:
        count = len(arguments) - len(keywords)
        return run(*arguments[:count], **dict(zip(keywords, arguments[count:], strict=True)))

    return call


def _positional_kernel(function: Any, run: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return a kernel that takes all of an operator's arguments by position.

    ``run`` is :data:`run_operator`, or None to call the operator by a slower Python function.
    """
    keywords = tuple(argument.name for argument in function._schema.arguments if argument.kwarg_only)
    if run is not None:
        return functools.partial(run, function._op, keywords or None)
    return _positional_call(function, function)


def _with_generator_state(function: Any) -> Callable[..., Any]:
    """Return a kernel that takes a generator's state, calls the operator with a generator of that state, and updates the state."""
    names = [argument.name for argument in function._schema.arguments]

    @_keeping_errors
    def call(*arguments: Any, **given: Any) -> Any:
        named = dict(zip(names, arguments, strict=False)) | given
        state = named.pop("generator")
        generator = _create_generator(state, _device_of(named.values()))
        if "generator" in given:
            result = function(*arguments, **{**given, "generator": generator})
        else:
            at = names.index("generator")
            result = function(*arguments[:at], generator, *arguments[at + 1 :], **given)
        with torch.no_grad():
            state.copy_(generator.get_state())
        return result

    return call


def _device_of(arguments: Iterable[Any]) -> torch.device:
    """Return the device on which an operator with these arguments draws random numbers.

    The first argument that is a tensor or a device determines it. The CPU is used if there is no such argument.
    """
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
