"""Whether a cause that a finding states is right: it is removed from the mutant, after which nothing may differ."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import torch

from bridge.compare.findings import Finding
from bridge.compare.isolate.state_guard import is_builtin
from bridge.compare.result import Comparison
from diagnosis.judging import is_at_statement, is_explained, is_located
from diagnosis.mutants import Mutant
from diagnosis.subjects import SUBJECTS

#: ``softmax: dim -1 in pytorch, 1 in dotnet``: an operator that both call, with different arguments.
_ARGUMENTS: Final = re.compile(
    r": \w+: \w+ .* in pytorch, .* in dotnet|returns different numbers|returns .* in pytorch and"
)
_ASSIGNED: Final = re.compile(r"^\s*(?:var\s+)?(\w+|\([\w\s,]*\))\s*[-+*/]?=(?!=)", re.MULTILINE)
_NAME: Final = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class CauseCheck:
    """The check of the causes stated for one mutant.

    ``classes`` maps each module path of the unmutated port to its class. ``load`` loads the mutant again, with the original's weights, and
    ``compare`` repeats the comparison with another model in place of the mutant.
    """

    mutant: Mutant
    classes: Mapping[str, str]
    original: torch.nn.Module
    load: Callable[..., torch.nn.Module]
    compare: Callable[[torch.nn.Module], Comparison]

    def refute(self, finding: Finding) -> str:
        """Explain why the cause is wrong; empty if it is right, or if the finding states none."""
        located = is_located(self.mutant, finding, self.classes)
        elsewhere = f"{finding.source or finding.path or 'the root'} is not what was changed"
        try:
            match finding.kind:
                case "operator" if finding.path and is_builtin(self.original.get_submodule(finding.path)):
                    paths = [
                        path
                        for path in self.classes
                        if is_located(self.mutant, replace(finding, path=path), self.classes)
                    ]
                    return self._remaining(self._with_modules_of_pytorch(paths))
                case "operator":
                    return "" if self._is_mutated_operator(finding, located) else elsewhere
                case "names":
                    return "" if located else elsewhere
                case "bypass":
                    return self._remaining(self.load(forward_fires=True))
                case "setting":
                    return self._refute_setting(finding, "" if located else elsewhere)
        except Exception as error:  # a mutant may raise anything
            return f"cannot be removed: {type(error).__name__}: {error}"
        return ""

    def _remaining(self, model: torch.nn.Module) -> str:
        """Return the verdict on a model without the cause; empty if nothing differs."""
        after = self.compare(model)
        return f"without it: {after.verdict}" if after.differs else ""

    def _with_modules_of_pytorch(self, paths: list[str]) -> torch.nn.Module:
        model = self.load()
        for path in filter(None, paths):
            model.set_submodule(path, copy.deepcopy(self.original.get_submodule(path)))
        return model

    def _is_mutated_operator(self, finding: Finding, located: bool) -> bool:
        """Return whether the finding is about the mutated statement, or about arguments that this statement computes."""
        if is_at_statement(self.mutant, finding.source):
            return True
        arguments = _ARGUMENTS.search(finding.message) and self._uses_mutated(finding.source)
        return located and bool(is_explained(self.mutant, finding) or arguments)

    def _uses_mutated(self, source: str) -> bool:
        """Return whether a line uses a variable that the mutated statement assigns, directly or through other variables."""
        lines = SUBJECTS[self.mutant.subject].port.read_text(encoding="utf-8").splitlines()
        number = source.rpartition(":")[2]
        if not number.isdigit() or int(number) <= self.mutant.last:
            return False
        tainted = _assigned("\n".join(lines[self.mutant.first - 1 : self.mutant.last]))
        for line in lines[self.mutant.last : int(number) - 1]:
            if tainted & _names(line):
                tainted |= _assigned(line)
        return bool(tainted & _names(lines[int(number) - 1]))

    def _refute_setting(self, finding: Finding, elsewhere: str) -> str:
        model = self.load()
        settings = self.compare(model).modules.settings
        stated = next((setting for setting in settings if finding.message.endswith(str(setting))), None)
        if stated is None:
            return "it is not among the settings"
        if stated.name == "mode":
            return elsewhere  # the mutated statement sets it in each call
        paths = sorted({setting.path for setting in settings if setting.name == stated.name})
        # One argument of a constructor may determine several attributes: the kernel of a pooling is its stride too.
        for setting in settings:
            if setting.path in paths and setting.constructed == stated.constructed:
                self._copy_setting(model, setting.name, paths)
        if not self._remaining(model):
            return ""
        return self._remaining(self._with_modules_of_pytorch(paths))

    def _copy_setting(self, model: torch.nn.Module, name: str, paths: list[str]) -> None:
        """Give modules the original's value of an attribute, its shared parameters, or else the whole module of PyTorch."""
        for path in paths:
            ours, theirs = model.get_submodule(path), self.original.get_submodule(path)
            if name == "shared":
                _tie_like(model, self.original)
            elif name in vars(theirs) and type(theirs) is type(ours):
                setattr(ours, name, getattr(theirs, name))
            elif path:
                model.set_submodule(path, copy.deepcopy(theirs))


def _tie_like(model: torch.nn.Module, original: torch.nn.Module) -> None:
    names: dict[int, str] = {}
    for name, tensor in original.named_parameters(remove_duplicate=False):
        first = names.setdefault(id(tensor), name)
        if first != name:
            owner, _, attribute = name.rpartition(".")
            setattr(model.get_submodule(owner), attribute, model.get_parameter(first))


def _assigned(text: str) -> set[str]:
    """Return the variables that C# statements assign: ``var x = …``, ``(q, k) = …``."""
    return {name for target in _ASSIGNED.findall(text) for name in _names(target)} - {"var"}


def _names(text: str) -> set[str]:
    return set(_NAME.findall(text))
