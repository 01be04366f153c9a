"""compare on originals as libraries write them: keyword arguments, defaults that C# lacks, results by name."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

ORIGINALS = Path(__file__).parents[1] / "compare" / "originals"
SIZES = "(97, 32, 2, 4, 64, 40)"
#: Of random booleans, some are false: the port and the originals need the mask.
INPUTS = ("--shape", "2,7:int64<97", "--shape", "2,7:bool")
#: Changes of Bert.cs.
UNCHANGED = ("", "")
OTHER_ACTIVATION = ("GELU intermediate_act_fn = GELU()", "SiLU intermediate_act_fn = SiLU()")
WITHOUT_MASK = ("self.call(hidden_states, attention_mask)", "self.call(hidden_states, null)")
WITHOUT_TRANSPOSE = ("transpose(1, 2).reshape(hidden", "reshape(hidden")
CHANGES = (UNCHANGED, OTHER_ACTIVATION, WITHOUT_MASK, WITHOUT_TRANSPOSE)


@pytest.fixture(scope="module")
def bert(build_csharp: Callable[..., Path]) -> Callable[[tuple[str, str]], Path]:
    """Return a function that compiles Bert.cs with one of CHANGES: ``bert((old, new))``."""
    text = (ORIGINALS / "Bert.cs").read_text(encoding="utf-8")
    assert all(old in text for old, _ in CHANGES)
    compiled = {change: build_csharp({"Bert.cs": text.replace(*change)}, "Bert") for change in CHANGES}
    return compiled.__getitem__


@pytest.fixture
def encoder(
    bert: Callable[[tuple[str, str]], Path], command: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Return a function that compares encoder.py with Bert.cs after one of CHANGES: ``encoder("Model", "Bert", …)``."""
    monkeypatch.syspath_prepend(str(ORIGINALS))

    def run(
        python: str, dotnet: str, *args: object, changed: tuple[str, str] = UNCHANGED, inputs: tuple[str, ...] = INPUTS
    ) -> Result:
        return command(
            "compare",
            "--python",
            f"encoder:{python}",
            "--dotnet",
            f"{bert(changed)}:Originals.{dotnet}{SIZES}",
            *inputs,
            *args,
        )

    return run


Encoder = Callable[..., Result]


@pytest.mark.parametrize("args", [(), ("--train", "--backward")])
@pytest.mark.parametrize(("python", "dotnet", "calls"), [("Model(false)", "Bert", 42), ("Model", "BertPooled", 45)])
def test_a_port_that_lacks_arguments_and_results_is_the_same(
    encoder: Encoder, python: str, dotnet: str, calls: int, args: tuple[str, ...]
) -> None:
    """P-1: what C# has no parameter for and has its default is not said; what has another value is, once."""
    done = encoder(python, dotnet, *args)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"Same: {calls} equal module calls on each side, identical order")
    assert "largest difference 0." in done.stdout
    assert done.stdout.count("has no parameter for the argument") == 1
    assert (
        "encoder: dotnet has no parameter for the argument `use_cache` (False in pytorch), which was not compared."
        in done.stdout
    )
    assert "embeddings.position_ids was not compared: only pytorch has this buffer" in done.stdout


def test_a_result_of_inner_modules_that_csharp_does_not_return(encoder: Encoder) -> None:
    """F-1: the first of a tuple is compared; what is left out is named with its modules, and so is the argument."""
    done = encoder("Model(false, attentions=true)", "Bert")
    assert done.exit_code == 0, done.output
    assert (
        "4 modules (encoder.layer.0.attention.self, encoder.layer.0.attention, encoder.layer.1.attention.self and 1 more): "
        in done.stdout
    )
    assert re.search(
        r"7 modules \(.*\): dotnet has no parameter for the argument `output_attentions` \(True in pytorch\)",
        done.stdout,
    )


def test_differences_after_an_omitted_argument_are_found(encoder: Encoder) -> None:
    done = encoder("Model(false)", "Bert", changed=OTHER_ACTIVATION)
    assert done.exit_code == 1
    first = done.stdout.splitlines()
    assert any("encoder.layer.0.intermediate.intermediate_act_fn" in line for line in first[1:3]), done.stdout


