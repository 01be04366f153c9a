"""Eight models of transformers in small random configurations, as the library makes them: eval mode, no cache."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import torch

from bridge.compare.io.inputs import Inputs
from pytorch_tools import environment

#: What transformers imports, from the pinned versions; none of it requires a torch of its own.
_PACKAGES = (
    "transformers", "tokenizers", "huggingface_hub", "regex", "PyYAML", "tqdm", "httpx", "httpx2", "httpcore", "httpcore2", "h11",
    "anyio", "certifi", "idna", "typer", "shellingham", "annotated-doc", "annotated-types", "truststore", "hf-xet",
    "typing-inspection",
)  # fmt: skip
_TEXT: Final[dict[str, Any]] = {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
                                "intermediate_size": 64, "max_position_embeddings": 64}  # fmt: skip
_PICTURE: Final[dict[str, Any]] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
                                   "image_size": 32, "patch_size": 8}  # fmt: skip
#: The module below transformers.models, the class, its configuration, and that one's settings.
_MODELS: Final[dict[str, tuple[str, str, str, dict[str, Any]]]] = {
    "bert": ("bert", "BertModel", "BertConfig", _TEXT),
    "distilbert": ("distilbert", "DistilBertModel", "DistilBertConfig",
                   {"vocab_size": 99, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "max_position_embeddings": 64}),
    "vit": ("vit", "ViTModel", "ViTConfig", _PICTURE),
    "gpt2": ("gpt2", "GPT2Model", "GPT2Config",
             {"vocab_size": 99, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4, "use_cache": False}),
    "llama": ("llama", "LlamaModel", "LlamaConfig", {**_TEXT, "num_key_value_heads": 2, "use_cache": False}),
    # The head size is a power of four, as the real one: then the scale that TorchSharp's attention has is made up for to the bit.
    "whisper": ("whisper", "WhisperEncoder", "WhisperConfig",
                {"d_model": 32, "encoder_layers": 2, "encoder_attention_heads": 2, "encoder_ffn_dim": 64, "num_mel_bins": 16,
                 "max_source_positions": 20}),
    "t5": ("t5", "T5EncoderModel", "T5Config",
           {"vocab_size": 99, "d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 4}),
    "clip": ("clip", "CLIPVisionModel", "CLIPVisionConfig", _PICTURE),
}  # fmt: skip

#: By the word that stands for them: their names.
SETS: Final[dict[str, Callable[[], Sequence[str]]]] = {"transformers": lambda: tuple(_MODELS)}


def importable() -> None:
    """Import the pinned ``transformers``, downloaded from PyPI once. No hub is contacted."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    where = str(environment.folder(*_PACKAGES))
    if where not in sys.path:
        sys.path.append(where)
    import_module("transformers")


def model(name: str) -> tuple[Callable[[], torch.nn.Module], Inputs]:
    """Return the model's factory and its inputs."""
    importable()
    package, kind, config, options = _MODELS[name]
    modeling = import_module(f"transformers.models.{package}.modeling_{package}")
    configuration = import_module(f"transformers.models.{package}.configuration_{package}")

    def make() -> torch.nn.Module:
        made = getattr(modeling, kind)(getattr(configuration, config)(**options))
        assert isinstance(made, torch.nn.Module)
        return made

    generator = torch.Generator().manual_seed(0)
    if name in ("vit", "clip"):
        return make, Inputs((torch.rand(1, 3, 32, 32, generator=generator),))
    if name == "whisper":
        return make, Inputs((torch.rand(1, 16, 40, generator=generator),))
    return make, Inputs((torch.randint(0, 99, (1, 8), generator=generator),))
