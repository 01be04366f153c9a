"""The models in which mistakes are planted: for each a C# port, its PyTorch original and three inputs."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from diagnosis.models import originals

ROOT: Final = Path(__file__).resolve().parents[2]
_OWN: Final = Path(__file__).parent / "models"
_FACADE: Final = ROOT / "tests" / "facade" / "models"
#: Chosen before the first run. Their results are reported apart, and nobody looks at them while working on compare.
HELD_OUT_MODELS: Final = ("Llama", "Seq2Seq")
HELD_OUT_KINDS: Final = ("activation", "dropped factor", "off-by-one slice", "order of a cat", "padding")


@dataclass(frozen=True)
class Subject:
    """A model; ``inputs`` returns the arguments of forward for the numbers 0 to 2, ``arguments`` are those of the constructor."""

    name: str
    sort: str
    folder: Path
    inputs: Callable[[int], tuple[Any, ...]]
    arguments: tuple[int, ...] = ()

    @property
    def port(self) -> Path:
        """Return the C# source."""
        return self.folder / f"{self.name}.cs"

    def original(self) -> torch.nn.Module:
        """Create the PyTorch original from a seed, with norms and running statistics that are not their defaults."""
        stem = re.sub(r"(?<=[A-Za-z])(?=[A-Z][a-z])", "_", self.name).lower()
        namespace = vars(originals) if self.folder == _OWN else runpy.run_path(str(self.folder / f"{stem}.py"))
        torch.manual_seed(1)
        model: torch.nn.Module = namespace[self.name](*self.arguments)
        generator = torch.Generator().manual_seed(2)
        with torch.no_grad():
            for name, tensor in (*model.named_parameters(), *model.named_buffers()):
                if name.endswith("running_var"):
                    tensor.uniform_(0.5, 2.0, generator=generator)
                elif tensor.is_floating_point() and (tensor.ndim == 1 or name.endswith("running_mean")):
                    tensor.add_(torch.randn(tensor.shape, generator=generator), alpha=0.3)
        return model


def _normal(number: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(10 + number))


def _tokens(number: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, 11, shape, generator=torch.Generator().manual_seed(20 + number))


def _images(*shape: int) -> Callable[[int], tuple[Any, ...]]:
    return lambda number: (_normal(number, *shape),)


def _sentences(*shape: int) -> Callable[[int], tuple[Any, ...]]:
    return lambda number: (_tokens(number, *shape),)


def _is_word(lengths: list[int], width: int) -> torch.Tensor:
    return torch.arange(width) < torch.tensor(lengths)[:, None]


def _padded(number: int) -> tuple[Any, ...]:
    return _tokens(number, 2, 6), _is_word(([6, 4], [5, 3], [6, 2])[number], 6).long()


def _translation(number: int) -> tuple[Any, ...]:
    mask = _is_word(([4, 2], [5, 3], [3, 5])[number], 5)
    return _tokens(number, 2, 5), _tokens(number + 3, 2, 4), mask


def _cached(number: int) -> tuple[Any, ...]:
    """Return tokens, and the keys and values of three earlier tokens for each block; the second input has no cache."""
    if number == 1:
        return _tokens(number, 2, 5), None
    cache = _normal(number, 4, 2, 2, 3, 4).unbind(0)
    return _tokens(number, 2, 2), [(cache[0], cache[1]), (cache[2], cache[3])]


def _captioned(number: int) -> tuple[Any, ...]:
    """Return images, tokens, and the keys and values of three earlier tokens; the second input has no cache."""
    cache = None if number == 1 else _normal(number + 3, 2, 2, 2, 3, 4).unbind(0)
    return _normal(number, 2, 3, 6, 9), _tokens(number, 2, 4), cache


_ALL: Final = (
    Subject("Plates", "CNN", _OWN, _images(3, 3, 13, 13)),
    Subject("Residual", "residual", _OWN, _images(2, 3, 10, 8)),
    Subject("Tagger", "LSTM", _FACADE, _sentences(3, 7), (11, 6, 5, 4)),
    Subject("MiniBert", "encoder", _OWN, _padded),
    Subject("Gpt", "decoder with cache", _FACADE, _cached, (11, 16, 2, 2, 8)),
    Subject("UNet", "U-Net", _FACADE, _images(2, 3, 13, 14), (3, 2, 4)),
    Subject("Detector", "detector", _FACADE, _images(2, 3, 5, 4)),
    Subject("Vae", "VAE", _FACADE, _images(4, 3, 4), (12, 8, 3)),
    Subject("Rotary", "rotary decoder", _OWN, _sentences(2, 6)),
    Subject("Translator", "recurrent translator", _OWN, _translation),
    Subject("Captioner", "cross-attention", _OWN, _captioned),
    Subject("Llama", "decoder", _FACADE, _sentences(2, 6), (11, 8, 4, 2)),
    Subject("Seq2Seq", "encoder and decoder", _FACADE, _translation, (11, 6)),
)
SUBJECTS: Final = {subject.name: subject for subject in _ALL}
