"""What a result came from: captum, grad-cam."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from pytorch_tools.cases import PICTURES, Case
from pytorch_tools.checks import check

_TEXT = ("LSTM tagger", "GPT")


def _captum(kind: str, model: nn.Module, case: Case, **options: Any) -> Any:
    import captum.attr

    return getattr(captum.attr, kind)(model).attribute(case.inputs(2), target=case.target, **options)


def _layer(kind: str, model: nn.Module, case: Case, **options: Any) -> Any:
    import captum.attr

    explainer = getattr(captum.attr, kind)(model, model.get_submodule(case.layer))
    return explainer.attribute(case.inputs(2), target=case.target, **options)


@check("captum", "DeepLift", cases=PICTURES)
def captum_deep_lift(model: nn.Module, case: Case) -> Any:
    return _captum("DeepLift", model, case)


@check("captum", "DeepLiftShap", cases=PICTURES)
def captum_deep_lift_shap(model: nn.Module, case: Case) -> Any:
    return _captum("DeepLiftShap", model, case, baselines=torch.zeros_like(case.inputs(3)))


@check("captum", "GuidedBackprop", cases=PICTURES)
def captum_guided_backprop(model: nn.Module, case: Case) -> Any:
    return _captum("GuidedBackprop", model, case)


@check("captum", "Deconvolution", cases=PICTURES)
def captum_deconvolution(model: nn.Module, case: Case) -> Any:
    return _captum("Deconvolution", model, case)


@check("captum", "LRP", cases=PICTURES)
def captum_lrp(model: nn.Module, case: Case) -> Any:
    return _captum("LRP", model, case)


@check("captum", "IntegratedGradients, Saliency, InputXGradient", cases=PICTURES)
def captum_gradients(model: nn.Module, case: Case) -> Any:
    return [
        _captum("IntegratedGradients", model, case, n_steps=4),
        _captum("Saliency", model, case),
        _captum("InputXGradient", model, case),
    ]


@check("captum", "Occlusion, FeatureAblation", cases=("LeNet",))
def captum_perturbations(model: nn.Module, case: Case) -> Any:
    x = case.inputs(2)
    mask = torch.arange(x[0].numel()).reshape(1, *x.shape[1:]) // 100
    return [
        _captum("Occlusion", model, case, sliding_window_shapes=(1, 7, 7), strides=(1, 7, 7)),
        _captum("FeatureAblation", model, case, feature_mask=mask),
    ]


@check("captum", "LayerActivation, LayerGradCam, LayerConductance")
def captum_layers(model: nn.Module, case: Case) -> Any:
    import captum.attr

    layer = captum.attr.LayerActivation(model, model.get_submodule(case.layer)).attribute(case.inputs(2))
    if not case.pictures:
        return [layer]
    return [layer, _layer("LayerGradCam", model, case), _layer("LayerConductance", model, case, n_steps=4)]


@check("captum", "LayerIntegratedGradients, LayerGradientXActivation of the embedding", cases=_TEXT)
def captum_embedding(model: nn.Module, case: Case) -> Any:
    import captum.attr

    embedding, x = model.get_submodule(case.first), case.inputs(2)
    return [
        captum.attr.LayerIntegratedGradients(model, embedding).attribute(x, target=case.target, n_steps=4),
        captum.attr.LayerGradientXActivation(model, embedding).attribute(x, target=case.target),
        captum.attr.LayerDeepLift(model, embedding).attribute(x, torch.zeros_like(x), target=case.target),
    ]


@check("grad-cam", "GradCAM, GradCAM++, HiResCAM, EigenCAM, LayerCAM", cases=PICTURES)
def grad_cam(model: nn.Module, case: Case) -> Any:
    import pytorch_grad_cam as cams
    from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget

    targets = [ClassifierOutputTarget(1), ClassifierOutputTarget(2)]
    found = []
    for kind in (cams.GradCAM, cams.GradCAMPlusPlus, cams.HiResCAM, cams.EigenCAM, cams.LayerCAM):
        with kind(model=model, target_layers=[model.get_submodule(case.layer)]) as cam:
            found.append(cam(input_tensor=case.inputs(2), targets=targets))
    return found


@check("grad-cam", "AblationCAM, ScoreCAM, GuidedBackpropReLUModel", cases=("LeNet",))
def grad_cam_that_changes_the_model(model: nn.Module, case: Case) -> Any:
    import pytorch_grad_cam as cams
    from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget

    targets = [ClassifierOutputTarget(1), ClassifierOutputTarget(2)]
    layers = [model.get_submodule(case.layer)]
    with cams.AblationCAM(model=model, target_layers=layers) as cam:
        ablation = cam(input_tensor=case.inputs(2), targets=targets)
    with cams.ScoreCAM(model=model, target_layers=layers) as cam:
        score = cam(input_tensor=case.inputs(2), targets=targets)
    guided = cams.GuidedBackpropReLUModel(model=model, device="cpu")
    return [ablation, score, guided(case.inputs(1), target_category=1)]
