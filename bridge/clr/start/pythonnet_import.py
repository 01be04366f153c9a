"""pythonnet in a process in which ``host.py`` has started .NET.

pythonnet makes .NET's namespaces importable. Its start takes a seventh of a second, so it starts when ``pythonnet``, ``clr`` or ``System``
is first imported.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from bridge.clr.call.exports import Exports, refuse
from bridge.clr.leave import shutdown


class PythonnetFinder:
    """A finder of ``sys.meta_path`` that starts pythonnet at its first import.

    Attributes:
        configuration: The path of the ``runtimeconfig.json`` with which .NET was started.
        root: The folder of the .NET installation.
        exports: Our C# functions.
    """

    def __init__(self, configuration: Path, root: Path, exports: Exports) -> None:
        self.configuration = configuration
        self.root = root
        self.exports = exports
        self._process = os.getpid()

    def install(self) -> None:
        """Start pythonnet if it is imported already; else at its first import."""
        if (pythonnet := sys.modules.get("pythonnet")) is not None:
            self._start(pythonnet)
        else:
            sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Return pythonnet's spec, with a loader that also starts pythonnet; None for other modules.

        For ``System``, imports ``clr``, whose own finder then finds the namespace. Raises StartError in a forked child.
        """
        if name == "System" and "pythonnet" not in sys.modules:
            importlib.import_module("clr")
        if name != "pythonnet":
            return None
        if os.getpid() != self._process:
            refuse()
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_start(module: ModuleType) -> None:
                execute(module)
                self._start(module)

            spec.loader.exec_module = execute_and_start  # type: ignore[method-assign]  # of this loader only
        return spec

    def _start(self, pythonnet: ModuleType) -> None:
        import clr_loader

        runtime = clr_loader.get_coreclr(runtime_config=str(self.configuration), dotnet_root=self.root)
        pythonnet.load(runtime)
        shutdown.unregister_unload()
        shutdown.close_at_exit(runtime)
        shutdown.remove_pythonnet_handler(self.exports)
