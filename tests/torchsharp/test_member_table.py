"""The table of members (Operators/Members.tsv) and the documentation that is generated from it."""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from operator_rows import surface

import csharp_compiler

pytestmark = [pytest.mark.dotnet, pytest.mark.sdk]

_DOTNET = Path(__file__).resolve().parents[2] / "dotnet"
_OPERATORS = _DOTNET / "src" / "Bridge.Torch" / "Operators"
_LIST = _DOTNET / "tests" / "TorchSharp.Reference" / "surface.jsonl"
_PAGES = "https://docs.pytorch.org/docs/stable/"


@pytest.fixture(scope="module")
def comments(tools: Callable[[str], Any]) -> dict[str, ET.Element]:
    """Return all comments, by their documentation IDs."""
    written = tools("sdk").ARTIFACTS / "bin" / "Bridge.Torch" / "release" / "Bridge.Torch.xml"
    return {member.attrib["name"]: member for member in ET.parse(written).getroot().iter("member")}


@pytest.fixture(scope="module")
def members(comments: dict[str, ET.Element]) -> dict[str, ET.Element]:
    """Return the comments of methods, by their documentation IDs."""
    return {name: member for name, member in comments.items() if name.startswith("M:TorchSharp.torch.")}


def _page(member: ET.Element) -> str | None:
    link = member.find("remarks/see")
    return str(link.text).strip() if link is not None and link.attrib.get("href", "").startswith(_PAGES) else None


def test_every_member_of_the_table_has_a_summary_and_a_result(members: dict[str, ET.Element]) -> None:
    for row, name in surface.listed(_OPERATORS.parent).items():
        found = [
            member
            for key, member in members.items()
            if key.partition("(")[0].endswith(f"{row.partition(' ')[0]}.{name}")
        ]
        assert (
            any(member.findtext("summary") and member.find("returns") is not None for member in found)
            or name == "retain_grad"
        ), row


def test_no_two_names_share_a_summary(members: dict[str, ET.Element]) -> None:
    names = defaultdict(set)
    for key, member in members.items():
        if _page(member) and (element := member.find("summary")) is not None:
            summary = ET.tostring(element, encoding="unicode")
            names[re.sub(r'<paramref name="\w+" />', "{}", summary)].add(re.sub(r"``\d+$", "", key.partition("(")[0]))
    assert sum(map(len, names.values())) > 500
    assert [shared for shared in names.values() if len(shared) > 1] == []


def test_every_text_of_a_parameter_is_used(comments: dict[str, ET.Element]) -> None:
    texts = [
        line.split("\t")
        for line in (_OPERATORS / "Parameters.tsv").read_text(encoding="utf-8").splitlines()
        if line[0] != "#"
    ]
    used = {
        (entry.attrib["name"], "".join(entry.itertext()))
        for comment in comments.values()
        for entry in comment.iter("param")
    }
    # A field's summary ends with its text: `eps` in the settings of `Adam`: a small number ...
    fields = {
        (key.rpartition(".")[2], "".join(summary.itertext()).partition(": ")[2])
        for key, comment in comments.items()
        if key[0] == "F" and (summary := comment.find("summary")) is not None
    }
    used |= {(name, text[0].upper() + text[1:]) for name, text in fields if text}
    names = {name for name, _ in used}
    # A setting's summary ends with its text: the setting `eps` of `LayerNorm`: what is added ...
    settings = {
        (key.rpartition(".")[2], "".join(summary.itertext()).partition(": ")[2])
        for key, comment in comments.items()
        if key[0] == "P" and (summary := comment.find("summary")) is not None
    }
    used |= {(name, text[0].upper() + text[1:]) for name, text in settings if text}
    unused = [
        key
        for key, text in texts
        if (name := key.rpartition(".")[2]) in names and (name, re.sub("<[^>]*>", "", text)) not in used
    ]
    assert len(names) > 150
    assert unused == []


def _found(name: str) -> Any:
    at: Any = torch
    for part in name.split(".")[1:]:
        at = getattr(at, part, None)
    return at


