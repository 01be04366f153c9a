"""The MTCNN detection cascade.

P-Net runs on the picture at several scales (the pyramid) and proposes boxes. R-Net and O-Net run on crops and refine the boxes.

The nets are callables, so that the same code runs PyTorch and C# modules. The nets run on `device`, all box arithmetic on the CPU in
float32. The result is deterministic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import interpolate

from bridge.samples.boxes import shift, square, suppress, windows

WINDOW = 12  # side of P-Net's window
STRIDE = 2  # pixels from one window to the next
FACTOR = 0.709  # ratio of each scale of the pyramid to the previous one, for about half the area
THRESHOLDS = (0.6, 0.7, 0.7)  # thresholds of the probabilities of P-Net, R-Net, O-Net
CROPS = (24, 48)  # sides of the crops for R-Net and O-Net
OVERLAP_IN_PICTURE = 0.5  # threshold of non-maximum suppression within a picture of the pyramid
OVERLAP = 0.7  # threshold of non-maximum suppression elsewhere


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """The detected faces, most probable first.

    `boxes` is float32 [n, 4] (x1, y1, x2, y2 in pixels), `probabilities` float32 [n]. `landmarks` is float32 [n, 5, 2]: x and y of the
    eyes, the nose and the corners of the mouth. The eye and the corner further left in the picture come first.
    """

    boxes: np.ndarray
    probabilities: np.ndarray
    landmarks: np.ndarray

    def __len__(self) -> int:
        return len(self.probabilities)


def detect(
    picture: np.ndarray,
    nets: Sequence[Callable[[Tensor], Any]],
    min_face_size: int = 60,
    device: str | torch.device = "cpu",
) -> Detection:
    """Detect faces in a picture, uint8 [height, width, 3] RGB, with P-Net, R-Net and O-Net, under no_grad.

    `min_face_size` (pixels) sets the largest scale of the picture that P-Net searches: a smaller value finds smaller faces, and takes
    longer. If the picture itself is smaller than `min_face_size`, no net is called and the detection is empty.
    Raises TypeError or ValueError for an invalid argument.
    """
    pnet, rnet, onet = nets
    pixels = _pixels(picture).to(device)
    height, width = pixels.shape[2:]
    scales = pyramid(height, width, min_face_size)
    with torch.no_grad():
        boxes = _propose(pixels, pnet, scales)
        boxes = _refine(pixels, rnet, boxes)
        return _decide(pixels, onet, boxes)


def pyramid(height: int, width: int, min_face_size: int) -> list[float]:
    """Return the scales of the pyramid, largest first.

    At the first scale, a face of `min_face_size` pixels fills P-Net's window. The last scale is the smallest at which the picture is not
    smaller than the window. Raises ValueError if `min_face_size` is smaller than the window.
    """
    if min_face_size < WINDOW:
        raise ValueError(f"min_face_size is {min_face_size}: P-Net cannot detect faces below {WINDOW} pixels")
    scales = []
    scale = WINDOW / min_face_size
    side = min(height, width) * scale
    while side >= WINDOW:
        scales.append(scale)
        scale *= FACTOR
        side *= FACTOR
    return scales


def _pixels(picture: np.ndarray) -> Tensor:
    """Convert the picture to float32 [1, 3, height, width], values 0 to 255."""
    if not isinstance(picture, np.ndarray) or picture.dtype != np.uint8:
        raise TypeError(
            f"picture must be a uint8 array, not {getattr(picture, 'dtype', type(picture).__name__)}: "
            "convert it with numpy.asarray(picture, dtype=numpy.uint8)"
        )
    if picture.ndim != 3 or picture.shape[2] != 3:
        raise ValueError(f"picture must have shape [height, width, 3], not {list(picture.shape)}")
    return torch.tensor(picture).permute(2, 0, 1).unsqueeze(0).to(torch.float32)


def _resized(pixels: Tensor, height: int, width: int) -> Tensor:
    """Resize pixels by averaging areas, and scale their values to about [-1, 1], as in the training of the nets."""
    return (interpolate(pixels, size=(height, width), mode="area") - 127.5) * 0.0078125


def _crops(pixels: Tensor, boxes: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return a crop [n, 3, size, size] for each box that overlaps the picture, and those boxes [n, 4]."""
    height, width = pixels.shape[2:]
    corners = windows(boxes, height, width)
    seen = ((corners[:, 2:] >= corners[:, :2]).all(dim=1)).nonzero().flatten()
    crops = [_resized(pixels[:, :, y1 - 1 : y2, x1 - 1 : x2], size, size) for x1, y1, x2, y2 in corners[seen].tolist()]
    return (torch.cat(crops) if crops else pixels.new_empty(0, 3, size, size)), boxes[seen]


