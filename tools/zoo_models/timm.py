"""Architectures of timm, random weights: one of each family with small pictures, and the smallest of each module."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import torch

from bridge.compare.io.inputs import Inputs
from pytorch_tools import environment
from zoo_models import torchvision

#: What importing timm needs; none of it requires a torch of its own.
_PACKAGES = (
    "timm==1.0.31", "huggingface_hub", "PyYAML", "tqdm", "httpx", "httpx2", "httpcore", "httpcore2", "h11", "anyio", "certifi",
    "idna", "typer", "shellingham", "annotated-doc", "annotated-types", "truststore", "hf-xet", "typing-inspection",
)  # fmt: skip
#: An architecture of each family, and the size of its pictures where it is not _SIZE.
_MODELS: Final[dict[str, int]] = {
    "convmixer_768_32": 0, "convnext_atto": 0, "cspresnet50": 0, "deit_tiny_patch16_224": 32, "densenet121": 0, "dla34": 0,
    "edgenext_xx_small": 0, "efficientnet_b0": 0, "ghostnet_050": 0, "hardcorenas_a": 0, "inception_v3": 299, "levit_128s": 224,
    "mixer_s32_224": 64, "mnasnet_050": 0, "mobilenetv3_small_050": 0, "poolformer_s12": 0, "pvt_v2_b0": 0, "regnetx_002": 0,
    "repvgg_a0": 0, "res2net50_14w_8s": 0, "resmlp_12_224": 32, "resnet18": 0, "selecsls42": 0, "vgg11": 0, "xception41": 0,
}  # fmt: skip
_SIZE = 64
#: The size of the pictures is an argument of these, which else take 224 alone.
_SIZED = ("deit_", "mixer_", "resmlp_")

#: The architecture with the fewest parameters of each module of timm.models, by the modules' names.
_SMALLEST: Final = (
    "beit_base_patch16_224", "halonet_h1", "test_byobnet", "cait_xxs24_224", "coat_tiny", "convit_tiny",
    "convmixer_768_32", "test_convnext", "cpubone_nano", "crossvit_tiny_240", "csatv2", "cs3darknet_focus_s",
    "cspnext_tiny", "davit_tiny", "deepseek_vit_412m", "deit_tiny_patch16_224", "densenet121", "dla46x_c", "dpn48b",
    "edgenext_xx_small", "efficientformer_l1", "efficientformerv2_s0", "test_efficientnet", "efficientvim_m1",
    "efficientvit_b0", "efficientvit_m0", "vit_tiny_patch16_dinov3_qkvb", "fasternet_t0", "fastvit_t8",
    "focalnet_tiny_srf", "gcvit_xxtiny", "gemma4_vit_167m", "ghostnet_050", "hardcorenas_b", "hgnetv2_b0",
    "hiera_tiny_224", "sam2_hiera_tiny", "hrnet_w18_small", "iformer_t", "inception_next_atto", "inception_resnet_v2",
    "inception_v3", "inception_v4", "lcnetv2_small", "levit_128s", "lowformer_b0", "test_mambaout", "test_coatnet",
    "poolformerv2_s12", "gmlp_ti16_224", "mobilenetv3_small_050", "mobilenetv5_base", "mobilevit_xxs", "mvitv2_tiny",
    "naflexvit_base_patch16_parfac_gap", "nasnetalarge", "nest_tiny", "nextvit_small", "test_nfnet", "pit_ti_224",
    "pnasnet5large", "pvt_v2_b0", "qwen3_vit_88m", "rdnet_tiny", "regnetx_002", "repghostnet_050", "repvit_m1",
    "res2next50", "resnest14d", "test_resnet", "resnetv2_18", "rexnet_100", "selecsls42", "legacy_seresnet18",
    "sequencer2d_s", "shvit_s1", "skresnet18", "starnet_s050", "swiftformer_xs", "swin_tiny_patch4_window7_224",
    "swinv2_tiny_window8_256", "swinv2_cr_tiny_224", "tiny_vit_5m_224", "tnt_s_legacy_patch16_224", "tresnet_m",
    "twins_svt_small", "vgg11", "visformer_tiny", "test_vit", "vit_tiny_r_s16_p8_224", "test_vit_relpos",
    "samvit_base_patch16_224", "vitamin_small_224", "volo_d1_224", "ese_vovnet19b_slim_dw", "legacy_xception",
    "xception41p", "xcit_nano_12_p8_224",
)  # fmt: skip

#: The size of the smallest models' pictures, but of those that take one size only: that one, which timm names, or another here.
_SMALL: Final = 128
_OTHER_SIZES: Final = {"halonet_h1": 256, "deepseek_vit_412m": 126}
#: The models that are too large for many calls, of which two of their 12 to 27 equal blocks are taken.
_DEEP: Final = frozenset({"beit_base_patch16_224", "deepseek_vit_412m", "gemma4_vit_167m", "qwen3_vit_88m"})

#: By the word that stands for them: their names. The prefix keeps them apart from torchvision's.
SETS: Final[dict[str, Callable[[], Sequence[str]]]] = {
    "timm": lambda: tuple(f"timm_{name}" for name in _MODELS),
    "timm-smallest": lambda: tuple(f"timm_smallest_{name}" for name in _SMALLEST),
}


def importable() -> None:
    """Import the pinned ``timm``, downloaded from PyPI once, with torchvision. No hub is contacted."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    torchvision.importable()
    where = str(environment.folder(*_PACKAGES))
    if where not in sys.path:
        sys.path.append(where)
    import_module("timm")


def model(name: str) -> tuple[Callable[[], torch.nn.Module], Inputs]:
    """Return the model's factory and its inputs: pictures of the one size that the architecture takes, or small ones."""
    importable()
    timm, plain = import_module("timm"), name.removeprefix("timm_").removeprefix("smallest_")
    options: dict[str, Any] = {}
    if "_smallest_" in name:
        config = timm.get_pretrained_cfg(plain)
        size = config.input_size[-1] if config.fixed_input_size else min(config.input_size[-1], _SMALL)
        size, options = _OTHER_SIZES.get(plain, size), {"depth": 2} if plain in _DEEP else {}
    else:
        size = _MODELS[plain] or _SIZE
        options = {"img_size": size} if plain.startswith(_SIZED) else {}

    def make() -> torch.nn.Module:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = timm.create_model(plain, **options)
        assert isinstance(made, torch.nn.Module)
        return made

    return make, Inputs((torch.rand(1, 3, size, size, generator=torch.Generator().manual_seed(0)),))
