"""What replaces parts of a model: LoRA, quantization, differential privacy, norms, pruning."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.ao import quantization
from torch.nn.utils import fusion, parametrize, prune
from torch.nn.utils.parametrizations import spectral_norm, weight_norm
from torch.optim import swa_utils

from pytorch_tools.cases import Case
from pytorch_tools.checks import Tool, check

peft, torchao, opacus = Tool("peft"), Tool("torchao.quantization"), Tool("opacus")


def _classes(model: nn.Module) -> dict[str, str]:
    return {name: type(child).__name__ for name, child in model.named_modules()}


def _first_linear(model: nn.Module) -> Any:
    return next(child for child in model.modules() if isinstance(child, nn.Linear))


@check("peft", "LoRA: three training steps, merge_and_unload, save and load")
def peft_lora(model: nn.Module, case: Case) -> Any:
    untouched = copy.deepcopy(model)
    adapted = peft.get_peft_model(model, peft.LoraConfig(r=4, target_modules=list(case.linear), lora_dropout=0.1))
    losses = case.train(adapted)
    after = adapted.eval()(case.inputs(2))
    with tempfile.TemporaryDirectory() as folder:
        adapted.save_pretrained(folder)
        loaded = peft.PeftModel.from_pretrained(untouched, folder).eval()(case.inputs(2))
    merged = adapted.merge_and_unload()
    return [losses, after, loaded, merged(case.inputs(2)), sorted(merged.state_dict())]


@check("peft", "LoRA of the first layer, DoRA, IA3")
def peft_others(model: nn.Module, case: Case) -> Any:
    linear = list(case.linear)
    configs = (
        peft.LoraConfig(r=2, target_modules=[case.first]),
        peft.LoraConfig(r=2, target_modules=linear, use_dora=True),
        peft.IA3Config(target_modules=linear, feedforward_modules=[]),
    )
    adapted = [peft.get_peft_model(copy.deepcopy(model), config) for config in configs]
    return [(case.train(each), each.eval()(case.inputs(2))) for each in adapted]


@check("torchao", "quantize_: int8 weights; int8 weights and activations")
def torchao_quantize(model: nn.Module, case: Case) -> Any:
    found = []
    for config in (torchao.Int8WeightOnlyConfig(), torchao.Int8DynamicActivationInt8WeightConfig()):
        quantized = copy.deepcopy(model)
        torchao.quantize_(quantized, config)
        found.append((type(_first_linear(quantized).weight).__name__, quantized(case.inputs(2))))
    return found


@check("torch", "quantize_dynamic of Linear and LSTM")
def quantize_dynamic(model: nn.Module, case: Case) -> Any:
    quantized = quantization.quantize_dynamic(model, {nn.Linear, nn.LSTM}, dtype=torch.qint8)
    return [quantized(case.inputs(2)), _classes(quantized)]


@check("torch", "static quantization in eager mode: prepare, calibrate, convert", cases=("LeNet",))
def quantize_static(model: nn.Module, case: Case) -> Any:
    wrapped = quantization.QuantWrapper(model).eval()
    wrapped.qconfig = quantization.get_default_qconfig("fbgemm")
    quantization.prepare(wrapped, inplace=True)(case.inputs(4))
    quantization.convert(wrapped, inplace=True)
    return [wrapped(case.inputs(2)), _classes(wrapped)]


@check("opacus", "ModuleValidator.fix, PrivacyEngine.make_private, two steps")
def opacus_training(model: nn.Module, case: Case) -> Any:
    fixed = opacus.validators.ModuleValidator.fix(model).train()
    for child in fixed.modules():
        if isinstance(child, nn.ReLU):
            child.inplace = False  # Opacus requires it
    data = torch.utils.data.TensorDataset(case.inputs(6), case.targets(6))
    private, optimizer, loader = opacus.PrivacyEngine().make_private(
        module=fixed,
        optimizer=torch.optim.SGD(fixed.parameters(), lr=0.1),
        data_loader=torch.utils.data.DataLoader(data, batch_size=3),
        noise_multiplier=1.0,
        max_grad_norm=1.0,
        poisson_sampling=False,
        noise_generator=torch.Generator().manual_seed(3),
    )
    norms = []
    for x, y in loader:
        optimizer.zero_grad()
        case.loss(private(x), y).backward()
        norms.append([parameter.grad_sample.flatten(1).norm(dim=1) for parameter in private.parameters()])
        optimizer.step()
    return [norms, dict(private.state_dict()), _classes(private)]


@check("torch", "SyncBatchNorm.convert_sync_batchnorm, in eval mode", cases=("ResNet-18",))
def sync_batch_norm(model: nn.Module, case: Case) -> Any:
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    return [_classes(converted), list(converted.state_dict()), converted(case.inputs(2))]


@check("torch", "swa_utils: AveragedModel, update_bn")
def update_bn(model: nn.Module, case: Case) -> Any:
    averaged = swa_utils.AveragedModel(model)
    for _ in range(2):
        case.train(model)
        averaged.update_parameters(model)
    swa_utils.update_bn([case.inputs(4), case.inputs(3)], averaged)
    return [dict(averaged.state_dict()), averaged.eval()(case.inputs(2))]


@check("torch", "nn.utils.fusion.fuse_conv_bn_eval of every pair", cases=("ResNet-18",))
def fuse_conv_bn(model: Any, case: Case) -> Any:
    names = [name for name, child in model.named_modules() if isinstance(child, nn.BatchNorm2d)]
    for norm in names:
        convolution = norm.replace("bn", "conv") if "bn" in norm else norm.replace("downsample.1", "downsample.0")
        pair = (model.get_submodule(convolution), model.get_submodule(norm))
        model.set_submodule(convolution, fusion.fuse_conv_bn_eval(*pair))
        model.set_submodule(norm, nn.Identity())
    return [model(case.inputs(2)), list(model.state_dict())]


class _Doubled(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return 2 * weight


@check("torch", "nn.utils.prune, parametrizations.weight_norm and spectral_norm, parametrize.register_parametrization")
def parametrizations(model: nn.Module, case: Case) -> Any:
    changes: list[Callable[[nn.Module], Any]] = [
        lambda layer: prune.l1_unstructured(layer, "weight", amount=0.5),
        lambda layer: prune.remove(prune.random_unstructured(layer, "weight", amount=0.3), "weight"),
        weight_norm,
        spectral_norm,
        lambda layer: parametrize.register_parametrization(layer, "weight", _Doubled()),
    ]
    found = []
    for change in changes:
        changed = copy.deepcopy(model)
        change(_first_linear(changed))
        found.append([changed(case.inputs(2)), case.train(changed), list(changed.state_dict())])
    return found
