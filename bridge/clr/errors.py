"""What comes out of .NET, and what goes wrong before it runs."""

from __future__ import annotations

from typing import Any, Final

#: Frames of a C# stack that are not the user's: ours, TorchSharp's, .NET's, and the marks between them.
_FOREIGN: Final = (
    *(f"at Bridge.{ours}." for ours in ("Hooks", "Torch", "Interop", "Conformance", "TorchSharp", "Host")),
    "at TorchSharp.",
    "at System.",
    "at Microsoft.",
    "at InvokeStub_",
    "at lambda_method",
    "--- ",
)
#: The most frames that are shown: a recursion has thousands.
_SHOWN: Final = 10


class StartError(RuntimeError):
    """.NET could not be started, or cannot be used here; the message says why and what to do."""


class DotNetFailure(BaseException):
    """What is known of a C# exception.

    ``dotnet_type`` is its full type name, ``dotnet_message`` its message, ``dotnet_stack`` its stack, ``module_path`` the path of
    the innermost module it came from ("" is the root, None when no module was running). A Python exception that C# turned into
    this one is its ``__cause__``.

    As text it is the type and message, then the frames of the user's own code, and the message again below them.
    """

    # A KeyError would show ``repr`` of the words.
    __str__ = BaseException.__str__

    def __init__(self, type: str, message: str, stack: str, module_path: str | None = None) -> None:
        where = "" if module_path is None else f" in module '{module_path}'" if module_path else " in the root module"
        frames = own_frames(stack)
        if len(frames) > _SHOWN:
            half = _SHOWN // 2
            frames = [*frames[:half], f"… {len(frames) - _SHOWN} more frames …", *frames[-half:]]
        sentence = f"{type}{where}: {message}"
        again = [sentence.partition("\n")[0]] if frames else []
        super().__init__("\n".join([sentence, *(f"   {frame}" for frame in frames), *again]))
        self.dotnet_type = type
        self.dotnet_message = message
        self.dotnet_stack = stack
        self.module_path = module_path

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.dotnet_type, self.dotnet_message, self.dotnet_stack, self.module_path)
        return type(self), given, vars(self)


def own_frames(stack: str) -> list[str]:
    """Return the frames of a C# stack that are in the user's own code, innermost first."""
    lines = (line.strip() for line in stack.splitlines())
    return [line for line in lines if line and not line.startswith(_FOREIGN)]


class DotNetError(DotNetFailure, RuntimeError):
    """A C# exception. When Python raises it back into C#, C# sees the original exception object.

    One that has a counterpart in Python is also that: ``except IndexError`` catches an ``IndexOutOfRangeException``. The classes below
    are for this; which is for what, ``docs/python.md`` says.
    """


class DotNetRecursionError(DotNetError, RecursionError):
    """Modules in C# call each other without end."""


class DotNetTypeError(DotNetError, TypeError):
    """A value is not what C# declares, or the number of arguments is not (F-2: types in .NET are fixed)."""


class DotNetValueError(DotNetError, ValueError):
    """An argument, a text or data are not as C# needs them."""


class DotNetRangeError(DotNetError, IndexError, ValueError):
    """An argument is out of range: an index of a C# list, or any other."""


class DotNetIndexError(DotNetError, IndexError):
    """An index is beyond an array's end."""


class DotNetKeyError(DotNetError, KeyError):
    """A dictionary lacks the key."""


class DotNetNotImplementedError(DotNetError, NotImplementedError):
    """C# has not implemented or does not support it."""


class DotNetOSError(DotNetError, OSError):
    """A file, a network or another device failed. ``errno`` is None: .NET does not say it."""


class DotNetFileNotFoundError(DotNetError, FileNotFoundError):
    """There is no such file or folder."""


class DotNetPermissionError(DotNetError, PermissionError):
    """The operating system does not allow it."""


class DotNetTimeoutError(DotNetError, TimeoutError):
    """It took too long."""


class DotNetEOFError(DotNetError, EOFError):
    """A file ends too early."""


class DotNetArithmeticError(DotNetError, ArithmeticError):
    """Arithmetic failed in another way than the two below."""


class DotNetZeroDivisionError(DotNetError, ZeroDivisionError):
    """An integer was divided by zero."""


class DotNetOverflowError(DotNetError, OverflowError):
    """A number does not fit its type."""


class DotNetMemoryError(DotNetError, MemoryError):
    """There is not enough memory."""


class DotNetInterrupt(DotNetFailure):
    """A C# exception that is marked as not being an error (``Bridge.Hooks.INotAnError``): ``except Exception`` does not catch it (A-4)."""


def without_frames(error: BaseException) -> BaseException:
    """A copy with the class, the arguments and the attributes of ``error``, but no traceback, context or cause, which hold frames.

    No ``__init__`` of Python's runs again. Where there can be no copy, a RuntimeError says so in its place. .NET calls this for what C#
    may have kept of a call that is over.
    """
    # By the layout of its objects, which only its own class can make.
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
        return RuntimeError(f"C# kept a {name} beyond the call that raised it, and it cannot be copied: {problem}")
    return copy


def few_files(what: str, needed: int) -> str:
    """Return what to do where a process may not have as many files open as ``what`` needs; nothing where it may."""
    try:
        import resource  # POSIX alone
    except ImportError:
        return ""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # .NET raises the soft limit to it
    if most == resource.RLIM_INFINITY or most >= needed:
        return ""
    return (
        f"A process may have {most} files open here, and {what} needs {needed}: raise the limit, for instance by "
        "`ulimit -n 1024`."
    )
