"""The MTCNN nets, their weights and the detection cascade, against facts measured on the original detector."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from skimage.data import astronaut
from torch import Tensor, nn

import bridge
from bridge.clr.find.assemblies import sample
from bridge.samples import boxes, weights
from bridge.samples.cascade import Detection, detect, pyramid
from bridge.samples.errors import WeightsNotFound
from bridge.samples.mtcnn import Nets, ONet, PNet, RNet, pretrained
from bridge.samples.trap import TrapConv

pytestmark = pytest.mark.usefixtures("one_thread")

CROP = (slice(30, 190), slice(140, 300))  # the astronaut's head


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    return astronaut()


@pytest.fixture
def nets() -> Nets:
    return pretrained()


class Counted:
    """Counts every module call of some nets, and notes the shapes that go into the roots."""

    def __init__(self, nets: Nets) -> None:
        self.calls = 0
        self.inputs: dict[str, list[tuple[int, ...]]] = {name: [] for name in nets._fields}
        for name, net in nets._asdict().items():
            for module in net.modules():
                module.register_forward_pre_hook(self._count)
            net.register_forward_pre_hook(lambda _, args, name=name: self.inputs[name].append(tuple(args[0].shape)))

    def _count(self, module: nn.Module, args: tuple[Tensor, ...]) -> None:
        self.calls += 1


def same(a: Detection, b: Detection) -> bool:
    return all(np.array_equal(getattr(a, part), getattr(b, part)) for part in ("boxes", "probabilities", "landmarks"))


@pytest.mark.parametrize(("net", "modules"), [(PNet, 11), (RNet, 14), (ONet, 18)])
def test_number_of_modules_with_the_root(net: type[nn.Module], modules: int) -> None:
    assert len(list(net().modules())) == modules


@pytest.mark.parametrize(("net", "name"), [(PNet, "pnet"), (RNet, "rnet"), (ONet, "onet")])
def test_names_and_shapes_of_the_parameters_are_the_files(net: type[nn.Module], name: str) -> None:
    own = {key: tuple(value.shape) for key, value in net().state_dict().items()}
    file = {key: tuple(value.shape) for key, value in weights.load(name).items()}
    assert list(own.items()) == list(file.items())


def test_forward_calls_each_child_once_in_the_order_of_its_declaration(nets: Nets) -> None:
    """C-9: children fire in execution order, which these nets keep equal to their enumeration."""
    for net, size in zip(nets, (12, 24, 48), strict=True):
        called: list[str] = []
        for name, child in net.named_children():
            child.register_forward_pre_hook(lambda _module, _args, name=name, called=called: called.append(name))
        net(torch.zeros(2, 3, size, size))
        assert called == [name for name, _ in net.named_children()]


def test_the_weights_distribution_is_not_imported() -> None:
    pretrained()
    assert "facenet_pytorch" not in sys.modules


def test_pretrained_nets_are_in_eval_mode(nets: Nets) -> None:
    assert not any(module.training for net in nets for module in net.modules())


def test_one_face_on_the_full_picture(picture: np.ndarray, nets: Nets) -> None:
    counted = Counted(nets)
    found = detect(picture, nets, min_face_size=60)
    assert counted.calls == 109
    assert len(counted.inputs["pnet"]) == 7
    assert counted.inputs["rnet"] == [(31, 3, 24, 24)]
    assert counted.inputs["onet"] == [(9, 3, 48, 48)]
    assert len(found) == 1
    assert found.probabilities[0] > 0.9999
    np.testing.assert_allclose(found.boxes, [[178.762, 60.980, 269.287, 176.352]], atol=0.01)
    assert found.boxes.dtype == found.probabilities.dtype == found.landmarks.dtype == np.float32


def test_landmarks_lie_as_a_face_has_them(picture: np.ndarray, nets: Nets) -> None:
    found = detect(picture, nets)
    assert found.landmarks.shape == (1, 5, 2)
    left_eye, right_eye, nose, left_mouth, right_mouth = found.landmarks[0]
    x1, y1, x2, y2 = found.boxes[0]
    assert ((found.landmarks[0] > (x1, y1)) & (found.landmarks[0] < (x2, y2))).all()
    assert left_eye[0] < nose[0] < right_eye[0]
    assert max(left_eye[1], right_eye[1]) < nose[1] < min(left_mouth[1], right_mouth[1])
    assert left_mouth[0] < right_mouth[0]


def test_the_crop_of_the_head(picture: np.ndarray, nets: Nets) -> None:
    counted = Counted(nets)
    found = detect(picture[CROP], nets, min_face_size=60)
    assert counted.calls == 65
    assert len(counted.inputs["pnet"]) == 3
    np.testing.assert_allclose(found.boxes, [[39.5, 30.6, 128.3, 144.6]], atol=0.06)
    assert found.probabilities[0] > 0.99999


@pytest.mark.parametrize(("min_face_size", "levels"), [(40, 8), (80, 6)])
def test_another_least_size(picture: np.ndarray, nets: Nets, min_face_size: int, levels: int) -> None:
    counted = Counted(nets)
    found = detect(picture, nets, min_face_size=min_face_size)
    assert len(counted.inputs["pnet"]) == levels == len(pyramid(512, 512, min_face_size))
    assert len(found) == 1
    np.testing.assert_allclose(found.boxes, [[178.8, 61.0, 269.3, 176.4]], atol=8)


def test_two_faces_side_by_side(picture: np.ndarray, nets: Nets) -> None:
    """Two faces are found, and the second is where the copy of the first is."""
    found = detect(np.tile(picture[CROP], (1, 2, 1)), nets)
    assert len(found) == 2
    assert (np.diff(found.probabilities) <= 0).all()
    left, right = found.boxes[np.argsort(found.boxes[:, 0])]
    np.testing.assert_allclose(right - left, [160, 0, 160, 0], atol=8)


def test_the_same_nets_give_the_same_bits(picture: np.ndarray, nets: Nets) -> None:
    first = detect(picture[CROP], nets)
    assert len(first) == 1
    assert same(first, detect(picture[CROP], nets))


def test_nets_may_be_any_callables_and_see_no_grad(picture: np.ndarray, nets: Nets) -> None:
    grad_modes = set()

    def wrapped(net: nn.Module) -> Callable[[Tensor], list[Tensor]]:
        def call(x: Tensor) -> list[Tensor]:
            grad_modes.add(torch.is_grad_enabled())
            return list(net(x))

        return call

    assert same(detect(picture[CROP], [wrapped(net) for net in nets]), detect(picture[CROP], nets))
    assert grad_modes == {False}
    assert torch.is_grad_enabled()


def test_the_picture_is_left_alone(picture: np.ndarray, nets: Nets) -> None:
    crop = picture[CROP].copy()
    crop.flags.writeable = False
    detect(crop, nets)
    assert np.array_equal(crop, picture[CROP])


@pytest.mark.parametrize("size", [(160, 160), (59, 512), (1, 1)])
def test_no_face_gives_an_empty_detection(nets: Nets, size: tuple[int, int]) -> None:
    counted = Counted(nets)
    found = detect(np.full((*size, 3), 90, dtype=np.uint8), nets)
    assert (found.boxes.shape, found.probabilities.shape, found.landmarks.shape) == ((0, 4), (0,), (0, 5, 2))
    assert not counted.inputs["onet"]
    assert bool(counted.inputs["pnet"]) == (min(size) >= 60)


@pytest.mark.parametrize(
    ("wrong", "error", "named"),
    [
        (np.zeros((80, 80, 3), dtype=np.float32), TypeError, "uint8"),
        ([[0, 0, 0]], TypeError, "list"),
        (np.zeros((80, 80), dtype=np.uint8), ValueError, "height, width, 3"),
        (np.zeros((80, 80, 4), dtype=np.uint8), ValueError, "80, 80, 4"),
    ],
)
def test_a_wrong_picture_is_named(nets: Nets, wrong: object, error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=named):
        detect(wrong, nets)  # type: ignore[arg-type]


def test_too_small_a_least_size_is_named(picture: np.ndarray, nets: Nets) -> None:
    with pytest.raises(ValueError, match="min_face_size is 11"):
        detect(picture, nets, min_face_size=11)


def test_missing_weights_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])  # no distribution at all can be found now
    with pytest.raises(WeightsNotFound, match=r"pip install --no-deps facenet-pytorch==2\.6\.0"):
        pretrained()


@pytest.mark.parametrize(("content", "named"), [(None, "is missing"), (b"no weights", "cannot be read")])
def test_broken_weights_say_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None, named: str
) -> None:
    metadata = tmp_path / "facenet_pytorch-2.6.0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: facenet-pytorch\nVersion: 2.6.0\n")
    if content is not None:
        file = tmp_path / "facenet_pytorch" / "data" / "pnet.pt"
        file.parent.mkdir(parents=True)
        file.write_bytes(content)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(WeightsNotFound, match=named) as caught:
        weights.load("pnet")
    assert "pnet.pt" in str(caught.value)
    assert "--force-reinstall --no-deps facenet-pytorch==2.6.0" in str(caught.value)


def test_weights_of_an_unknown_net_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'snet'.*pnet, rnet, onet"):
        weights.locate("snet")


def test_suppression_keeps_the_best_of_those_that_overlap() -> None:
    rows = torch.tensor([[0.0, 0, 10, 10], [1, 0, 11, 10], [20, 20, 30, 30], [0, 0, 10, 10]])
    scores = torch.tensor([0.7, 0.9, 0.8, 0.9])
    # Rows 1 and 3 tie: the first wins. Rows 0 and 3 share 90 of 110 with row 1 (0.818).
    assert boxes.suppress(rows, scores, 0.8).tolist() == [1, 2]
    assert boxes.suppress(rows, scores, 0.82).tolist() == [1, 3, 2]
    assert boxes.suppress(rows[:0], scores[:0], 0.5).tolist() == []


def test_suppression_by_the_smaller_box_sees_one_inside_another() -> None:
    rows = torch.tensor([[0.0, 0, 99, 99], [10, 10, 19, 19]])
    scores = torch.tensor([0.9, 0.8])
    assert boxes.suppress(rows, scores, 0.7).tolist() == [0, 1]
    assert boxes.suppress(rows, scores, 0.7, share_of="smaller").tolist() == [0]


def test_boxes_are_squared_about_their_middle_and_clipped() -> None:
    squares = boxes.square(torch.tensor([[10.0, 10, 30, 20]]))
    assert squares.tolist() == [[10, 5, 30, 25]]
    assert boxes.windows(torch.tensor([[-3.7, 2.9, 50.2, 40.0]]), height=30, width=40).tolist() == [[1, 2, 40, 30]]


def test_the_trap_in_pytorch() -> None:
    """C-3: forward() fires no hook of the module itself; __call__ does."""
    for by_call, expected in ((True, ["conv"]), (False, [])):
        model, fired = TrapConv(by_call), []
        model.conv.register_forward_hook(lambda *_, fired=fired: fired.append("conv"))
        assert model(torch.ones(3, 5, 5)).shape == (16, 3, 3)
        assert fired == expected


@pytest.mark.dotnet
@pytest.mark.parametrize("net", [PNet, RNet, ONet])
def test_the_csharp_nets_are_enumerated_as_the_originals(net: type[nn.Module]) -> None:
    """Modules and parameters have the same names, order and shapes, so that load_state_dict copies the weights."""
    original, model = net(), bridge.load(sample("Mtcnn.dll"), f"Mtcnn.{net.__name__}")
    modules, values = (
        [[(name, type(module).__name__) for name, module in each.named_modules()] for each in (model, original)],
        [[(name, value.shape) for name, value in each.state_dict().items()] for each in (model, original)],
    )
    assert modules[0] == modules[1]
    assert values[0] == values[1]