def test_an_argument_that_csharp_has_and_is_not_given_is_a_difference(encoder: Encoder) -> None:
    """P-1: a mask that C# does not hand on is no argument that it lacks."""
    done = encoder("Model(false)", "Bert", changed=WITHOUT_MASK)
    assert done.exit_code == 1
    assert "encoder.layer.0.attention.self: arguments differ" in done.stdout
    # Each module by itself: arguments and results correspond there, too.
    assert (
        "the input of encoder.layer.0.attention.self is bool[2, 1, 7, 7] in pytorch and None in dotnet. "
        "The same in encoder.layer.1.attention." in done.stdout
    )
    assert "not run in isolation" not in done.stdout


def test_modules_are_judged_alone_on_what_corresponds(encoder: Encoder) -> None:
    """The weights that PyTorch's attention returns too are not given back to C#, whose attention returns a tensor."""
    done = encoder("Model(true, attentions=true)", "BertPooled", "--train", "--backward", changed=WITHOUT_TRANSPOSE)
    assert done.exit_code == 1
    found = [line for line in done.stdout.splitlines() if "equal up to the result of" in line]
    (line,) = found
    assert "encoder.layer.0.attention.self" in line.partition("equal up to")[0]
    assert line.endswith(" The same in encoder.layer.1.attention.self.")
    assert "not run in isolation" not in done.stdout


def test_one_tensor_of_several_results_by_name(encoder: Encoder) -> None:
    done = encoder("Model", "Bert", "--weights", "none")
    assert (
        "Only as many results as the C# model returns were compared: `last_hidden_state`; not compared: `pooler_output`."
        in done.stdout
    )
    assert "result differs, 1 value" not in done.stdout


def test_outputs_chooses(encoder: Encoder, tmp_path: Path) -> None:
    function = tmp_path / "mine.py"
    function.write_text("def both(found):\n    return found['last_hidden_state'], found.pooler_output * 1\n")
    assert encoder("Model", "BertPooled", "--outputs", f"{function}:both", "--backward").exit_code == 0
    assert encoder("Model", "BertPooled", "--outputs", "last_hidden_state, pooler_output").exit_code == 0
    done = encoder("Model", "BertPooled", "--outputs", "pooler_output,last_hidden_state")
    assert done.exit_code == 1
    assert "value 0 shape (2, 32) against (2, 7, 32)" in done.stdout


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        ("pooled", "no 'pooled' among the results: they are last_hidden_state, pooler_output"),
        ("a,,b", "has an empty name"),
        ("none.py:f", "--outputs: there is no file none.py"),
        ("encoder:nothing", "encoder has no 'nothing'"),
        ("encoder:Encoder", "--outputs: the function raised TypeError"),
    ],
)
def test_outputs_that_there_are_not(encoder: Encoder, refused: Callable[..., None], outputs: str, words: str) -> None:
    refused(encoder("Model", "BertPooled", "--outputs", outputs), words)


@pytest.fixture(scope="session")
def transformers() -> Path:
    """Install transformers and its dependencies from PyPI into a folder, without torch."""
    from pytorch_tools import environment

    needed = "annotated-doc anyio certifi h11 hf-xet httpcore2 httpx2 huggingface_hub idna PyYAML regex shellingham tokenizers tqdm"
    return environment.folder("transformers", *needed.split(), "truststore", "typer")


@pytest.mark.slow  # installs transformers
@pytest.mark.parametrize("args", [(), ("--train", "--backward")])
@pytest.mark.parametrize(("original", "port"), [("bert:bert(false)", "Bert"), ("bert:bert", "BertPooled")])
def test_bert_of_transformers_with_no_wrapper(
    bert: Callable[[tuple[str, str]], Path],
    transformers: Path,
    process: Callable[..., subprocess.CompletedProcess[str]],
    original: str,
    port: str,
    args: tuple[str, ...],
) -> None:
    """The class of transformers itself, untouched, against the port: the same to the last bit."""
    library = bert(UNCHANGED)
    paths = os.pathsep.join(map(str, (ORIGINALS, transformers, ORIGINALS.parents[2])))
    env = {"PYTHONPATH": paths, "HF_HUB_OFFLINE": "1"}
    done = process(
        "compare", "--python", original, "--dotnet", f"{library}:Originals.{port}{SIZES}", *INPUTS, *args, env=env
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Same: ")
    assert "largest difference 0." in done.stdout