def _windows_above(probabilities: Tensor, offsets: Tensor, scale: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return the windows with a probability of at least P-Net's threshold: boxes [n, 4], scores [n], offsets [n, 4]."""
    scores = probabilities[0, 1]
    rows, columns = (scores >= THRESHOLDS[0]).nonzero(as_tuple=True)
    corner = torch.stack([columns, rows], dim=1).to(torch.float32) * STRIDE
    first = ((corner + 1) / scale).floor()
    last = ((corner + WINDOW) / scale).floor()
    return torch.cat([first, last], dim=1), scores[rows, columns], offsets[0, :, rows, columns].T


def _propose(pixels: Tensor, pnet: Callable[[Tensor], Any], scales: list[float]) -> Tensor:
    """Run P-Net on each picture of the pyramid, and return square boxes [n, 4]."""
    height, width = pixels.shape[2:]
    found: list[tuple[Tensor, Tensor, Tensor]] = []
    for scale in scales:
        probabilities, offsets = pnet(_resized(pixels, int(height * scale + 1), int(width * scale + 1)))
        boxes, scores, moves = _windows_above(probabilities.cpu(), offsets.cpu(), scale)
        kept = suppress(boxes, scores, OVERLAP_IN_PICTURE)
        found.append((boxes[kept], scores[kept], moves[kept]))
    if not found:
        return torch.empty(0, 4)
    boxes, scores, moves = (torch.cat(parts) for parts in zip(*found, strict=True))
    kept = suppress(boxes, scores, OVERLAP)
    return square(shift(boxes[kept], moves[kept], inclusive=False))


def _refine(pixels: Tensor, rnet: Callable[[Tensor], Any], boxes: Tensor) -> Tensor:
    """Run R-Net in one call on the crops of the boxes, and return refined, square boxes [m, 4].

    Drops boxes that are not above R-Net's threshold, or that overlap a better box too much.
    """
    crops, boxes = _crops(pixels, boxes, CROPS[0])
    if not len(boxes):
        return boxes
    probabilities, offsets = (result.cpu() for result in rnet(crops))
    scores = probabilities[:, 1]
    passed = (scores > THRESHOLDS[1]).nonzero().flatten()
    kept = passed[suppress(boxes[passed], scores[passed], OVERLAP)]
    return square(shift(boxes[kept], offsets[kept], inclusive=True))


def _decide(pixels: Tensor, onet: Callable[[Tensor], Any], boxes: Tensor) -> Detection:
    """Run O-Net in one call on the crops of the boxes, and return the faces.

    Drops boxes that are not above O-Net's threshold, or that overlap a better box too much.
    """
    crops, boxes = _crops(pixels, boxes, CROPS[1])
    if not len(boxes):
        empty = np.empty(0, dtype=np.float32)
        return Detection(empty.reshape(0, 4), empty, empty.reshape(0, 5, 2))
    probabilities, offsets, points = (result.cpu() for result in onet(crops))
    scores = probabilities[:, 1]
    passed = (scores > THRESHOLDS[2]).nonzero().flatten()
    boxes, scores, offsets, points = boxes[passed], scores[passed], offsets[passed], points[passed]

    sides = boxes[:, 2:] - boxes[:, :2] + 1
    corner = boxes[:, :2] - 1
    landmarks = points.reshape(-1, 2, 5).transpose(1, 2) * sides[:, None] + corner[:, None]
    boxes = shift(boxes, offsets, inclusive=True)
    kept = suppress(boxes, scores, OVERLAP, share_of="smaller")
    return Detection(boxes[kept].numpy(), scores[kept].numpy(), landmarks[kept].contiguous().numpy())
