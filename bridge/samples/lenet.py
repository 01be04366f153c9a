"""LeNet-5 (LeCun et al., 1998) as a PyTorch module, with ReLU and max pooling.

It is the original of the C# net in dotnet/samples/Vision. Both have the same children, in the order in which `forward` calls them.
"""

from __future__ import annotations

from torch import Tensor, nn


class LeNet(nn.Module):
    """A classifier of digits. Input: float32 [n, 1, 28, 28]. Result: a score for each class, float32 [n, classes]."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.relu1 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.relu2 = nn.ReLU()
        self.pool2 = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.relu3 = nn.ReLU()
        self.fc2 = nn.Linear(120, 84)
        self.relu4 = nn.ReLU()
        self.fc3 = nn.Linear(84, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool1(self.relu1(self.conv1(x)))
        x = self.pool2(self.relu2(self.conv2(x)))
        x = x.flatten(1)
        x = self.relu3(self.fc1(x))
        x = self.relu4(self.fc2(x))
        scores: Tensor = self.fc3(x)
        return scores
