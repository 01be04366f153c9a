"""What a user of pythonnet does before this package is there: tests and attacks where somebody else has loaded .NET."""

from __future__ import annotations

import atexit
import json
import os
import tempfile

from bridge.clr.find import installation


def prepare_pythonnet() -> None:
    """Configure pythonnet as its users do: which .NET, and where."""
    found = installation.find_dotnet()
    framework = {"name": "Microsoft.NETCore.App", "version": found.runtimes[-1]}
    properties = {"System.Globalization.Invariant": True}
    options = {"tfm": "net8.0", "framework": framework, "configProperties": properties}
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json", delete=False) as file:
        json.dump({"runtimeOptions": options}, file)
    os.environ["DOTNET_ROOT"] = os.environ["PYTHONNET_CORECLR_DOTNET_ROOT"] = str(found.root)
    os.environ["PYTHONNET_CORECLR_RUNTIME_CONFIG"] = file.name
    atexit.register(os.unlink, file.name)
