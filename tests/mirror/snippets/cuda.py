"""Processes of test_cuda.py."""

from __future__ import annotations

from typing import Any

#: What is alive when the process goes: were it local, it would die before.
held: list[Any] = []


def left_alive() -> None:
    import torch

    import bridge
    from bridge.clr.find.assemblies import sample

    model: Any = bridge.load(sample("Mtcnn.dll"), "Mtcnn.PNet").cuda()
    model.conv1.register_forward_hook(lambda module, args, output: None)
    held.extend(model(torch.rand(1, 3, 12, 12, device="cuda")) for _ in range(50))
    held.append(model)
    print(held[0][0].device)
