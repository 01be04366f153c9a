"""The models in which mistakes are planted: a PyTorch original and its C# port each, and three inputs."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

ROOT: Final = Path(__file__).resolve().parents[2]
OWN: Final = Path(__file__).parent / "models"
FACADE: Final = ROOT / "tests" / "facade" / "models"
#: What is not looked at while compare is worked on; both were chosen before the first result. Reported apart.
ASIDE_MODELS: Final = ("Llama", "Seq2Seq")
ASIDE_KINDS: Final = ("activation", "dropped factor", "off-by-one slice", "order of a cat", "padding")


@dataclass(frozen=True)
class Subject:
    """A class of one of the sources, in C# and in Python. ``inputs`` gives those of a number, 0 to 2."""

    name: str
    sort: str
    folder: Path
    original: str
    arguments: tuple[Any, ...]
    inputs: Callable[[int], tuple[Any, ...]]

    @property
    def source(self) -> Path:
        """Load the C# port."""
        return self.folder / f"{self.name}.cs"

    @property
    def aside(self) -> bool:
        return self.name in ASIDE_MODELS

    def make(self) -> torch.nn.Module:
        """Make the PyTorch original from a seed, with non-trivial running statistics and norms."""
        torch.manual_seed(1)
        made: torch.nn.Module = runpy.run_path(str(self.folder / f"{self.original}.py"))[self.name](*self.arguments)
        generator = torch.Generator().manual_seed(2)
        with torch.no_grad():
            for name, tensor in (*made.named_parameters(), *made.named_buffers()):
                if name.endswith("running_var"):
                    tensor.uniform_(0.5, 2.0, generator=generator)
                elif tensor.is_floating_point() and (tensor.ndim == 1 or name.endswith("running_mean")):
                    tensor.add_(torch.randn(tensor.shape, generator=generator), alpha=0.3)
        return made


def drawn(number: int, *shape: int) -> torch.Tensor:
    """Return normally distributed numbers, different for each input."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(10 + number))


def ids(number: int, *shape: int, below: int = 11) -> torch.Tensor:
    """Return token ids."""
    return torch.randint(0, below, shape, generator=torch.Generator().manual_seed(20 + number))


def cached(number: int) -> tuple[Any, ...]:
    """Return two tokens, and the keys and values of three earlier tokens by block; the second input has no past."""
    if number == 1:
        return ids(number, 2, 5), None
    cache = drawn(number, 4, 2, 2, 3, 4).unbind(0)
    return ids(number, 2, 2), [(cache[0], cache[1]), (cache[2], cache[3])]


def masked(number: int) -> tuple[Any, ...]:
    """Return token ids and their padding mask."""
    lengths = torch.tensor(([6, 4], [5, 3], [6, 2])[number])
    return ids(number, 2, 6), (torch.arange(6) < lengths[:, None]).long()


def translated(number: int) -> tuple[Any, ...]:
    lengths = torch.tensor(([4, 2], [5, 3], [3, 5])[number])
    return ids(number, 2, 5), ids(number + 3, 2, 4), torch.arange(5) < lengths[:, None]


def described(number: int) -> tuple[Any, ...]:
    """Return a picture, tokens, and the keys and values of three earlier tokens; the second input has no past."""
    image = drawn(number, 2, 3, 6, 9)
    past = None if number == 1 else drawn(number + 3, 2, 2, 2, 3, 4).unbind(0)
    return image, ids(number, 2, 4), past


SUBJECTS: Final = (
    Subject("Plates", "CNN", OWN, "plates", (), lambda number: (drawn(number, 3, 3, 13, 13),)),
    Subject("Residual", "residual", OWN, "residual", (), lambda number: (drawn(number, 2, 3, 10, 8),)),
    Subject("Tagger", "LSTM", FACADE, "tagger", (11, 6, 5, 4), lambda number: (ids(number, 3, 7),)),
    Subject("MiniBert", "encoder", OWN, "mini_bert", (11, 8, 2), masked),
    Subject("Gpt", "decoder with cache", FACADE, "gpt", (11, 16, 2, 2, 8), cached),
    Subject("UNet", "U-Net", FACADE, "u_net", (3, 2, 4), lambda number: (drawn(number, 2, 3, 13, 14),)),
    Subject("Detector", "detector", FACADE, "detector", (), lambda number: (drawn(number, 2, 3, 5, 4),)),
    Subject("Vae", "VAE", FACADE, "vae", (12, 8, 3), lambda number: (drawn(number, 4, 3, 4),)),
    Subject("Rotary", "rotary decoder", OWN, "rotary", (11, 16, 4, 2), lambda number: (ids(number, 2, 6),)),
    Subject("Translator", "recurrent translator", OWN, "translator", (11, 6), translated),
    Subject("Captioner", "cross-attention", OWN, "captioner", (11, 8, 2), described),
    Subject("Llama", "decoder", FACADE, "llama", (11, 8, 4, 2), lambda number: (ids(number, 2, 6),)),
    Subject("Seq2Seq", "encoder and decoder", FACADE, "seq2seq", (11, 6), translated),
)


def named(name: str) -> Subject:
    """Return the subject of this name."""
    return next(one for one in SUBJECTS if one.name == name)
