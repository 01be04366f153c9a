"""Pairs that are written by hand: structure, direct calls of ``forward()``, headers."""

from __future__ import annotations

from collections.abc import Iterator

from bridge.trace import Event, Header, Trace
from trace_pairs import values
from trace_pairs.calls import Call, net, record, tensor
from trace_pairs.corpus import Pair, calls_pair, pair


def pairs() -> Iterator[Pair]:
    """Yield all pairs."""
    yield from _structure()
    yield from _bypasses()
    yield from values.pairs()
    yield from _headers()
    yield from _unseen()
    yield from _odd_numbers()


def _structure() -> Iterator[Pair]:
    base = net("conv", "act", "fc")
    yield calls_pair("equal", base, base)
    yield pair("equal, one runtime", record(base), record(base))
    yield pair("no events", Trace("pytorch"), Trace("dotnet"))
    yield pair("no events in one", record(base), Trace("torchsharp"))
    yield pair("no events in the other", Trace("pytorch"), record(base, "torchsharp"))
    for name, paths in (
        ("lost", "conv fc"),
        ("lost at the start", "act fc"),
        ("lost at the end", "conv act"),
        ("added", "conv act pool fc"),
        ("repeated", "conv act act fc"),
        ("repeated apart", "conv act fc act"),
        ("swapped", "act conv fc"),
        ("moved to the start", "fc conv act"),
        ("reversed", "fc act conv"),
        ("other modules", "a b c"),
        ("nothing inside", ""),
    ):
        yield calls_pair(name, base, net(*paths.split()))
        yield calls_pair(f"{name}, the other way", net(*paths.split()), base)
    nested = [Call("", [Call("block", [Call("block.conv"), Call("block.act")]), Call("head", [Call("head.0")])])]
    for name, children in (
        ("lost with calls inside", [Call("head", [Call("head.0")])]),
        ("lost inside", [Call("block", [Call("block.act")]), Call("head", [Call("head.0")])]),
        ("moved outwards", [Call("block", [Call("block.act")]), Call("block.conv"), Call("head", [Call("head.0")])]),
        (
            "moved to another module",
            [Call("block", [Call("block.conv")]), Call("head", [Call("block.act"), Call("head.0")])],
        ),
        (
            "moved into a new module",
            [Call("new", [Call("block.conv")]), Call("block", [Call("block.act")]), Call("head", [Call("head.0")])],
        ),
        ("blocks swapped", [Call("head", [Call("head.0")]), Call("block", [Call("block.conv"), Call("block.act")])]),
    ):
        yield calls_pair(name, nested, [Call("", children)])
        yield calls_pair(f"{name}, the other way", [Call("", children)], nested)
    for count in (2, 11, 12, 13, 23):
        yield calls_pair(f"{count} calls against 5", net(*["fc"] * count), net(*["fc"] * 5))
    slide = [Call("", [Call("fc", result=(tensor(k),)) for k in range(6)])]
    for gone in range(6):
        yield calls_pair(
            f"repeated call {gone} is missing",
            slide,
            [Call("", [c for k, c in enumerate(slide[0].children) if k != gone])],
        )
    yield calls_pair("several roots", [*base, *base], [*base, *net("conv", "fc")])
    yield calls_pair("one root more", [*base, *base], base)
    yield calls_pair("a root moved", [Call("a"), Call("b")], [Call("b"), Call("a")])
    yield calls_pair("no result", base, [Call("", [Call("conv"), Call("act", how="raised")], how="raised")])
    hooks: tuple[tuple[str, int], ...] = (("global", 0), ("module", 0), ("module", 1))
    for name, other in (
        ("a hook more", (*hooks, ("module", 2))),
        ("a hook less", hooks[:2]),
        ("hooks swapped", (hooks[0], hooks[2], hooks[1])),
        ("scopes swapped", (hooks[1], hooks[0], hooks[2])),
        ("a hook twice", (hooks[0], hooks[0], hooks[1])),
    ):
        yield calls_pair(name, net("fc", hooks=hooks), net("fc", hooks=other))
        yield calls_pair(
            f"{name}, inside", [Call("", [Call("fc", hooks=hooks)])], [Call("", [Call("fc", hooks=other)])]
        )
    for left, right in (("Conv2d", "Conv"), ("uint8", "UNet"), ("unit", "Used"), ("Model", "model"), ("", "Einsum")):
        yield calls_pair(f"type {left} and {right}", [Call("m", type=left or " ")], [Call("m", type=right)])
    yield calls_pair(
        "types, twice", [Call("m", type="A"), Call("m", type="A")], [Call("m", type="B"), Call("m", type="B")]
    )


