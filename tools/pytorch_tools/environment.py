"""The environment in which the tools are installed: in the user's cache, with access to the packages of .venv."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from filelock import FileLock

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
_FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "torchsharp-bridge" / "pytorch-tools"


def requirements() -> dict[str, str]:
    """Return the pinned version of each distribution."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


def python() -> Path:
    """Return the environment's interpreter; create the environment from PyPI if it does not exist."""
    text = f"{sys.version}\n{sys.prefix}\n{REQUIREMENTS.read_text(encoding='utf-8')}"
    folder = _FOLDER / hashlib.sha256(text.encode()).hexdigest()[:16]
    executable = folder / "bin" / "python"
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(_FOLDER / "lock"):
        if not (folder / "absent.json").exists():
            venv.create(folder, with_pip=True, clear=True)
            paths = (sysconfig.get_path("purelib"), str(ROOT), str(ROOT / "tools"))
            site = next((folder / "lib").glob("python*/site-packages"))
            (site / "checkout.pth").write_text("\n".join(paths) + "\n", encoding="utf-8")
            (folder / "absent.json").write_text(json.dumps(_install(executable)), encoding="utf-8")
    return executable


def folder(*names: str) -> Path:
    """Return a folder for PYTHONPATH with these distributions, without their requirements, downloaded once.

    A name without a version (``timm==1.0.31``) has the pinned one.
    """
    pins = requirements()
    wanted = sorted(name if "==" in name else f"{name}=={pins[name]}" for name in names)
    made = _FOLDER / f"only-{hashlib.sha256(repr((sys.version, wanted)).encode()).hexdigest()[:16]}"
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(_FOLDER / "lock"):
        if not (made / "complete").exists():
            subprocess.run([*_pip(Path(sys.executable)), "--target", str(made), *wanted], check=True)
            (made / "complete").touch()
    return made


def absent() -> dict[str, str]:
    """Return the distributions that could not be installed, with pip's last output."""
    found: dict[str, str] = json.loads((python().parents[1] / "absent.json").read_text(encoding="utf-8"))
    return found


def _pip(executable: Path) -> list[str]:
    return [str(executable), "-m", "pip", "install", "--no-deps", "--no-input", "--quiet"]


def _install(executable: Path) -> dict[str, str]:
    """Install all distributions, or each alone if that fails, and return the last line of each error."""
    command = _pip(executable)
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if subprocess.run([*command, "-r", str(REQUIREMENTS)], env=environ, check=False).returncode == 0:
        return {}
    failed = {}
    for name, version in requirements().items():
        pinned = [*command, f"{name}=={version}"]
        run = subprocess.run(pinned, env=environ, check=False, capture_output=True, text=True)
        if run.returncode != 0:
            failed[name] = (run.stderr.strip().splitlines() or ["pip failed"])[-1]
    return failed