def test_a_link_names_something_of_pytorch(comments: dict[str, ET.Element]) -> None:
    """Addresses end in the name, as ``generated/torch.relu.html`` and ``special.html#torch.special.erf`` do; others are of a chapter."""
    names = {
        address.rpartition("#")[2].rpartition("/")[2].removesuffix(".html")
        for comment in comments.values()
        for link in comment.iter("see")
        if (address := link.attrib.get("href", "")).startswith(_PAGES)
    }
    # torch.utils.tensorboard can be imported only beside TensorBoard.
    named = {name for name in names if name.startswith("torch.") and "tensorboard" not in name}
    assert len(named) > 1300
    assert [name for name in sorted(named) if _found(name) is None] == []


def test_what_may_be_null_is_optional_in_the_schema() -> None:
    marked = 0
    for (_, prefix, *_), (name, _, operator, arguments, *_) in surface.rows_of_tables(_OPERATORS.parent):
        for argument in [argument for argument in arguments.split() if "?" in argument]:
            base, _, overload = (operator or prefix + name).partition(".")
            schema = torch._C._get_schema(f"aten::{base}", overload)
            types = {entry.name: str(entry.type) for entry in schema.arguments}
            assert types[argument.partition("=")[0].rstrip("?#[]")].startswith("Optional"), (name, argument)
            marked += 1
    assert marked


@pytest.fixture
def compiled(sdk: Any, tools: Callable[[str], Any], tmp_path: Path) -> Callable[[str, str], str]:
    """Return ``compiled(rows, source)``: what the compiler says of a table and C# beside it."""
    generator = tools("sdk").ARTIFACTS / "bin" / "Bridge.Generator" / "release" / "Bridge.Generator.dll"
    compiler, *framework = csharp_compiler.compiler_and_framework(sdk)

    def run(rows: str, source: str = "") -> str:
        (tmp_path / "Members.tsv").write_text("[torch]\n" + rows, encoding="utf-8")
        (tmp_path / "Source.cs").write_text(source, encoding="utf-8")
        files = (tmp_path / "Members.tsv", _OPERATORS / "Parameters.tsv", _LIST)
        command = [
            sdk.command,
            compiler,
            "-nologo",
            "-nostdlib",
            "-unsafe",
            "-langversion:latest",
            "-t:library",
            f"-analyzer:{generator}",
        ]
        command += [f"-r:{path}" for path in framework] + [f"-additionalfile:{path}" for path in files]
        command += [f"-out:{tmp_path / 'Out.dll'}", str(tmp_path / "Source.cs")]
        return subprocess.run([str(part) for part in command], env=sdk.environ, capture_output=True, text=True).stdout

    return run


def test_a_wrong_row_is_an_error_that_names_it(compiled: Callable[..., str]) -> None:
    sentence = "\tOf {}."
    rows = {
        "absent\tT\t\t" + sentence: "absent: the list has no such member for 'T'",
        "sin\tT_ t\t\tother=nothing" + sentence: "sin: no member has the parameter of 'nothing'",
        "cholesky\tT\t\t" + sentence: "cholesky: 'cholesky' is obsolete: write it in C#, with [Obsolete] and a reason",
        "eq\tT\teq.Tensor eq.Other\t" + sentence: "eq: none of the operators is for (Scalar)",
        "cos\tT": "cos: no sentence",
        "tan\tT\t\t\tWithout a place.": "tan: a sentence must end with '.' and have '{}' for the tensor",
        "load\ts\t\t" + sentence: "load: no text for the parameter 'location'",
    }
    said = compiled("\n".join(rows))
    for row, error in rows.items():
        assert f"error BT0002: Members.tsv, {error}" in said, (row, said)


def test_a_member_that_is_also_written_is_an_error_that_names_it(compiled: Callable[..., str]) -> None:
    written = "namespace TorchSharp; public static partial class torch { public partial class Tensor { public Tensor abs() => this; } }"
    said = compiled("abs\tT\t\t\tOf {}.", written)
    assert re.search(r"error CS0111: .*'abs'", said), said


def test_an_optimizer_whose_fields_are_not_the_lists_is_an_error_that_names_it(compiled: Callable[..., str]) -> None:
    marker = "namespace Bridge.Torch { class OptimizerAttribute(string options, string state) : System.Attribute; }"
    optimizer = 'namespace TorchSharp.Modules { [Bridge.Torch.Optimizer("", "step")] partial class Adagrad; }'
    said = compiled("", marker + optimizer)
    assert "error BT0004: the fields of 'Adagrad.State' are 'step, sum' in the list, not 'step'" in said, said
