"""The markers ``cuda``, ``dotnet`` and ``inprocess``, and the fixtures ``dotnet`` and ``symlinks``."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from bridge.clr.find import installation


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests marked ``inprocess`` on a torch with which no TorchSharp was tested, before their fixtures load one."""
    marked = [item for item in items if item.get_closest_marker("inprocess") is not None]
    if not marked:
        return
    from bridge.torchsharp.in_process.library import TESTED

    torch = version("torch")
    tested = [number for numbers in TESTED.values() for number in numbers]
    if ".".join(torch.split(".")[:2]) not in tested:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=f"needs torch {', '.join(tested)}, and this is {torch}"))


@pytest.fixture(scope="session")
def dotnet() -> installation.DotNet:
    """Return the .NET installation that the package finds; skip where there is none."""
    try:
        return installation.find_dotnet()
    except installation.DotNetNotFound as error:
        pytest.skip(f"needs a .NET runtime: {str(error).partition('. Looked')[0]}")


@pytest.fixture
def symlinks(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where symbolic links cannot be made or are not followed."""
    folder = tmp_path_factory.mktemp("links")
    (folder / "file").touch()
    try:
        (folder / "link").symlink_to(folder / "file")
        followed = (folder / "link").exists()
    except OSError:
        followed = False
    if not followed:
        pytest.skip("needs symbolic links, which Windows makes in developer mode only, and Wine does not follow")


@pytest.fixture(autouse=True)
def _machine(request: pytest.FixtureRequest) -> None:
    """Skip a test whose marker names what this machine lacks."""
    if request.node.get_closest_marker("cuda") is not None:
        import torch

        if not torch.cuda.is_available():
            pytest.skip("needs a CUDA device: torch.cuda.is_available() is false")
    if request.node.get_closest_marker("dotnet") is not None:
        request.getfixturevalue("dotnet")
