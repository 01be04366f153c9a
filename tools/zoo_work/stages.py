"""The stages of one model that run Python: whether PyTorch runs it, its C#, and the comparison. Each runs in a process of its own."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import torch

from bridge.compare.errors import CompareError
from bridge.compare.io.inputs import Inputs
from bridge.port import porting
from bridge.port.forwards.constructors import constructors
from bridge.port.observe.arguments import drop_defaults
from bridge.port.observe.models.construction import Given, construct
from bridge.port.verify import comparisons, summary
from zoo_work import checking
from zoo_work.results import Result, Root

#: What makes a model, and its inputs, by the model's name. It crosses to other processes.
Source = Callable[[str], tuple[Callable[[], torch.nn.Module], Inputs]]
_NO_MEMORY = ("can't allocate memory", "not enough memory", "out of memory", "std::bad_alloc")


def eager(name: str, source: Source, seconds: float) -> tuple[Literal["runs", "slow", "fails", "large"], str]:
    """Return whether PyTorch runs a model here, in so many seconds of computing or more, or it fails, or lacks memory; and why."""
    began = time.process_time()
    try:
        torch.manual_seed(0)
        make, inputs = source(name)
        model = make().eval()
        with torch.no_grad():
            result = model(*inputs.positional, **inputs.named)
    except Exception as error:  # whatever the model raises
        short = isinstance(error, MemoryError) or any(text in str(error) for text in _NO_MEMORY)
        return "large" if short else "fails", _said(error)
    if not any(True for _ in _tensors(result)):
        return "fails", f"it returns no tensor, but {type(result).__name__}"
    used = time.process_time() - began
    return ("runs", "") if used <= seconds else ("slow", f"{used:.1f} s")


def written(name: str, source: Source) -> tuple[Result, dict[str, str], Root]:
    """Return a model's C#: a result without a verdict, if nothing is left to do, the files and the model's class."""
    try:
        model, given, arguments = _made(name, source)
        port = porting.write(model, given, arguments, re.sub(r"\W", "_", name))
    except CompareError as error:
        return Result(name, "refused", why=[("", str(error))]), {}, Root()
    except Exception as error:  # a model on which port itself fails
        return Result(name, "raised", why=[("", _said(error))]), {}, Root()
    digest = hashlib.sha256()
    for file, text in sorted(port.files.items()):
        digest.update(f"{file}\n{text}".encode())
    result = Result(
        name,
        "left" if port.left else "",
        left=len(port.left),
        methods=port.methods,
        source=sum(method.how == "source" and not method.constructs for method in port.wrote),
        csharp=sum(map(summary.count_csharp, port.files.values())),
        python=summary.count_python(port.originals),
        why=[(todo.place, todo.why) for todo in port.left],
        digest=digest.hexdigest(),
    )
    return result, port.files, Root(f"{port.namespace}.{port.root}", port.arguments)


def judged(result: Result, source: Source, assembly: Path, root: Root, backward: bool, check: int = 0) -> Result:
    """Return the result with the verdict of the comparisons, and of ``check`` inputs of the tests' checker where these are the same."""

    def make(seed: int = 0) -> torch.nn.Module:
        return _made(result.model, source, seed)[0]

    try:
        model, _, arguments = _made(result.model, source)
        found = comparisons.judge(
            model,
            assembly,
            root.name,
            arguments,
            seed=0,
            step=lambda _: None,
            modes=(False, True) if backward else (False,),
            backward=backward,
            keywords=root.keywords,
        )
    except Exception as error:  # CompareError, or what compare itself fails with
        result.verdict, result.why = "raised", [("", str(error) if isinstance(error, CompareError) else _said(error))]
        return result
    wrong = [(shape, comparison) for shape, comparison in found if not comparison.same]
    result.verdict, result.backward = "differs" if wrong else "Same", backward
    result.shapes, result.difference = len(found), max((comparison.largest for _, comparison in found), default=0.0)
    result.why = [(shape, comparison.raised or comparison.verdict) for shape, comparison in wrong]
    if check and not wrong:
        # the comparisons called the model, and a call may set attributes that no state_dict has
        checking.check_port(result, make(), make, assembly, root, arguments, check)
    return result


def _made(name: str, source: Source, seed: int = 0) -> tuple[torch.nn.Module, Given, dict[str, Any]]:
    torch.manual_seed(0)
    make, inputs = source(name)
    torch.manual_seed(seed)
    model, given = construct(make, constructors)
    return model, given, drop_defaults(model, inputs.bind(model.eval()))


def _said(error: Exception) -> str:
    """Return an exception's type and the first line of its text."""
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in a result of a model."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple, Mapping)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _tensors(item)
    elif hasattr(value, "__dict__"):
        yield from _tensors(vars(value))