def _bypasses() -> Iterator[Pair]:
    called = [Call("", [Call("0", [Call("0.conv"), Call("0.act")]), Call("fc")])]
    for how in ("bypass", "silent"):
        ways = {
            "a child": [Call("", [Call("0", [Call("0.conv"), Call("0.act")]), Call("fc", how=how)])],
            "a block": [Call("", [Call("0", [Call("0.conv"), Call("0.act")], how=how), Call("fc")])],
            "the root": [Call("", called[0].children, how=how)],
            "everything": [Call("", [Call("0", [Call("0.conv", how=how), Call("0.act", how=how)], how=how)], how=how)],
            "a block, inner calls swapped": [
                Call("", [Call("0", [Call("0.act"), Call("0.conv")], how=how), Call("fc")])
            ],
            "other result": [
                Call("", [Call("0", [Call("0.conv"), Call("0.act")], result=(tensor(3),), how=how), Call("fc")])
            ],
        }
        for name, other in ways.items():
            yield calls_pair(f"{how}: {name}", called, other)
            yield pair(f"{how}: {name}, the other way", record(other, "pytorch"), record(called, "torchsharp"))
            yield calls_pair(f"{how}: {name}, both", other, other)
    yield calls_pair(
        "bypass against no call", net("conv", "fc"), [Call("", [Call("conv"), Call("new", how="bypass"), Call("fc")])]
    )
    yield calls_pair("bypass with hooks", net("fc", hooks=(("global", 0), ("module", 0))), net("fc", how="bypass"))
    twice = [Call("", [Call("b", [Call("b.c")]), Call("b", [Call("b.c")])])]
    yield calls_pair(
        "a silent block, twice",
        twice,
        [Call("", [Call("b", [Call("b.c")], how="silent"), Call("b", [Call("b.c")], how="silent")])],
    )
    yield calls_pair(
        "bypass and no result", [Call("", [Call("b", how="raised")])], [Call("", [Call("b", how="bypass")])]
    )


def _headers() -> Iterator[Pair]:
    calls = net("conv")
    one, two = "1" * 32, "2" * 32
    weights = {f"layer{k}.weight": one for k in range(8)}
    for name, a, b in (
        (
            "other circumstances",
            {"torch": "2.9", "seed": 2**64 - 1, "threads": 4},
            {"device": "cuda:0", "dotnet": "10.0"},
        ),
        ("inputs", {"inputs": {"0.0": one}}, {"inputs": {"0.0": two}}),
        ("inputs of several calls", {"inputs": {"0.0": one, "1.0": one}}, {"inputs": {"0.0": one, "1.0": two}}),
        ("inputs only in one", {"inputs": {"0.0": one, "0.1": one}}, {"inputs": {"0.0": one, "0.2": one}}),
        ("inputs not recorded", {"inputs": {"0.0": one}}, {}),
        ("inputs with other names", {"inputs": {"x": one}}, {"inputs": {"x": two}}),
        ("weights", {"weights": {"a": one, "b": one}}, {"weights": {"a": one, "b": two}}),
        ("many weights", {"weights": weights}, {"weights": dict.fromkeys(weights, two)}),
        ("weights only in one", {"weights": weights}, {"weights": {"layer0.weight": one, "new": two}}),
        (
            "inputs and weights",
            {"inputs": {"0.0": one}, "weights": {"a": one}},
            {"inputs": {"0.0": two}, "weights": {"a": two}},
        ),
    ):
        yield pair(f"header: {name}", record(calls, **a), record(calls, "dotnet", **b))
        yield pair(f"header: {name}, and a call is lost", record(calls, **a), record(net(), "dotnet", **b))


