"""bridge.conformance.generating: random programs are valid, and reach the whole format."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, given, seed, settings

from bridge.conformance.generating import programs
from bridge.program import Program, parse, words
from bridge.runtimes.programs.runtime import missing, runtime

QUICK = settings(max_examples=300, database=None, deadline=None, suppress_health_check=list(HealthCheck))
#: What no random program says: steps of two kinds need a name that stands for another thing, the others are a library's or a language's.
LEFT_OUT = {
    "step:copy", "step:slice", "step:drop", "step:ids", "step:handle_copy", "step:rebind", "step:functional_call", "step:checkpoint",
    "step:assign_forward", "step:assign_call", "step:methods", "step:zero", "step:inplace", "step:retain_grad", "step:compute", "step:sum",
}  # fmt: skip


@seed(5)
@QUICK
@given(programs())
def test_a_random_program_is_valid(program: Program) -> None:
    assert parse(program.to_json()) == program


@seed(5)
@QUICK
@given(programs(plain=True))
def test_a_plain_program_runs_wherever_hooks_do(program: Program) -> None:
    assert missing(runtime("model"), program) is None
    assert not [
        word
        for word in words(program)
        if word.startswith(("hook:backward", "hook:legacy", "hook:tensor", "value:plain"))
    ]


def test_random_programs_have_every_kind_of_hook_node_and_action() -> None:
    seen: Counter[str] = Counter()

    @seed(6)
    @settings(QUICK, max_examples=1500)
    @given(programs())
    def look(program: Program) -> None:
        seen.update(words(program))

    look()
    wanted = {
        f"hook:{kind}" for kind in ("pre", "forward", "backward_pre", "backward", "legacy", "tensor", "accumulated")
    }
    wanted |= {
        f"node:{kind}"
        for kind in ("leaf", "identity", "inputs", "give", "raise", "sequence", "parallel", "recurse", "swallow")
    }
    wanted |= {"node:register", "node:detach", "node:opaque", "node:sequential", "node:same", "global", "parameters"}
    wanted |= {f"action:{word}" for word in ("add", "return", "raise", "register", "remove", "call")}
    wanted |= {f"option:{word}" for word in ("prepend", "with_kwargs", "always_call")}
    wanted |= {
        f"step:{word}"
        for word in ("register", "remove", "call", "forward", "with", "thread", "try", "tensor", "backward")
    }
    wanted |= {"step:grad", "step:no_grad", "step:deepcopy", "step:train", "step:eval", "step:read"}
    assert wanted <= set(seen)
    assert not LEFT_OUT & set(seen)
