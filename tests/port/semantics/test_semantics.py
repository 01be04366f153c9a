"""Python's semantics: the C# of each probe gives what Python's eager run gives, or `port` refuses it by name.

known_faults.toml lists those that are otherwise today, strictly: a probe of the list that is right now fails as one does that is wrong
and not listed. All that compile are one assembly, which a machine without an SDK takes from tests/_dotnet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
import torch
from torch import Tensor, nn

import csharp_compiler
import port_probes
from tests.port.semantics import judging, themes
from tests.port.semantics.judging import Ported, Verdict
from tests.port.semantics.probing import PROBES, call

#: A C# that never ends holds its process: the run goes on without it.
pytestmark = [pytest.mark.dotnet, pytest.mark.timeout(60)]
FAULTS: Final = judging.known_faults()
NOT_COMPILING: Final = [name for name, fault in FAULTS.items() if fault.kind == "does_not_build"]
#: Acceptance 3 of issue 43.
FEWEST, MOST_REFUSED, MOST_OF_A_THEME = 200, 30, 35


@pytest.fixture(scope="module")
def ports() -> dict[str, Ported]:
    """Write all probes as C#."""
    return {name: judging.write_port(probe) for name, probe in PROBES.items()}


@pytest.fixture(scope="module")
def assembly(ports: Mapping[str, Ported], build_csharp: Callable[..., Path]) -> Path:
    """Compile all probes together, but for those that are known not to compile."""
    return build_csharp(judging.sources(ports, NOT_COMPILING), judging.ASSEMBLY, checked=True)


@pytest.mark.parametrize("name", PROBES)
def test_a_probe_is_right_or_refused_by_name(name: str, ports: Mapping[str, Ported], assembly: Path) -> None:
    probe, port, expected = PROBES[name], ports[name], judging.expected(PROBES[name], FAULTS)
    if port.verdict is None and expected.kind in ("does_not_build", *judging.UNRUN):
        return  # for a test of its own below
    verdict = port.verdict or judging.run(probe, port, assembly)
    assert judging.agrees(verdict, expected), f"expected {expected}, got {verdict}"


@pytest.mark.sdk
def test_what_is_known_not_to_compile_does_not(
    ports: Mapping[str, Ported], sdk: Any, default_references: Sequence[Path]
) -> None:
    left = set(NOT_COMPILING)
    while left:  # errors of a later stage of the compiler are hidden by those of an earlier one
        sources = judging.sources(ports, [name for name in PROBES if name not in left])
        compilation = csharp_compiler.Compilation("NotCompiling", sources, default_references)
        with pytest.raises(csharp_compiler.CompileError) as raised:
            csharp_compiler.compile_sources(sdk, compilation)
        found = judging.not_compiling(str(raised.value))
        assert found
        left -= found.keys()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_is_known_to_hang_or_to_end_the_process_does(ports: Mapping[str, Ported], assembly: Path) -> None:
    listed = {name: fault.kind for name, fault in FAULTS.items() if fault.kind in judging.UNRUN}
    assert {name: verdict.kind for name, verdict in port_probes.verdicts(list(listed), ports, assembly)} == listed


def test_the_probes_are_many_and_the_list_names_them() -> None:
    assert len(PROBES) >= FEWEST
    assert sum(bool(probe.refused) for probe in PROBES.values()) <= MOST_REFUSED
    assert [name for name, probe in PROBES.items() if not probe.hidden] == []
    assert FAULTS.keys() - PROBES.keys() == set()
    for theme in themes.THEMES:
        number = sum(f"{themes.__package__}.{probe.theme}" == theme.__name__ for probe in PROBES.values())
        assert 0 < number <= MOST_OF_A_THEME


def test_the_judge_sees_another_model(ports: Mapping[str, Ported], assembly: Path) -> None:
    verdict = judging.run(PROBES["AugmentedIsInPlace"], ports["AssignedIsOutOfPlace"], assembly)
    assert verdict.kind == "wrong"
    assert verdict.why.startswith("result[0] is [-2.0, ")


class Applying(nn.Module):
    """Applies a function to its argument and its buffer."""

    def __init__(self, function: Callable[[Tensor, Tensor], Any]) -> None:
        super().__init__()
        self.function = function
        self.register_buffer("state", torch.zeros(2))

    def forward(self, x: Tensor) -> Any:
        return self.function(x, self.state)


@pytest.mark.parametrize(
    ("function", "other", "difference"),
    [
        (lambda x, _: x + 0, lambda x, _: x - 0, None),
        (lambda x, _: x + 0, lambda x, _: x, "results share memory with arguments [False], in C# [True]"),
        (lambda x, _: x.add_(1) * 1, lambda x, _: x + 1, "argument[0] is [2.0, 3.0], in C# [1.0, 2.0]"),
        (lambda x, s: s.add_(1) * 1, lambda x, s: s + 1, "state['state'] is [1.0, 1.0], in C# [0.0, 0.0]"),
        (lambda x, _: x + 0, lambda x, _: x.double(), "result is float32[2], in C# float64[2]"),
        (lambda x, _: (1, [2]), lambda x, _: [1, (3,)], "result[1][0] is 2, in C# 3"),
        (lambda x, _: (1, 2), lambda x, _: (1,), "result has 2 entries, in C# 1"),
        (lambda x, _: 1, lambda x, _: True, "result is 1, in C# True"),
        (lambda x, _: 0.0, lambda x, _: -0.0, "result is 0.0, in C# -0.0"),
        (lambda x, _: x / 0 - x / 0, lambda x, _: x * float("nan"), None),
        (lambda x, _: {"a": 1, "b": 2}, lambda x, _: {"b": 2, "a": 1}, "keys of result[0] is 'a', in C# 'b'"),
        (lambda x, _: x[5], lambda x, _: x[0], "Python gives IndexError: index 5 is out of bounds"),
        (lambda x, _: x[5], lambda x, _: x + x[:, 0], None),
    ],
)
def test_the_judge_sees_each_kind_of_difference(function: Any, other: Any, difference: str | None) -> None:
    found = next(judging.differences(Applying(function), Applying(other), call(torch.tensor([1.0, 2.0]))), None)
    assert found == difference or (difference is not None and str(found).startswith(difference))


def test_a_refusal_must_name_the_construct() -> None:
    refused = Verdict("refused", "nets.py:3: a generator")
    assert judging.agrees(refused, Verdict("refused", "generator"))
    assert not judging.agrees(refused, Verdict("refused", "lambda"))
    assert not judging.agrees(refused, Verdict("right"))
