"""The drawing of detected faces onto the picture."""

from __future__ import annotations

import io

import numpy as np

from bridge.samples.cascade import Detection

BOX = (40, 220, 120)
POINT = (255, 210, 60)
RADIUS = 2.5


def draw_faces(picture: np.ndarray, detection: Detection) -> bytes:
    """Draw each face's box, probability and landmarks onto a copy of ``picture``. Return the copy as a PNG file.

    ``picture`` is an array of uint8 of shape [height, width, 3].
    """
    from PIL import Image, ImageDraw  # an optional dependency

    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    for box, probability, points in zip(
        detection.boxes.tolist(), detection.probabilities.tolist(), detection.landmarks.tolist(), strict=True
    ):
        x1, y1, x2, y2 = box
        draw.rectangle((x1, y1, x2, y2), outline=BOX, width=3)
        text = f"{probability:.5f}"
        left, top, right, bottom = draw.textbbox((0, 0), text)
        origin = (x1, max(0.0, y1 - (bottom - top) - 6))  # above the box, or at the edge of the picture
        draw.rectangle((*origin, origin[0] + right - left + 6, origin[1] + bottom - top + 6), fill=BOX)
        draw.text((origin[0] + 3 - left, origin[1] + 3 - top), text, fill=(0, 0, 0))
        for x, y in points:
            draw.ellipse((x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS), fill=POINT, outline=(0, 0, 0))
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
