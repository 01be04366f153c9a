"""Exceptions for C# exceptions, and for failures to build C# projects and to start .NET.

Codes such as F-2 are clauses of the contract (docs/contract.md).
"""

from __future__ import annotations

from typing import Any, Final

from bridge.errors import BridgeError

#: The beginnings of stack trace lines that are not the user's code: frames of this project, TorchSharp and .NET, and separators.
_FOREIGN: Final = (
    *(f"at Bridge.{name}." for name in ("Hooks", "Torch", "Interop", "Conformance", "TorchSharp", "Host", "InProcess")),
    "at TorchSharp.",
    "at System.",
    "at Microsoft.",
    "at InvokeStub_",
    "at lambda_method",
    "--- ",
)
#: The maximum number of frames in a message: an endless recursion has thousands.
_MAX_FRAMES: Final = 10


class StartError(BridgeError, RuntimeError):
    """.NET could not be started, or cannot be used in this process. The message says why."""


class BuildError(BridgeError, RuntimeError):
    """A C# project cannot be built. The message says why, with the errors of NuGet, the SDK or the compiler."""


class DotNetFailure(BaseException):
    """The base class of the exceptions that represent C# exceptions in Python.

    The text begins with the C# exception's type, the module that was running (if any) and the message. If the stack trace has frames of the
    user's own code, up to ten of them follow, and then the first line again. If a Python exception caused the C# exception, ``__cause__``
    is that Python exception.

    Attributes:
        dotnet_type: The full name of the C# exception's type.
        dotnet_message: The C# exception's message.
        dotnet_stack: The C# stack trace.
        module_path: The path of the innermost module that was running, or the module's type if the path is unknown. "" for the root
            module, None if no module was running.
    """

    # KeyError's own ``__str__`` returns the ``repr`` of the message.
    __str__ = BaseException.__str__

    def __init__(self, type: str, message: str, stack: str, module_path: str | None = None) -> None:
        where = "" if module_path is None else f" in module '{module_path}'" if module_path else " in the root module"
        frames = own_frames(stack)
        if len(frames) > _MAX_FRAMES:
            half = _MAX_FRAMES // 2
            frames = [*frames[:half], f"… {len(frames) - _MAX_FRAMES} more frames …", *frames[-half:]]
        sentence = f"{type}{where}: {message}"
        last_line = [sentence.partition("\n")[0]] if frames else []
        super().__init__("\n".join([sentence, *(f"   {frame}" for frame in frames), *last_line]))
        self.dotnet_type = type
        self.dotnet_message = message
        self.dotnet_stack = stack
        self.module_path = module_path

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = (self.dotnet_type, self.dotnet_message, self.dotnet_stack, self.module_path)
        return type(self), arguments, vars(self)


def own_frames(stack: str) -> list[str]:
    """Return the lines of a stack trace that are in the user's own code, or that stand for omitted frames, innermost first."""
    lines = (line.strip() for line in stack.splitlines())
    return [line for line in lines if line and not line.startswith(_FOREIGN)]


class DotNetError(DotNetFailure, BridgeError, RuntimeError):
    """A C# exception. If Python raises it into C# again, C# catches the original .NET exception object.

    If Python has a class for the same error, the exception's class derives from that class too: ``except IndexError`` catches an
    ``IndexOutOfRangeException``. ``docs/python.md`` lists the classes.
    """


class DotNetRecursionError(DotNetError, RecursionError):
    """Calls in C# are nested too deeply, for example because modules call each other without end."""


class DotNetTypeError(DotNetError, TypeError):
    """A value is not of the type that C# declares (F-2), or is null where C# requires an object, or the number of arguments is wrong."""


class DotNetValueError(DotNetError, ValueError):
    """An argument, a text or data has an invalid value or format."""


class DotNetRangeError(DotNetError, IndexError, ValueError):
    """An argument is out of range, such as an index of a C# list."""


class DotNetIndexError(DotNetError, IndexError):
    """An index, for example of an array or tensor, is out of bounds."""


class DotNetKeyError(DotNetError, KeyError):
    """A dictionary lacks a key."""


class DotNetNotImplementedError(DotNetError, NotImplementedError):
    """An operation is not implemented or not supported, by C# code or by a PyTorch operator."""


class DotNetOSError(DotNetError, OSError):
    """An operation on a file, the network or another device failed. ``errno`` is None: .NET does not provide it."""


class DotNetFileNotFoundError(DotNetError, FileNotFoundError):
    """A file or folder does not exist."""


class DotNetPermissionError(DotNetError, PermissionError):
    """The operating system denied an operation."""


class DotNetTimeoutError(DotNetError, TimeoutError):
    """An operation took too long."""


class DotNetEOFError(DotNetError, EOFError):
    """A file or other stream ends too early."""


class DotNetArithmeticError(DotNetError, ArithmeticError):
    """Arithmetic failed, but not by a division by zero or an overflow."""


class DotNetZeroDivisionError(DotNetError, ZeroDivisionError):
    """An integer or a decimal was divided by zero."""


class DotNetOverflowError(DotNetError, OverflowError):
    """The result of arithmetic or of a conversion does not fit its type."""


class DotNetMemoryError(DotNetError, MemoryError):
    """Memory is exhausted."""


class DotNetInterrupt(DotNetFailure):
    """A C# exception that implements ``Bridge.Hooks.INotAnError``: ``except Exception`` does not catch it (A-4)."""


def without_frames(error: BaseException) -> BaseException:
    """Copy an exception without its traceback, context and cause: these would keep stack frames alive.

    The copy has the same class, arguments and attributes; the class's own ``__init__`` does not run. If the exception cannot be copied,
    returns a RuntimeError that says so. .NET calls this function for exceptions that C# may keep after the call that raised them.
    """
    # The object must be created by its built-in base class, which defines its memory layout.
    base: Any = type(error)
    while base.__module__ != "builtins":
        base = base.__base__
    try:
        reduced: Any = base.__reduce__(error)
        _, arguments, *state = reduced
        copy: BaseException = base.__new__(type(error), *arguments)
        base.__init__(copy, *arguments)
        if state:
            vars(copy).update(state[0])
    except Exception as problem:
        name = type(error).__qualname__
        return RuntimeError(f"C# kept a {name} after the call that raised it, and it cannot be copied: {problem}")
    return copy


def file_limit_advice(name: str, needed: int) -> str:
    """Return advice if the limit of open files is below ``needed``, the number that must be open to run ``name``; "" otherwise."""
    try:
        import resource  # POSIX only
    except ImportError:
        return ""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # the hard limit: .NET raises the soft limit to it
    if limit == resource.RLIM_INFINITY or limit >= needed:
        return ""
    advice = f"raise the hard limit, for instance by `ulimit -n {max(needed, 1024)}` as root."
    return f"The limit of open files is {limit}, and {name} needs {needed}: {advice}"
