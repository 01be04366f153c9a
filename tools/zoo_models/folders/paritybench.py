"""ParityBench's layout: generated files with a list ``TESTCASES`` of a class, its arguments, those of forward, and a flag."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import torch

from bridge.compare.io.inputs import Inputs
from pytorch_tools import environment
from zoo_models import torchvision
from zoo_models.folders import absent
from zoo_models.folders.loading import load, parse

#: What each generated file imports, used or not.
_PACKAGES: Final = (
    "scipy==1.17.1", "pandas==3.1.1", "scikit-learn", "matplotlib", "cloudpickle", "contourpy", "cycler", "fonttools", "joblib",
    "kiwisolver", "narwhals", "pyparsing", "python-dateutil", "threadpoolctl", "tzdata",
)  # fmt: skip
#: What they import besides, some by modules of PyTorch's: of these there is no release for this PyTorch, or models do not need them.
_ABSENT: Final = ("tensorflow", "tensorboard", "google", "torchaudio", "torchtext", "expecttest")


@dataclass(frozen=True)
class ParityBench:
    """The first cases of a folder's files."""

    folder: Path
    cases: int = 1

    def files(self) -> dict[str, Path]:
        """Return the files by the names of the models in them: the file's and the case's number."""
        return _files(self.folder, self.cases)

    def __call__(self, name: str) -> tuple[Callable[[], torch.nn.Module], Inputs]:
        """Return the model's factory and its inputs."""
        importable()
        module = load(self.folder / f"{name[:-4]}.py", parse(self.folder / f"{name[:-4]}.py"))
        kind, arguments, inputs, _ = module.TESTCASES[int(name[-3:])]
        positional, named = inputs()

        def make() -> torch.nn.Module:
            given, by_name = arguments()
            made = kind(*given, **by_name)
            assert isinstance(made, torch.nn.Module)
            return made

        return make, Inputs(tuple(positional), named)


def importable() -> None:
    """Import what the files import: packages, stand-ins for those that are absent, and the benchmark's own helpers."""
    torchvision.importable()
    where = str(environment.folder(*_PACKAGES))
    if where not in sys.path:
        sys.path.append(where)
    for package in ("matplotlib", "pandas", "scipy", "sklearn"):
        import_module(package)
    absent.stand_in(_ABSENT)
    if "_paritybench_helpers" not in sys.modules:
        helpers = ModuleType("_paritybench_helpers")
        vars(helpers).update(
            _mock_config=_Settings, _mock_layer=_layer, patch_functional=_both_functional,
            _paritybench_base=object, _fails_compile=lambda: lambda test: test,
        )  # fmt: skip
        sys.modules["_paritybench_helpers"] = helpers


@cache
def _files(folder: Path, cases: int) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for file in sorted(folder.rglob("test_*.py")):
        text = file.read_text(encoding="utf-8", errors="replace")
        if (start := text.rfind("\nTESTCASES = [")) >= 0:
            found |= {f"{file.stem}_{case:03}": file for case in range(min(_count(text[start:]), cases))}
    return found


def _count(text: str) -> int:
    """Return how many cases the list at the start of a text has, by its lines: some are no Python."""
    return len(re.findall(r"^    \(", text[: text.index("\n]")], re.MULTILINE))


# The helpers by the names that the files import: those of the benchmark also compile models and patch PyTorch's random state.


class _Settings(dict[str, Any]):
    """Settings that are read as attributes."""

    __getattr__ = dict.__getitem__


class _Block(torch.nn.ReLU):
    """The layer in the place of one whose class the file lacks."""

    expansion = 1


def _layer(in_features: int | None = None, out_features: int | None = None, *_: Any, **options: Any) -> torch.nn.Module:
    if in_features and out_features:
        return torch.nn.Linear(in_features, out_features, **options)
    return _Block()


def _both_functional() -> None:
    """Give each of PyTorch's two modules of functions what the other has: the files import either as ``F``."""
    pair: Sequence[Any] = (torch.functional, torch.nn.functional)
    for here, there in (pair, pair[::-1]):
        for name in set(dir(here)) - set(dir(there)):
            if name[0].islower():
                setattr(there, name, getattr(here, name))
