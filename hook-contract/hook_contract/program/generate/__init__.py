"""A Hypothesis strategy for random hook programs.

Steps that may fail are in a ``try`` step, after which the program continues. Numbers are small integers, so that float64 is exact and all
runtimes compute the same.
"""

from __future__ import annotations

from hypothesis import strategies as st

from hook_contract.program import Json, Program
from hook_contract.program.generate import trees
from hook_contract.program.generate.draft import Draft, Draw, kind
from hook_contract.program.generate.steps import last, register, step


@st.composite
def programs(draw: Draw, plain: bool | None = None) -> Program:
    """Draw a program. It has no gradients if ``plain`` is True, and may have gradients if ``plain`` is False or None."""
    draft = Draft(draw, kind(draw, plain))
    tree = trees.tree(draft)
    draft.has_tree = True
    steps: list[dict[str, Json]] = []
    if not (draft.kind.plain or draft.kind.crowd) and draft.chance(70):
        draft.tensors.append("x")
        steps.append({"do": "tensor", "name": "x", "value": draft.small()})
    for _ in range(draft.between(0, 4)):
        steps += register(draft)
    for _ in range(draft.between(1, 8)):
        steps += step(draft)
    steps.append(last(draft))
    return Program("random", (), "A random program.", tree, tuple(steps), identity=draft.kind.identity)
