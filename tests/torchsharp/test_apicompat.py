"""Microsoft's apicompat finds nothing in TorchSharp's public surface that Bridge.Torch lacks or declares otherwise, but what is listed.

``apicompat/suppressions.xml`` lists the differences in apicompat's own format, under comments that give the reasons; apicompat refuses
entries that are no longer needed. ``apicompat/attributes.txt`` names attributes that compilers write, which are not compared.
"""

from __future__ import annotations

import functools
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import csharp_compiler
import pytest

from bridge.clr.find.assemblies import folder

pytestmark = [pytest.mark.dotnet, pytest.mark.sdk]

_FOLDER = Path(__file__).parent / "apicompat"
_SUPPRESSIONS = _FOLDER / "suppressions.xml"


@pytest.fixture(scope="module")
def apicompat(
    sdk: Any, tools: Callable[[str], Any], torchsharp: Path
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return ``apicompat(*arguments)``, which compares the facade with TorchSharp."""
    run = functools.partial(
        subprocess.run,
        cwd=tools("sdk").SOURCES,
        env=sdk.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    run([sdk.command, "tool", "restore"], check=True)
    _, *framework = csharp_compiler.compiler_and_framework(sdk)
    system = Path(framework[0]).parent
    ours, _ = folder()
    references = ",".join(map(str, (system, ours / "Bridge.Torch.dll", ours / "Bridge.Hooks.dll")))

    def compare(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        sides = ("--left", torchsharp, "--lref", system, "--right", ours / "TorchSharp.dll", "--rref", references)
        rules = ("--enable-rule-attributes-must-match", "--enable-rule-cannot-change-parameter-name")
        excluded = ("--exclude-attributes-file", _FOLDER / "attributes.txt")
        return run([str(part) for part in (sdk.command, "apicompat", *sides, *rules, *excluded, *arguments)])

    return compare


def test_every_difference_is_listed(apicompat: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = apicompat("--suppression-file", _SUPPRESSIONS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_difference_that_is_not_listed_is_found(
    apicompat: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    tree = ET.parse(_SUPPRESSIONS)
    first = tree.getroot().find("Suppression")
    assert first is not None
    tree.getroot().remove(first)
    tree.write(tmp_path / "suppressions.xml")
    done = apicompat("--suppression-file", tmp_path / "suppressions.xml")
    assert done.returncode != 0
    assert str(first.findtext("DiagnosticId")) in done.stdout + done.stderr


def test_each_group_of_listed_differences_has_a_reason() -> None:
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
    first, *rest = list(ET.parse(_SUPPRESSIONS, parser).getroot())
    comment: object = ET.Comment
    assert first.tag is comment
    assert rest
    for entry in (first, *rest):
        if entry.tag is comment:
            assert len(str(entry.text).split()) >= 5, entry.text
