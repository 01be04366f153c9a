"""``docs/diagnosis.md``: the figures of a whole run, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from diagnosis.lockstep import Lockstep, words
from diagnosis.planted import Mutant
from diagnosis.subjects import ASIDE_KINDS, ASIDE_MODELS, SUBJECTS
from diagnosis.table import Result, markdown, rows

_TEXT: Final = """# What compare makes of mistakes

Written by `make diagnosis`, which plants mistakes in C# ports one at a time, compares each port with its PyTorch original as a porter
would, and counts by the mutation's own record how many are

- **noticed**: the verdict is not `Same`;
- **located**: one of the first three findings is about the innermost module that the mistake is in, or about its line;
- **explained**: such a finding states the cause, in words that the record asks for.

Only mutants that *live* count: an independent run with code of its own, in eval and train mode, forwards and backwards, on three
inputs, finds other values, gradients, buffers or calls than the unmutated port's, by more than rounding. A **wrong cause** is a stated
cause that, undone, leaves a difference: a setting is set as PyTorch has it, and a bypass is undone by `--forward-fires`. An operator
`compare` undoes itself before it says so: the C# forward runs once more, in which that operator gives what PyTorch's gave, and what
it hands on may not differ then. Besides, the statement that a finding names has to be the mutated one, or the operator that it says is
missing or too many the mutated one, or the argument that it says is another to come of the mutated statement.

The mistakes are planted by Roslyn in the syntax tree (`tools/diagnosis/mutations/`); what does not compile is left out. Unmutated, each
port is `Same` in eval and train mode and backwards. At most {sample} mutants of each kind and model are drawn, by seed {seed}.

## By kind

{kinds}

## By model

{models}

## Set aside

Two models ({aside_models}) and five kinds ({aside_kinds}) were chosen before the first run, and no single
result of theirs is looked at while `compare` is worked on. One was looked at, a bias at `lm_head` of `Llama` that
counted as a wrong cause: the mistake's record had the field's name (`output`) for the child's. The record was mended, `compare` was not
changed for it.

{apart}

## Judged alone

Of the modules that the PyTorch models call, eval and train mode, with the backward pass, on the three inputs. {alone}

{lockstep}

## The models

{subjects}
"""


def write(
    path: Path,
    open_ones: Sequence[tuple[Mutant, Result]],
    apart: Sequence[tuple[Mutant, Result]],
    judged: Sequence[Lockstep],
    seed: int,
    sample: int,
) -> None:
    """Write the page."""
    said = [f"| `{one.name}` | {one.sort} | {'set aside' if one.aside else ''} |" for one in SUBJECTS]
    text = _TEXT.format(
        sample=sample,
        seed=seed,
        kinds=markdown("kind", rows(open_ones, lambda one: one.kind)),
        models=markdown("model", rows(open_ones, lambda one: one.subject)),
        aside_models=", ".join(f"`{one}`" for one in ASIDE_MODELS),
        aside_kinds=", ".join(ASIDE_KINDS),
        apart=markdown("set aside", rows(apart, lambda one: "models" if one.subject in ASIDE_MODELS else "kinds"))
        if apart
        else "Not run.",
        alone=words(judged),
        lockstep="\n".join(
            ["| model | judged alone | why not |", "|---|--:|---|", *(f"| {' | '.join(one.cells)} |" for one in judged)]
        ),
        subjects="\n".join(["| model | what it is | |", "|---|---|---|", *said]),
    )
    path.write_text(text, encoding="utf-8")
