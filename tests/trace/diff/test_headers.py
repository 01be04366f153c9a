"""What headers tell before events are compared."""

from __future__ import annotations

import pytest

from bridge.trace import Event, Header, Trace
from bridge.trace.diff import diff
from bridge.trace.diff.headers import differences, unseen

NAMES = ("pytorch", "dotnet")


def test_what_one_side_did_not_record_is_not_compared() -> None:
    a = Header("pytorch", inputs={"0.0": "1"})
    assert differences(a, None, NAMES) == differences(None, a, NAMES) == differences(a, Header("dotnet"), NAMES) == ()
    assert differences(a, a, NAMES) == ()


def test_inputs_come_before_weights_and_names_are_listed() -> None:
    a = Header("pytorch", inputs={"0.0": "1", "0.1": "1"}, weights={"w": "1"})
    b = Header("dotnet", inputs={"0.0": "2", "0.1": "2"}, weights={"w": "1", "b": "1"})
    assert differences(a, b, NAMES) == (
        "Different inputs: argument 0, argument 1 differ.",
        "Different weights: b only in dotnet.",
    )


def test_of_several_calls_each_argument_has_its_call() -> None:
    a, b = Header("a", inputs={"0.0": "1"}), Header("b", inputs={"0.0": "2", "1.0": "1"})
    assert differences(a, b, NAMES) == (
        "Different inputs: argument 0 of call 0 differs; argument 0 of call 1 only in dotnet.",
    )


LAYER = ("layer", "layer.attn", "layer.attn.out", "layer.norm")


def _trace(runtime: str, *paths: str, unseen: tuple[str, ...] = ()) -> Trace:
    events = [Event(number, path, "M", "pre", number, -1) for number, path in enumerate(paths)]
    return Trace(runtime, events, header=Header(runtime, unseen=unseen))


@pytest.mark.parametrize(
    ("theirs", "listed", "words"),
    [
        (("", *LAYER), LAYER, "4 modules {}: layer, layer.attn, layer.attn.out, \N{HORIZONTAL ELLIPSIS}"),
        (("", *LAYER[:3]), LAYER, "3 modules {}: layer, layer.attn, layer.attn.out."),
        (("", "layer.attn.out.deep"), ("layer.attn",), "1 module {}: layer.attn."),
        (("", "layer2"), ("layer",), ""),
        (("",), LAYER, ""),
        (("layer",), ("",), ""),
    ],
)
def test_unseen_modules_at_or_below_which_only_the_other_trace_has_events(
    theirs: tuple[str, ...], listed: tuple[str, ...], words: str
) -> None:
    a, b = _trace("pytorch", *theirs), _trace("torchsharp", "", unseen=listed)
    said = (f"torchsharp cannot see {words.format('that TorchSharp runs as native code or without hooks')}",)
    assert unseen(a, b, ("pytorch", "torchsharp")) == unseen(b, a, ("torchsharp", "pytorch")) == (said if words else ())


def test_unseen_modules_of_which_both_traces_have_events_are_not_said() -> None:
    a, b = _trace("pytorch", "layer.norm"), _trace("torchsharp", "layer.norm", unseen=LAYER)
    assert unseen(a, b, NAMES) == ()
    assert unseen(Trace("pytorch", a.events), b, NAMES) == ()


def test_unseen_modules_follow_the_first_structural_difference() -> None:
    a, b = _trace("pytorch", "", *LAYER), _trace("torchsharp", "", unseen=LAYER)
    first, second = diff(a, b).explain().splitlines()
    assert first.startswith(
        "First structural difference (C-9, lost): layer is called in pytorch and not in torchsharp."
    )
    assert second.startswith("torchsharp cannot see 4 modules")
    assert diff(b, _trace("torchsharp", "")).same
