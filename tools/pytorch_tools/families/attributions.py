"""Which parts of an input a result came from: captum, grad-cam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from pytorch_tools.cases import IMAGES, TEXTS, Case
from pytorch_tools.checks import Run, Tool, add, check

captum, cams = Tool("captum.attr"), Tool("pytorch_grad_cam")


def _captum(*kinds: str, options: Callable[[torch.Tensor], dict[str, Any]] = lambda x: {}) -> Run:
    """Return a check of attributions to the input."""

    def run(model: nn.Module, case: Case) -> Any:
        x = case.inputs(2)
        methods = [getattr(captum, kind)(model) for kind in kinds]
        return [method.attribute(x, target=case.target, **options(x)) for method in methods]

    return run


for _name, _kind in (
    ("captum_deep_lift", "DeepLift"),
    ("captum_deep_lift_shap", "DeepLiftShap"),
    ("captum_guided_backprop", "GuidedBackprop"),
    ("captum_deconvolution", "Deconvolution"),
    ("captum_lrp", "LRP"),
):
    _baselines = (lambda x: {"baselines": torch.zeros_like(x)}) if _kind == "DeepLiftShap" else (lambda x: {})
    add(_name, "captum", _kind, _captum(_kind, options=_baselines), cases=IMAGES)


@check("captum", "IntegratedGradients, Saliency, InputXGradient", cases=IMAGES)
def captum_gradients(model: nn.Module, case: Case) -> Any:
    return [
        _captum("IntegratedGradients", options=lambda x: {"n_steps": 4})(model, case),
        _captum("Saliency", "InputXGradient")(model, case),
    ]


@check("captum", "Occlusion, FeatureAblation", cases=("LeNet",))
def captum_perturbations(model: nn.Module, case: Case) -> Any:
    windows = {"sliding_window_shapes": (1, 7, 7), "strides": (1, 7, 7)}
    mask = torch.arange(28 * 28).reshape(1, 1, 28, 28) // 100
    return [
        _captum("Occlusion", options=lambda x: windows)(model, case),
        _captum("FeatureAblation", options=lambda x: {"feature_mask": mask})(model, case),
    ]


@check("captum", "LayerActivation, LayerGradCam, LayerConductance")
def captum_layers(model: nn.Module, case: Case) -> Any:
    layer, x = model.get_submodule(case.layer), case.inputs(2)
    found = [captum.LayerActivation(model, layer).attribute(x)]
    if case.name in IMAGES:
        found.append(captum.LayerGradCam(model, layer).attribute(x, target=case.target))
        found.append(captum.LayerConductance(model, layer).attribute(x, target=case.target, n_steps=4))
    return found


@check("captum", "LayerIntegratedGradients, LayerGradientXActivation of the embedding", cases=TEXTS)
def captum_embedding(model: nn.Module, case: Case) -> Any:
    embedding, x = model.get_submodule(case.first), case.inputs(2)
    return [
        captum.LayerIntegratedGradients(model, embedding).attribute(x, target=case.target, n_steps=4),
        captum.LayerGradientXActivation(model, embedding).attribute(x, target=case.target),
        captum.LayerDeepLift(model, embedding).attribute(x, torch.zeros_like(x), target=case.target),
    ]


def _grad_cam(*kinds: str) -> Run:
    def run(model: nn.Module, case: Case) -> Any:
        targets = [cams.utils.model_targets.ClassifierOutputTarget(n) for n in (1, 2)]
        found = []
        for kind in kinds:
            with getattr(cams, kind)(model=model, target_layers=[model.get_submodule(case.layer)]) as cam:
                found.append(cam(input_tensor=case.inputs(2), targets=targets))
        return found

    return run


_CAMS = ("GradCAM", "GradCAMPlusPlus", "HiResCAM", "EigenCAM", "LayerCAM")
add("grad_cam", "grad-cam", "GradCAM, GradCAM++, HiResCAM, EigenCAM, LayerCAM", _grad_cam(*_CAMS), cases=IMAGES)


@check("grad-cam", "AblationCAM, ScoreCAM, GuidedBackpropReLUModel", cases=("LeNet",))
def grad_cam_that_changes_the_model(model: nn.Module, case: Case) -> Any:
    changed = _grad_cam("AblationCAM", "ScoreCAM")(model, case)
    return [changed, cams.GuidedBackpropReLUModel(model=model, device="cpu")(case.inputs(1), target_category=1)]