def _unseen() -> Iterator[Pair]:
    """Yield pairs of which one trace or both list modules that they cannot see."""
    inside = [Call("m.0", [Call("m.0.attn", [Call("m.0.attn.out")]), Call("m.0.drop"), Call("m.0.norm")]), Call("m.1")]
    whole, outside = [Call("", [Call("m", inside)])], net("m")
    paths = ("m.0", "m.0.attn", "m.0.attn.out", "m.0.norm")
    hidden = {"unseen": paths}
    for name, a, b in (
        ("four", record(whole), record(outside, "torchsharp", **hidden)),
        ("four, the other way", record(outside, "torchsharp", **hidden), record(whole)),
        ("of both", record(outside, unseen=("m.0.attn",)), record(net("n"), "torchsharp", unseen=("m.0", "m"))),
        (
            "only below",
            record(whole),
            record([Call("", [Call("m", [Call("m.0")])])], "torchsharp", unseen=("m.0", "m.2")),
        ),
        ("the root, not sorted, twice", record(net()), record([Call("n")], "torchsharp", unseen=("n", "", "", "m"))),
        ("none in the other", record(net("m", "n")), record(net("m"), "torchsharp", **hidden)),
        ("the same structure", record(outside), record(outside, "torchsharp", **hidden)),
        ("but seen", record([*whole, *outside]), record(whole, "torchsharp", **hidden)),
    ):
        yield pair(f"unseen: {name}", a, b)


def _odd_numbers() -> Iterator[Pair]:
    """Yield pairs whose calls have numbers that no recorder gives them."""

    def trace(runtime: str, *rows: tuple[str, str, int, int]) -> Trace:
        events = [Event(k, path, "M", phase, call, parent) for k, (path, phase, call, parent) in enumerate(rows)]
        return Trace(runtime, events, header=Header(runtime))

    usual = (("", "pre", 0, -1), ("a", "pre", 1, 0), ("a", "forward", 1, 0), ("", "forward", 0, -1))
    for name, rows in (
        ("others", (("", "pre", 7, -1), ("a", "pre", 9, 7), ("a", "forward", 9, 7), ("", "forward", 7, -1))),
        ("an unknown parent", (("a", "pre", 1, 5), ("a", "forward", 1, 5))),
        (
            "a parent that comes later",
            (("a", "pre", 1, 0), ("a", "forward", 1, 0), ("", "pre", 0, -1), ("", "forward", 0, -1)),
        ),
        ("its own parent", (("", "pre", 0, 0), ("", "forward", 0, 0))),
        ("each other's parents", (("", "pre", 0, 1), ("a", "pre", 1, 0))),
        (
            "a bypass with a number",
            (("", "pre", 0, -1), ("a", "pre", 1, 0), ("a", "bypass", 1, 0), ("", "forward", 0, -1)),
        ),
        ("a bypass first", (("a", "bypass", 3, 0), ("", "pre", 0, -1), ("", "forward", 0, -1))),
        (
            "events without calls",
            (("", "pre", -1, -1), ("a", "pre", 1, -1), ("a", "forward", 1, -1), ("", "forward", -1, -1)),
        ),
        (
            "children of modules that swap",
            (("", "pre", 0, -1), ("a.0", "pre", 1, 0), ("a", "forward", 1, 0), ("", "bypass", 0, -1)),
        ),
        ("one number for two modules", (("", "pre", 0, -1), ("a", "pre", 0, -1), ("b", "forward", 0, -1))),
    ):
        yield pair(f"numbers: {name}", trace("pytorch", *usual), trace("dotnet", *rows))
        yield pair(f"numbers: {name}, the other way", trace("pytorch", *rows), trace("dotnet", *usual))
    events = [Event(9 - k, "", "M", phase, 0, -1) for k, phase in enumerate(("pre", "forward"))]
    yield pair("numbers: events numbered backwards", Trace("pytorch", events), Trace("dotnet", events[:1]))
