"""project_file.py: the csproj of a port."""

from __future__ import annotations

from bridge.port.project.project_file import BRIDGE, TORCHSHARP, render_project


def test_a_project_for_our_package_copies_the_schemas() -> None:
    assert f'<PackageReference Include="Bridge.Torch" Version="{BRIDGE}" />' in render_project("bridge", "Ns")
    assert '<None Include="schemas.txt"' in render_project("bridge", "Ns")
    assert "schemas.txt" not in render_project("torchsharp", "Ns")
    assert f'<PackageReference Include="TorchSharp-cpu" Version="{TORCHSHARP}" />' in render_project("torchsharp", "Ns")
    project = render_project("torchsharp", "Ns")
    assert "<RootNamespace>Ns</RootNamespace>" in project
    assert "<CheckForOverflowUnderflow>true</CheckForOverflowUnderflow>" in project
