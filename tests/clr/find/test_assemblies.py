"""bridge/clr/find/assemblies.py: which folder is taken, and what is said when none is complete."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest

from bridge.clr.find import assemblies
from bridge.clr.find.assemblies import LIBRARIES, LOADED, SAMPLES, AssembliesNotFound, folder, images, sample


def fill(place: Path, *without: str) -> Path:
    place.mkdir(parents=True)
    for name in (*LIBRARIES, *SAMPLES):
        if name not in without:
            (place / name).touch()
    return place


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Create a folder like a checkout, with an empty package."""
    (tmp_path / "bridge").mkdir()
    (tmp_path / "dotnet").mkdir()
    (tmp_path / "dotnet" / "global.json").touch()
    return tmp_path


def test_the_variable_comes_first(checkout: Path, tmp_path: Path) -> None:
    fill(checkout / "dotnet" / "artifacts" / "bridge")
    asked = fill(tmp_path / "mine")
    assert folder({"BRIDGE_ASSEMBLIES": str(asked)}, package=checkout / "bridge") == (asked, "BRIDGE_ASSEMBLIES")


def test_a_wrong_variable_is_an_error(checkout: Path, tmp_path: Path) -> None:
    fill(checkout / "bridge" / "_dotnet")
    asked = fill(tmp_path / "mine", "Bridge.Torch.dll")
    with pytest.raises(AssembliesNotFound, match=r"BRIDGE_ASSEMBLIES is set to .*lacks Bridge\.Torch\.dll"):
        folder({"BRIDGE_ASSEMBLIES": str(asked)}, package=checkout / "bridge")


def test_a_complete_build_of_the_checkout_is_preferred(checkout: Path) -> None:
    shipped = fill(checkout / "bridge" / "_dotnet")
    assert folder({}, package=checkout / "bridge") == (shipped, "package")
    built = fill(checkout / "dotnet" / "artifacts" / "bridge")
    assert folder({}, package=checkout / "bridge") == (built, "checkout build")


@pytest.mark.usefixtures("symlinks")
@pytest.mark.parametrize("place", ["dotnet/artifacts", "bridge/_dotnet"])
def test_a_link_is_followed(checkout: Path, place: str) -> None:
    """Follow links as in a model's path: by another path our own assemblies would be loaded a second time."""
    real = checkout / "elsewhere"
    inside = "bridge" if place == "dotnet/artifacts" else "."
    fill(real / inside)
    (checkout / place).symlink_to(real, target_is_directory=True)
    assert folder({}, package=checkout / "bridge")[0] == real / inside


def test_a_half_build_is_passed_over(checkout: Path) -> None:
    shipped = fill(checkout / "bridge" / "_dotnet")
    fill(checkout / "dotnet" / "artifacts" / "bridge", "Mtcnn.dll")
    assert folder({}, package=checkout / "bridge") == (shipped, "package")


def test_an_installed_package_looks_at_nothing_beside_itself(tmp_path: Path) -> None:
    """site-packages/dotnet could be anybody's."""
    fill(tmp_path / "dotnet" / "artifacts" / "bridge")
    shipped = fill(tmp_path / "bridge" / "_dotnet")
    assert folder({}, package=tmp_path / "bridge") == (shipped, "package")


@pytest.mark.parametrize(("in_checkout", "fix"), [(True, "python tools/sdk.py build"), (False, "BRIDGE_ASSEMBLIES")])
def test_the_error_names_what_is_missing_and_the_fix(tmp_path: Path, in_checkout: bool, fix: str) -> None:
    fill(tmp_path / "bridge" / "_dotnet", "Bridge.Hooks.dll", "Bridge.Interop.dll")
    if in_checkout:
        (tmp_path / "dotnet").mkdir()
        (tmp_path / "dotnet" / "global.json").touch()
    with pytest.raises(AssembliesNotFound, match=r"lacks Bridge\.Hooks\.dll, Bridge\.Interop\.dll") as caught:
        folder({}, package=tmp_path / "bridge")
    assert fix in str(caught.value).splitlines()[-1]


def test_sample_gives_a_path_or_lists_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = fill(tmp_path / "mine")
    monkeypatch.setenv(assemblies.VARIABLE, str(place))
    assert sample("Mtcnn.dll") == place / "Mtcnn.dll"
    with pytest.raises(AssembliesNotFound, match=r"no sample Nets\.dll .* available: Mtcnn\.dll, Vision\.dll\."):
        sample("Nets.dll")


def image(stamp: int) -> bytes:
    """Return the start of a file of an assembly: the offset of its PE header at 0x3C, and the header's time stamp."""
    return (
        b"MZ".ljust(0x3C, b"\0") + (0x80).to_bytes(4, "little") + b"".ljust(0x48, b"\0") + stamp.to_bytes(4, "little")
    )


@pytest.fixture
def ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a folder of assemblies with those compiled ahead for Linux x64 and .NET 10, on such a machine."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    for place in (tmp_path, tmp_path / "linux-x64-net10"):
        place.mkdir(exist_ok=True)
        for number, name in enumerate(LOADED):
            (place / name).write_bytes(image(number))
    return tmp_path


def test_assemblies_compiled_ahead_are_for_one_system_and_one_version(
    ahead: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert images(ahead, "10.0.12") == ahead / "linux-x64-net10"
    assert [images(ahead, version) for version in ("8.0.4", "9.0.1", "11.0.0-preview.1", "1.0")] == [ahead] * 4
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert images(ahead, "10.0.12") == ahead
    monkeypatch.setattr(platform, "machine", lambda: "AMD64")
    monkeypatch.setattr(sys, "platform", "win32")
    assert images(ahead, "10.0.12") == ahead


@pytest.mark.parametrize("name", LOADED)
def test_assemblies_compiled_ahead_from_others_are_not_used(ahead: Path, name: str) -> None:
    """A developer has compiled one assembly again."""
    (ahead / name).write_bytes(image(77))
    assert images(ahead, "10.0.12") == ahead
    (ahead / "linux-x64-net10" / name).unlink()
    assert images(ahead, "10.0.12") == ahead
