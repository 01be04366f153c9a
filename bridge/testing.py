"""Assertions for users' tests. The pytest plugin has the fixtures ``same_model`` (:func:`assert_same_model`) and ``hook_trace``."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from bridge.trace import Trace
from bridge.trace.diff import Diff, diff

if TYPE_CHECKING:
    import torch

__all__ = ["assert_same_hooks", "assert_same_model"]


def assert_same_hooks(
    a: torch.nn.Module | Trace,
    b: torch.nn.Module | Trace,
    *inputs: Any,
    share_weights: bool = True,
    train: bool = False,
    seed: int = 0,
    rtol: float = 0.0,
    atol: float = 0.0,
    **named: Any,
) -> None:
    """Assert that hooks on all modules of ``a`` and ``b`` see the same calls, arguments and results in the same order.

    ``a`` and ``b`` are two traces or two models; a model is PyTorch's or from :func:`bridge.load`. Models are called with ``inputs`` and
    ``named`` in eval mode, or in train mode if ``train`` is true. The weights of ``a`` are copied to ``b`` by name, unless
    ``share_weights`` is false. ``seed`` seeds random numbers. Numbers x and y are equal when ``|x - y| <= atol + rtol * max(|x|, |y|)``.
    If ``b`` is a C# model on Bridge.Torch and ``a`` is not, the models are compared as by :func:`assert_same_model`.

    Raises AssertionError if there is a difference, or if a comparison as by :func:`assert_same_model` finds nothing to compare. The message
    has an explanation and both traces, shortened if they are long. Raises TypeError if only one of ``a`` and ``b`` is a trace, or if inputs
    are given with two traces. If a model cannot run, or weights do not fit, raises the errors of ``compare``.
    """
    __tracebackhide__ = True
    if isinstance(a, Trace) and isinstance(b, Trace):
        if inputs or named:
            raise TypeError("inputs cannot be given with two traces")
        found, explanation = diff(a, b, rtol=rtol, atol=atol), ""
    elif isinstance(a, Trace) or isinstance(b, Trace):
        raise TypeError("give two models or two traces, not one of each")
    else:
        found, explanation = _compared(a, b, inputs, named, share_weights, train, seed, rtol, atol)
    if not found.same or explanation:
        raise AssertionError(_message(found, explanation))


def assert_same_model(
    original: torch.nn.Module,
    port: torch.nn.Module,
    *inputs: Any,
    share_weights: bool = True,
    train: bool = False,
    backward: bool = False,
    any_structure: bool = False,
    seed: int = 0,
    rtol: float = 0.0,
    atol: float = 0.0,
    **named: Any,
) -> None:
    """Assert that a C# ``port`` behaves as its PyTorch ``original``, as ``python -m bridge compare`` does.

    ``port`` is a model from :func:`bridge.load`. Both models are called with ``inputs`` and ``named`` in eval mode, or in train mode if
    ``train`` is true. Calls, arguments, results, buffers and, with ``backward``, gradients are compared. The original's weights are copied
    to the port by name, unless ``share_weights`` is false. ``seed`` seeds random numbers. Numbers x and y are equal when
    ``|x - y| <= atol + rtol * max(|x|, |y|)``. With ``any_structure``, the tensors and other values in a result are compared in
    order, whatever tuples, lists or dictionaries they are in, and under whatever keys.

    Raises AssertionError if the models differ, or if there was nothing to compare; the message has the verdict and the findings. Raises
    TypeError when ``port`` is not a C# model, and the errors of ``compare`` when a model cannot run, or weights do not fit.
    """
    __tracebackhide__ = True
    from bridge.compare.comparison import compare
    from bridge.compare.io.inputs import Inputs
    from bridge.compare.models.weights import share
    from bridge.mirror import is_mirror
    from bridge.torchsharp.classes import ON_TORCHSHARP

    if not (is_mirror(port) or isinstance(port, ON_TORCHSHARP)):
        raise TypeError(
            f"this {type(port).__name__} is not a C# model: load one with bridge.load, and pass the original first"
        )
    if share_weights:
        share("python", original, port)
    found = compare(
        original,
        port,
        Inputs(inputs, named),
        train=train,
        backward=backward,
        any_structure=any_structure,
        seed=seed,
        rtol=rtol,
        atol=atol,
    )
    if not found.same:
        raise AssertionError("\n".join(filter(None, (found.verdict, found.explain()))))


def _compared(
    a: torch.nn.Module,
    b: torch.nn.Module,
    inputs: tuple[Any, ...],
    named: dict[str, Any],
    share_weights: bool,
    train: bool,
    seed: int,
    rtol: float,
    atol: float,
) -> tuple[Diff, str]:
    """Return the diff of two models' traces, and the explanation of ``compare``.

    ``compare`` runs only if ``b`` is a C# model on Bridge.Torch and ``a`` is not. If ``compare`` does not run, or finds no difference, the
    explanation is "".
    """
    from bridge.compare.comparison import compare
    from bridge.compare.io.inputs import Inputs
    from bridge.compare.models.weights import share
    from bridge.compare.run import one_thread, run
    from bridge.mirror import is_mirror

    if share_weights:
        share("python", a, b)
    given = Inputs(inputs, named)
    if is_mirror(b) and not is_mirror(a):
        compared = compare(a, b, given, train=train, seed=seed, rtol=rtol, atol=atol)
        return compared.diff, "" if compared.same else compared.explain() or compared.verdict
    with one_thread():
        left, right = (run(model, given.bind(model), train=train, seed=seed) for model in (a, b))
    return diff(left.trace, right.trace, rtol=rtol, atol=atol), ""


def _message(found: Diff, explanation: str) -> str:
    from rich.console import Console

    from bridge.compare.report.terminal import render_traces

    text = io.StringIO()
    console = Console(file=text, width=120, color_system=None, highlight=False)
    console.print(render_traces(found, limit=30))
    left, right = found.names
    seen = "calls" if found.structural else "values"
    head = f"{left} and {right} differ." if found.same else f"Hooks on {left} and on {right} see different {seen}."
    return f"{head}\n{explanation or found.explain()}\n\n{text.getvalue().rstrip()}"
