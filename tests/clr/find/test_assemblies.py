"""bridge/clr/find/assemblies.py: which folder is taken, and what is said when none is complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.clr.find import assemblies
from bridge.clr.find.assemblies import LIBRARIES, SAMPLES, AssembliesNotFound, folder, sample


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


@pytest.mark.parametrize("place", ["dotnet/artifacts", "bridge/_dotnet"])
def test_a_link_is_followed(checkout: Path, place: str) -> None:
    """Follow links as in a model's path: by another path our own assemblies would be loaded a second time."""
    real = checkout / "elsewhere"
    inside = "bridge" if place == "dotnet/artifacts" else "."
    fill(real / inside)
    (checkout / place).symlink_to(real)
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
