"""P-Net, R-Net and O-Net: the nets of the MTCNN face detector (Zhang et al., 2016) as PyTorch modules.

They are the originals of the C# nets in dotnet/samples/Mtcnn. Their children are named as in the weight files
(`bridge.samples.weights`), and are in the order in which `forward` calls them.

Softmax and pooling are modules, so that their calls have events in the trace.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn


class PNet(nn.Module):
    """The proposal net. It rates each 12x12 window of a picture, with a stride of two pixels.

    Input: float32 [n, 3, h, w] with h, w >= 12. Results: probabilities [n, 2, h', w'] (channel 1 is 'face') and box offsets [n, 4, h', w']
    as fractions of the window.
    """

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 10, kernel_size=3)
        self.prelu1 = nn.PReLU(10)
        self.pool1 = nn.MaxPool2d(2, stride=2, ceil_mode=True)
        self.conv2 = nn.Conv2d(10, 16, kernel_size=3)
        self.prelu2 = nn.PReLU(16)
        self.conv3 = nn.Conv2d(16, 32, kernel_size=3)
        self.prelu3 = nn.PReLU(32)
        self.conv4_1 = nn.Conv2d(32, 2, kernel_size=1)
        self.softmax4_1 = nn.Softmax(dim=1)
        self.conv4_2 = nn.Conv2d(32, 4, kernel_size=1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.pool1(self.prelu1(self.conv1(x)))
        x = self.prelu2(self.conv2(x))
        x = self.prelu3(self.conv3(x))
        probabilities = self.softmax4_1(self.conv4_1(x))
        offsets = self.conv4_2(x)
        return probabilities, offsets


class RNet(nn.Module):
    """The refinement net. It rates 24x24 crops and corrects their boxes.

    Input: float32 [n, 3, 24, 24]. Results: probabilities [n, 2] (column 1 is 'face') and box offsets [n, 4].
    """

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 28, kernel_size=3)
        self.prelu1 = nn.PReLU(28)
        self.pool1 = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.conv2 = nn.Conv2d(28, 48, kernel_size=3)
        self.prelu2 = nn.PReLU(48)
        self.pool2 = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.conv3 = nn.Conv2d(48, 64, kernel_size=2)
        self.prelu3 = nn.PReLU(64)
        self.dense4 = nn.Linear(576, 128)
        self.prelu4 = nn.PReLU(128)
        self.dense5_1 = nn.Linear(128, 2)
        self.softmax5_1 = nn.Softmax(dim=1)
        self.dense5_2 = nn.Linear(128, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.pool1(self.prelu1(self.conv1(x)))
        x = self.pool2(self.prelu2(self.conv2(x)))
        x = self.prelu3(self.conv3(x))
        # The dense weights were trained in [width, height, channel] order.
        x = self.prelu4(self.dense4(x.permute(0, 3, 2, 1).flatten(1)))
        probabilities = self.softmax5_1(self.dense5_1(x))
        offsets = self.dense5_2(x)
        return probabilities, offsets


class ONet(nn.Module):
    """The output net. It rates 48x48 crops, corrects their boxes and finds five landmarks (eyes, nose, corners of the mouth).

    Input: float32 [n, 3, 48, 48]. Results: probabilities [n, 2] (column 1 is 'face'), box offsets [n, 4] and landmarks [n, 10], first five
    x, then five y, as fractions of the box.
    """

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, kernel_size=3)
        self.prelu1 = nn.PReLU(32)
        self.pool1 = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.conv2 = nn.Conv2d(32, 64, kernel_size=3)
        self.prelu2 = nn.PReLU(64)
        self.pool2 = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.conv3 = nn.Conv2d(64, 64, kernel_size=3)
        self.prelu3 = nn.PReLU(64)
        self.pool3 = nn.MaxPool2d(2, stride=2, ceil_mode=True)
        self.conv4 = nn.Conv2d(64, 128, kernel_size=2)
        self.prelu4 = nn.PReLU(128)
        self.dense5 = nn.Linear(1152, 256)
        self.prelu5 = nn.PReLU(256)
        self.dense6_1 = nn.Linear(256, 2)
        self.softmax6_1 = nn.Softmax(dim=1)
        self.dense6_2 = nn.Linear(256, 4)
        self.dense6_3 = nn.Linear(256, 10)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x = self.pool1(self.prelu1(self.conv1(x)))
        x = self.pool2(self.prelu2(self.conv2(x)))
        x = self.pool3(self.prelu3(self.conv3(x)))
        x = self.prelu4(self.conv4(x))
        x = self.prelu5(self.dense5(x.permute(0, 3, 2, 1).flatten(1)))  # [width, height, channel], as in R-Net
        probabilities = self.softmax6_1(self.dense6_1(x))
        offsets = self.dense6_2(x)
        landmarks = self.dense6_3(x)
        return probabilities, offsets, landmarks


class Nets(NamedTuple):
    """The three nets of one runtime. If `_asdict()` is recorded, the module paths in the trace begin with the field names."""

    pnet: nn.Module
    rnet: nn.Module
    onet: nn.Module


def pretrained() -> Nets:
    """Return the three PyTorch nets with pretrained weights, in eval mode. Raises WeightsNotFound if the weights are missing or damaged."""
    from bridge.samples.weights import load  # only this function needs the weights

    nets = Nets(PNet(), RNet(), ONet())
    for name, net in nets._asdict().items():
        net.load_state_dict(load(name), strict=True)
        net.eval()
    return nets
