"""Files that are not what ``bridge.load`` takes, and assemblies of other makers beside a model: one clear sentence each."""

from __future__ import annotations

import re
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

import bridge
from bridge.cli import main
from bridge.clr import DotNetError
from bridge.clr.call.surface import Missing, examine

pytestmark = pytest.mark.dotnet
HERE = Path(__file__).parent
#: The versions and the public key tokens by which .NET Framework's class library and .NET's are referred to.
_RUNTIME = struct.pack("<4H", 8, 0, 0, 0), bytes.fromhex("b03f5f7f11d50a3a")
_FRAMEWORK = struct.pack("<4H", 4, 0, 0, 0), bytes.fromhex("b77a5c561934e089")


@pytest.fixture(scope="module")
def simple(build_csharp: Callable[..., Path], reference: Path) -> Path:
    return build_csharp([HERE / "Simple.cs"], "Simple", against=[reference])


@pytest.fixture(scope="module")
def seeing(build_csharp: Callable[..., Path], reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model and a library beside it, such as TorchVision, also compiled against TorchSharp."""
    library = build_csharp([HERE / "Seen.cs"], "Seen", against=[reference])
    model = build_csharp([HERE / "Seeing.cs"], "Seeing", against=[reference, library])
    folder = tmp_path_factory.mktemp("seeing")
    shutil.copy(library, folder)
    return Path(shutil.copy(model, folder))


def cor_header(code: bytes) -> int:
    """Return the offset of .NET's header in a 32-bit PE file."""
    header = struct.unpack_from("<I", code, 0x3C)[0]
    sections, optional = struct.unpack_from("<H", code, header + 6)[0], struct.unpack_from("<H", code, header + 20)[0]
    wide = 112 if code[header + 24 : header + 26] == b"\x0b\x02" else 96
    address = struct.unpack_from("<I", code, header + 24 + wide + 14 * 8)[0]
    for number in range(sections):
        size, begin, _, raw = struct.unpack_from("<4I", code, header + 24 + optional + number * 40 + 8)
        if begin <= address < begin + size:
            return int(address - begin + raw)
    raise AssertionError("no .NET header")


def refused(file: Path, words: str) -> None:
    """Check that ``load`` and ``doctor --assembly`` refuse the file with these words and without a C# stack."""
    with pytest.raises(DotNetError, match=words):
        bridge.load(file, "Simple.Doubled")
    done = CliRunner().invoke(main, ["doctor", "--assembly", str(file)], terminal_width=300)
    assert done.exit_code == 2
    assert re.fullmatch(rf"cannot run: {words}[^\n]*\n", done.stderr), done.stderr


def test_a_mixed_assembly(simple: Path, tmp_path: Path) -> None:
    """As the C++/CLI compiler writes it: the flag for 'IL only' is not set."""
    code = bytearray(simple.read_bytes())
    code[cor_header(code) + 16] &= ~1
    file = tmp_path / "Mixed.dll"
    file.write_bytes(code)
    refused(file, r"Mixed\.dll is a mixed assembly \(C\+\+/CLI\)")


def test_a_folder_named_like_an_assembly(dotnet: object, tmp_path: Path) -> None:
    (tmp_path / "Folder.dll").mkdir()
    with pytest.raises(FileNotFoundError, match=r"Folder\.dll is a folder"):
        bridge.load(tmp_path / "Folder.dll", "A.B")
    done = CliRunner().invoke(main, ["doctor", "--assembly", str(tmp_path / "Folder.dll")])
    assert done.exit_code == 2
    assert "is a directory" in done.output


def strings(code: bytes) -> int:
    """Return the offset of the heap of names."""
    root = code.index(b"BSJB")
    stream = code.index(b"#Strings\0", root) - 8
    return root + int(struct.unpack_from("<I", code, stream)[0])


def framework(code: bytes, library: bytes) -> bytes:
    """Return the assembly as .NET Framework's compiler writes it, with another class library, version and key."""
    old = b"System.Runtime\0"
    assert code.count(old) == 1
    # The row of the reference: version, flags, the key's place, the name's place.
    name = struct.pack("<H", code.index(old) - strings(code))
    (row,) = (
        at
        for at in range(len(code) - 16)
        if code.startswith(_RUNTIME[0] + bytes(4), at) and code[at + 14 : at + 16] == name
    )
    code = code[:row] + _FRAMEWORK[0] + code[row + 8 :]
    new = library + b"\0"
    return code.replace(old, new + bytes(len(old) - len(new))).replace(_RUNTIME[1], _FRAMEWORK[1])


def test_an_assembly_of_dotnet_framework_runs_as_far_as_dotnet_has_what_it_uses(simple: Path, tmp_path: Path) -> None:
    file = tmp_path / "Simple.dll"
    file.write_bytes(framework(simple.read_bytes(), b"mscorlib"))
    x = torch.randn(3)
    assert torch.equal(bridge.load(file, "Simple.Doubled")(x), x + x)
    file = tmp_path / "other" / "Simple.dll"
    file.parent.mkdir()
    file.write_bytes(framework(simple.read_bytes(), b"System.Web.UI"))
    with pytest.raises(
        DotNetError, match=r"Simple\.dll needs the assembly System\.Web\.UI, .*neither next to it nor part of \.NET"
    ):
        bridge.load(file, "Simple.Doubled")


def test_a_class_that_is_no_module_and_an_assembly_that_has_none(
    simple: Path, build_csharp: Callable[..., Path]
) -> None:
    with pytest.raises(DotNetError, match=r"Simple\.Nothing is not a module"):
        bridge.load(simple, "Simple.Nothing")
    other = build_csharp({"Other.cs": "namespace Other; public class Plain { public int Two => 2; }"}, "Other")
    with pytest.raises(
        DotNetError,
        match=r"has no type 'Other\.Net'\. The assembly has no module types: it refers neither to TorchSharp nor",
    ):
        bridge.load(other, "Other.Net")


def test_what_a_library_beside_the_model_calls_natively_is_listed(seeing: Path) -> None:
    """Of TorchSharp's native library, nine functions run, for TorchVision (tests/torchsharp/test_vision.py)."""
    model = bridge.load(seeing, "Seeing.Area")
    x = torch.randn(3, 2)
    assert torch.equal(model(x), model.stem(x).pow(2))
    with pytest.raises(
        DotNetError,
        match=r"Seeing\.Nms needs members .*\n  native function THSVision_nms of LibTorchSharp \(used by Seen\.Pictures\)",
    ):
        bridge.load(seeing, "Seeing.Nms")
    found = {entry.name: entry.missing for entry in examine(seeing)}
    assert found["Seeing.Area"] == ()
    assert found["Seeing.Nms"] == (Missing("native function THSVision_nms of LibTorchSharp", "Seen.Pictures"),)
    library = {entry.name: entry.missing for entry in examine(seeing.with_name("Seen.dll"))}
    assert library["Seen.Boxes"] == library["Seen.Stem"] == ()
    assert len(library["Seen.Pictures"]) == 1
