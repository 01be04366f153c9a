"""The native functions that TorchVision imports, against torchvision's formulas in PyTorch."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional
from torch.testing import assert_close

import bridge

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.skipif(sys.platform != "linux", reason="Bridge.Torch has these functions on Linux only"),
]
SOURCE = Path(__file__).with_name("Vision.cs")
TYPES = [torch.float32, torch.float64]


@pytest.fixture(scope="session")
def pictures(build_csharp: Callable[..., Path], reference: Path) -> Any:
    """Return an object that calls the functions. Its assembly is named TorchVision and compiled against TorchSharp, like TorchVision."""
    return bridge.load(build_csharp([SOURCE], "TorchVision", against=[reference]), "Pictures.Functions").dotnet


def hue(image: torch.Tensor, change: float) -> torch.Tensor:
    """Return the picture with another hue, computed pixel by pixel."""
    pixels = image.double().movedim(-3, -1).contiguous()
    done = torch.empty_like(pixels)
    for pixel, result in zip(pixels.reshape(-1, 3), done.view(-1, 3), strict=True):
        (red, green, blue), (low, high) = pixel.tolist(), (pixel.min().item(), pixel.max().item())
        if low == high:
            result.copy_(pixel)
            continue
        sixth = {red: (green - blue) / (high - low)}
        for first, turn in ((green, 2 + (blue - red) / (high - low)), (blue, 4 + (red - green) / (high - low))):
            sixth.setdefault(first, turn)
        for channel, offset in enumerate((5, 3, 1)):
            place = (offset + sixth[high] + 6 * change) % 6
            result[channel] = high - (high - low) * max(0, min(place, 4 - place, 1))
    return done.movedim(-1, -3)


@pytest.mark.parametrize("change", [0.25, -0.4, 1.7])
@pytest.mark.parametrize("dtype", TYPES)
def test_hue(pictures: Any, dtype: torch.dtype, change: float) -> None:
    torch.manual_seed(1)
    image = torch.rand(2, 3, 5, 4, dtype=dtype)
    image[0, :, 0, 0] = 0
    image[0, :, 0, 1] = 0.3
    assert_close(pictures.Hue(image, change), hue(image, change).to(dtype), rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int64])
def test_hue_of_integers_is_rounded_down(pictures: Any, dtype: torch.dtype) -> None:
    torch.manual_seed(2)
    image = torch.randint(0, 256, (1, 3, 6, 7), dtype=dtype)
    assert_close(pictures.Hue(image, 0.1), pictures.Hue(image.float() / 255, 0.1).mul(255).to(dtype), rtol=0, atol=0)
    exact = hue(image, 0.1)
    result = pictures.Hue(image, 0.1)
    assert result.dtype == dtype
    assert torch.all((result - exact).abs() < 1.001)


def test_hue_has_a_gradient(pictures: Any) -> None:
    torch.manual_seed(3)
    image = torch.rand(1, 3, 2, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: pictures.Hue(x, 0.2), image)


@pytest.mark.parametrize("dtype", TYPES)
def test_affine_grid(pictures: Any, dtype: torch.dtype) -> None:
    theta = torch.tensor([[[0.8, -0.3, 0.7], [0.2, 1.1, -0.4]]], dtype=dtype)
    grid = pictures.AffineGrid(theta, 6, 5, 7, 4)
    for row in range(4):
        for column in range(7):
            point = torch.tensor([column + 0.5 - 3.5, row + 0.5 - 2, 1], dtype=dtype)
            assert_close(grid[0, row, column], theta[0] @ point / torch.tensor([3, 2.5], dtype=dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_perspective_grid(pictures: Any, dtype: torch.dtype) -> None:
    a, b, c, d, e, f, g, h = coefficients = 0.9, 0.1, 0.3, -0.2, 1.1, 0.2, 0.01, 0.02
    grid = pictures.PerspectiveGrid(coefficients, 6, 5, dtype)
    assert grid.shape == (1, 5, 6, 2)
    assert grid.dtype == dtype
    for row in range(5):
        for column in range(6):
            x, y = column + 0.5, row + 0.5
            below = g * x + h * y + 1
            place = [(a * x + b * y + c) / below / 3 - 1, (d * x + e * y + f) / below / 2.5 - 1]
            assert_close(grid[0, row, column], torch.tensor(place, dtype=dtype), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("fill", [(), (0.5,), (0.1, 0.2, 0.3)])
@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
@pytest.mark.parametrize("batch", [1, 2])
def test_grids_are_applied(pictures: Any, batch: int, mode: str, fill: Sequence[float]) -> None:
    """Outside of the picture there is the fill color; at its edges, in mode bilinear, a mix of both."""
    torch.manual_seed(4)
    image, grid = torch.rand(batch, 3, 5, 6), torch.rand(1, 4, 7, 2) * 2.6 - 1.3
    arguments: dict[str, Any] = {"mode": mode, "padding_mode": "zeros", "align_corners": False}
    many = grid.expand(batch, -1, -1, -1)
    expected = functional.grid_sample(image, many, **arguments)
    if fill:
        inside = functional.grid_sample(torch.ones_like(image), many, **arguments)
        expected = expected * inside + torch.tensor(fill).view(1, -1, 1, 1) * (1 - inside)
    result = pictures.Sample(image, grid, {"nearest": 0, "bilinear": 2}[mode], fill)
    assert_close(result, expected)
    assert (result == 0).any() != bool(fill)


def test_equalize(pictures: Any) -> None:
    torch.manual_seed(5)
    channel = torch.randn(40, 50).mul(20).add(90).clamp(0, 255).to(torch.uint8)
    counts = [int((channel == value).sum()) for value in range(256)]
    step = (sum(counts) - [count for count in counts if count][-1]) // 255
    table = [min(255, (sum(counts[:value]) + step // 2) // step) if value else 0 for value in range(256)]
    result = pictures.Equalize(channel)
    assert result.dtype == torch.uint8
    assert result.flatten().tolist() == [table[value] for value in channel.flatten().tolist()]
    small = torch.arange(12).view(3, 4)
    assert torch.equal(pictures.Equalize(small), small)  # too few pixels to be spread


@pytest.mark.parametrize("degrees", [0, 20, 45, 90, 130])
@pytest.mark.parametrize("size", [(16, 31), (9, 7)])
def test_size_of_a_turned_picture(pictures: Any, size: tuple[int, int], degrees: int) -> None:
    """The size counts the pixels that the turned picture touches; rounding errors add none."""
    (width, height), angle = size, math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    corners = [(x * width / 2, y * height / 2) for x in (-1, 1) for y in (-1, 1)]
    xs, ys = [cos * x + sin * y + width / 2 for x, y in corners], [cos * y - sin * x + height / 2 for x, y in corners]
    expected = [math.ceil(max(values) - 1e-3) - math.floor(min(values) + 1e-3) for values in (xs, ys)]
    assert list(pictures.Size([cos, sin, 0, -sin, cos, 0], width, height)) == expected


def test_pixels_of_four_bytes(pictures: Any) -> None:
    pixels = torch.arange(28, dtype=torch.uint8)  # blue, green, red, alpha
    planes = pixels.view(7, 4).t()[[2, 1, 0, 3]].contiguous()
    assert torch.equal(pictures.Planes(pixels, True), planes.flatten())
    assert torch.equal(pictures.Planes(pixels, False), planes[:3].flatten())
    opaque = pixels.view(7, 4).clone()
    opaque[:, 3] = 255
    assert torch.equal(pictures.Pixels(planes[:3].contiguous()), opaque.flatten())
    # For four planes, alpha is a copy of blue, the third plane, as in TorchSharp.
    opaque[:, 3] = opaque[:, 0]
    assert torch.equal(pictures.Pixels(planes), opaque.flatten())


def test_an_error_is_thrown_once(pictures: Any) -> None:
    matrix = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    with pytest.raises(bridge.BridgeError) as caught:
        pictures.Hue(torch.rand(2, 2), 0.25)
    assert "aten::unbind" in str(caught.value)
    assert list(pictures.Size(matrix, 4, 6)) == [4, 6]
    with pytest.raises(IndexError):
        pictures.PerspectiveGrid([1.0], 2, 2, torch.float32)
    with pytest.raises(bridge.BridgeError):
        pictures.Size(matrix[:5], 4, 6)
    assert list(pictures.Size(matrix, 4, 6)) == [4, 6]


def test_nothing_is_left_of_a_call(pictures: Any, build_csharp: Callable[..., Path]) -> None:
    """The functions free what they create. They also serve an assembly that refers to Bridge.Torch itself."""
    model = bridge.load(build_csharp([SOURCE], "TorchVision"), "Pictures.Functions")
    image = torch.rand(1, 3, 8, 8)
    assert torch.equal(model(image), pictures.Hue(image, 0.25))
    before = model.dotnet.Live()
    for _ in range(10):
        model(image)
    assert model.dotnet.Live() <= before + 2


def test_another_assembly_is_not_served(build_csharp: Callable[..., Path], reference: Path) -> None:
    other = build_csharp([SOURCE], "Seen", against=[reference])
    with pytest.raises(bridge.BridgeError, match="native function THSVision_AdjustHue of LibTorchSharp"):
        bridge.load(other, "Pictures.Functions")
