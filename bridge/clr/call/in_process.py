"""Access to the assembly Bridge.InProcess, which runs models on TorchSharp itself in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bridge.clr.call.exports import builtin
from bridge.clr.start.runtime import start


def load_functions(library: Path, native: Path, libtorch: Path, names: Sequence[str]) -> dict[str, Callable[..., Any]]:
    """Load a TorchSharp.dll at the first call, and return the C# functions of these names. Starts .NET if it does not run yet.

    ``native`` is TorchSharp's native library, which must be loaded already, and ``libtorch`` is the folder of Python's libtorch. Raises
    NotSupportedException of .NET if another TorchSharp.dll was loaded before.
    """
    address = start().exports.in_process_function
    return {name: builtin(name, address(str(library), str(native), str(libtorch), name)) for name in names}
