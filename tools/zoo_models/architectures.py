"""Architectures of transformers, each in a configuration made tiny by one rule: random weights, eval mode, no cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import torch

from bridge.compare.io.inputs import Inputs
from zoo_models import huggingface

#: The settings of the library's configurations, by value; each is made where a configuration has it.
_SETTINGS: Final[dict[int, tuple[str, ...]]] = {
    32: ("hidden_size", "d_model", "n_embd", "dim", "embed_dim", "embedding_size", "decoder_hidden_size", "hidden_dim_encoder",
         "image_size", "projection_dim", "encoder_hidden_dim", "conv_dim_hidden", "hidden_channels"),
    2: ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers", "decoder_layers", "num_encoder_layers",
        "num_decoder_layers", "decoder_num_hidden_layers", "num_key_value_heads", "num_mtp_layers", "num_block_records"),
    4: ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads",
        "decoder_num_attention_heads", "num_experts", "num_local_experts", "n_routed_experts"),
    64: ("intermediate_size", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "hidden_dim", "d_ff", "mlp_dim", "n_inner",
         "max_position_embeddings", "n_positions", "max_source_positions", "max_target_positions", "decoder_intermediate_size",
         "moe_intermediate_size", "shared_expert_intermediate_size"),
    8: ("patch_size", "head_dim", "d_kv", "attention_head_size"),
    99: ("vocab_size",),
    16: ("num_mel_bins",),
    0: ("use_cache",),
}  # fmt: skip
_TINY: Final = {name: value for value, names in _SETTINGS.items() for name in names}
#: Those of the pinned version that the rule makes and that run eagerly: all up to granite in the alphabet, then the known ones.
_NAMES: Final = (
    "aimv2_vision_model", "albert", "apertus", "arcee", "aria", "aria_text", "audioflamingo3", "aya_vision", "bart",
    "beam", "beit", "bert", "bert-generation", "big_bird", "bigbird_pegasus", "biogpt", "bit", "bitnet", "bloom",
    "camembert", "canine", "chinese_clip_vision_model", "clip_text_model", "clip_vision_model", "cohere", "cohere2",
    "cohere2_moe", "cohere2_vision", "convbert", "cosmos3_omni", "cpmant", "ctrl", "cvt", "cwm", "data2vec-audio",
    "data2vec-text", "data2vec-vision", "deberta", "deberta-v2", "deepseek_v4", "deepseek_vl", "deepseek_vl_hybrid",
    "deit", "diffllama", "dinov2", "dinov2_with_registers", "dinov3_convnext", "dinov3_vit", "distilbert", "doge",
    "dpr", "dpt", "electra", "ernie", "ernie4_5", "evolla", "exaone4", "exaone4_5", "falcon_h1", "falcon_mamba",
    "fastspeech2_conformer", "flaubert", "flava", "flint", "florence2", "fnet", "focalnet", "fsmt", "fuyu", "gemma",
    "gemma2", "gemma3", "gemma3_text", "gemma4_audio", "git", "glmasr", "glmasr_encoder", "glpn", "got_ocr2", "gpt-sw3",
    "gpt2", "gpt_bigcode", "gpt_neox", "gpt_neox_japanese", "gpt_oss", "granite", "hubert", "ibert", "jamba",
    "layoutlm", "led", "llama", "longformer", "mamba", "mbart", "mistral", "mixtral", "mobilebert", "mobilenet_v2",
    "mobilevit", "mpnet", "mpt", "nystromformer", "olmo", "opt", "persimmon", "phi", "poolformer", "pvt", "qwen2",
    "qwen3", "regnet", "rembert", "resnet", "roberta", "rwkv", "segformer", "squeezebert", "stablelm", "vit", "vit_mae",
    "wav2vec2", "xglm", "xlm", "yolos",
)  # fmt: skip

#: By the word that stands for them: their names. The prefix keeps them apart from the eight of huggingface.
SETS: Final[dict[str, Callable[[], Sequence[str]]]] = {
    "architectures": lambda: tuple(f"architecture_{name}" for name in _NAMES)
}
importable = huggingface.importable


def model(name: str) -> tuple[Callable[[], torch.nn.Module], Inputs]:
    """Return the model's factory and its inputs."""
    importable()
    kind = name.removeprefix("architecture_")
    auto = import_module("transformers.models.auto.modeling_auto").MODEL_MAPPING_NAMES[kind]
    found = import_module("transformers")
    cls = getattr(found, auto if isinstance(auto, str) else auto[0])
    config = type(cls.config_class())(**_tiny(cls.config_class()))
    config.return_dict = True

    def make() -> torch.nn.Module:
        made = cls(config)
        assert isinstance(made, torch.nn.Module)
        return made

    return make, Inputs(named=_inputs(cls, config))


def _tiny(config: Any) -> dict[str, Any]:
    """Return the settings that make a configuration tiny, those of its parts among them."""
    settings: dict[str, Any] = {
        name: type(getattr(config, name))(value)
        for name, value in _TINY.items()
        if isinstance(getattr(config, name, None), int)
    }
    settings |= {"depths": [1] * len(config.depths)} if isinstance(getattr(config, "depths", None), list) else {}
    for name in getattr(config, "sub_configs", {}):
        if (part := getattr(config, name, None)) is not None:
            settings[name] = _tiny(part) | {"model_type": part.model_type}
    return settings


def _inputs(cls: Any, config: Any) -> dict[str, torch.Tensor]:
    """Return a tensor for the main input of a model, and for the others without which a model of several parts does not run."""
    generator = torch.Generator().manual_seed(0)
    parts = [config, *(getattr(config, name, None) for name in getattr(config, "sub_configs", {}))]

    def setting(name: str, default: int) -> int:
        return next((value for part in parts if isinstance(value := getattr(part, name, None), int)), default)

    size = setting("image_size", 32)
    tensors = {
        "input_ids": lambda: torch.randint(0, setting("vocab_size", 99), (1, 8), generator=generator),
        "pixel_values": lambda: torch.rand(1, setting("num_channels", 3), size, size, generator=generator),
        "input_features": lambda: torch.rand(1, setting("num_mel_bins", 16), 128, generator=generator),
        "input_values": lambda: torch.rand(1, 2000, generator=generator),
    }
    taken = cls.forward.__code__.co_varnames[: cls.forward.__code__.co_argcount]
    main = cls.main_input_name if cls.main_input_name in tensors else "input_ids"
    wanted = [main, *(name for name in ("pixel_values",) if name in taken and main == "input_ids" and len(parts) > 2)]
    named = {name: tensors[name]() for name in wanted}
    if getattr(config, "is_encoder_decoder", False) and "decoder_input_ids" in taken:
        named["decoder_input_ids"] = tensors["input_ids"]()
    return named
