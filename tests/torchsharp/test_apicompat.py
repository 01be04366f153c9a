"""Microsoft's apicompat finds nothing in TorchSharp's public surface that Bridge.Torch lacks or declares otherwise, but what is listed.

``apicompat/suppressions.xml`` lists the differences in apicompat's own format, under comments that give the reasons.
``apicompat/attributes.txt`` names attributes that compilers write, which are not compared.
"""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import csharp_compiler
from bridge.clr.find.assemblies import folder

pytestmark = [pytest.mark.dotnet, pytest.mark.sdk]

_FOLDER = Path(__file__).parent / "apicompat"
_SUPPRESSIONS = _FOLDER / "suppressions.xml"


#: TorchSharp's protocol buffers of TensorBoard need the package Google.Protobuf, and nothing here reads or writes them. Classes that
#: an editor imports by accident are there, without members.
_LEFT_OUT = re.compile(r"\w:Tensorboard\.")


class Difference(NamedTuple):
    """A difference that apicompat reports: its number, such as CP0002, and the documentation ID of the type or member."""

    number: str
    target: str


def _read(file: Path) -> set[Difference]:
    found = ET.parse(file).getroot().iter("Suppression")
    return {Difference(str(entry.findtext("DiagnosticId")), str(entry.findtext("Target"))) for entry in found}


@pytest.fixture(scope="module")
def differences(
    sdk: Any, tools: Callable[[str], Any], torchsharp: Path, tmp_path_factory: pytest.TempPathFactory
) -> set[Difference]:
    """Return all differences between TorchSharp and the facade."""
    _, *framework = csharp_compiler.compiler_and_framework(sdk)
    system = Path(framework[0]).parent
    ours, _ = folder()
    references = ",".join(map(str, (system, ours / "Bridge.Torch.dll", ours / "Bridge.Hooks.dll")))
    written = tmp_path_factory.mktemp("apicompat") / "differences.xml"
    compare: tuple[str | Path, ...] = (
        *(
            "apicompat",
            "--left",
            torchsharp,
            "--lref",
            system,
            "--right",
            ours / "TorchSharp.dll",
            "--rref",
            references,
        ),
        *("--enable-rule-attributes-must-match", "--enable-rule-cannot-change-parameter-name"),
        *("--exclude-attributes-file", _FOLDER / "attributes.txt"),
        *("--generate-suppression-file", "--suppression-output-file", written),
    )
    for command in (("tool", "restore"), compare):
        done = subprocess.run(
            [sdk.command, *map(str, command)],
            cwd=tools("sdk").SOURCES,
            env=sdk.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return _read(written)


def test_every_difference_is_listed(differences: set[Difference]) -> None:
    assert {found for found in differences if not _LEFT_OUT.match(found.target)} == _read(_SUPPRESSIONS)


def test_apicompat_sees_what_is_left_out(differences: set[Difference]) -> None:
    """Were the assemblies not read, there would be no differences at all."""
    assert Difference("CP0001", "T:Tensorboard.GraphDef") in differences


def test_each_group_of_listed_differences_has_a_reason() -> None:
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
    first, *rest = list(ET.parse(_SUPPRESSIONS, parser).getroot())
    comment: object = ET.Comment
    assert first.tag is comment
    assert rest
    for entry in (first, *rest):
        if entry.tag is comment:
            assert len(str(entry.text).split()) >= 5, entry.text
