"""The markers ``cuda`` and ``dotnet``, and the fixture ``dotnet``."""

from __future__ import annotations

import pytest

from bridge.clr.find import installation


@pytest.fixture(scope="session")
def dotnet() -> installation.DotNet:
    """Return the .NET installation that the package finds; skip where there is none."""
    try:
        return installation.find_dotnet()
    except installation.DotNetNotFound as error:
        pytest.skip(f"needs a .NET runtime: {str(error).partition('. Looked')[0]}")


@pytest.fixture(autouse=True)
def _machine(request: pytest.FixtureRequest) -> None:
    """Skip a test whose marker names what this machine lacks."""
    if request.node.get_closest_marker("cuda") is not None:
        import torch

        if not torch.cuda.is_available():
            pytest.skip("needs a CUDA device: torch.cuda.is_available() is false")
    if request.node.get_closest_marker("dotnet") is not None:
        request.getfixturevalue("dotnet")
