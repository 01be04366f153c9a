"""The drawing of a detection, checked pixel by pixel."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from bridge.demo.picture import BOX, POINT, draw_faces
from bridge.samples.cascade import Detection


def detection(*boxes: tuple[float, float, float, float]) -> Detection:
    rows = np.array(boxes, dtype=np.float32).reshape(-1, 4)
    middles = (rows[:, :2] + rows[:, 2:]) / 2
    landmarks = np.repeat(middles[:, None], 5, axis=1)
    return Detection(rows, np.full(len(rows), 0.99, dtype=np.float32), landmarks)


def pixels(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB"))


def test_the_box_and_the_landmarks_are_where_the_detection_says() -> None:
    picture = np.zeros((100, 120, 3), dtype=np.uint8)
    got = pixels(draw_faces(picture, detection((20, 30, 80, 90))))
    assert got.shape == picture.shape
    for x, y in ((20, 60), (80, 60), (60, 30), (50, 90)):
        assert tuple(got[y, x]) == BOX, (x, y)
    assert tuple(got[60, 50]) == POINT
    assert tuple(got[45, 35]) == (0, 0, 0)
    assert not picture.any(), "the caller's picture was drawn on"


def test_a_box_at_the_edge_keeps_its_label_inside() -> None:
    got = pixels(draw_faces(np.zeros((60, 60, 3), dtype=np.uint8), detection((5, 1, 50, 55))))
    label = got[0:10, 5:20].reshape(-1, 3)
    assert (label == BOX).all(axis=1).any()


def test_no_face_leaves_the_picture_as_it_is() -> None:
    picture = np.arange(60 * 60 * 3, dtype=np.uint8).reshape(60, 60, 3)
    assert np.array_equal(pixels(draw_faces(picture, detection())), picture)
