"""What replaces parts of a model: LoRA, quantization, differential privacy, norms, pruning."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from pytorch_tools.cases import Case
from pytorch_tools.checks import check
from pytorch_tools.training import steps

_LINEAR = ("LeNet", "LSTM tagger", "GPT", "ResNet-18")


@check("peft", "LoRA: three training steps, merge_and_unload, save and load")
def peft_lora(model: nn.Module, case: Case) -> Any:
    import peft

    config = peft.LoraConfig(r=4, target_modules=list(case.linear), lora_dropout=0.1)
    untouched = copy.deepcopy(model)
    adapted = peft.get_peft_model(model, config)
    losses = steps(adapted, case)
    after = adapted.eval()(case.inputs(2))
    with tempfile.TemporaryDirectory() as folder:
        adapted.save_pretrained(folder)
        read = peft.PeftModel.from_pretrained(untouched, folder).eval()(case.inputs(2))
    merged = adapted.merge_and_unload()
    return [losses, after, read, merged(case.inputs(2)), sorted(merged.state_dict())]


@check("peft", "LoRA of the first layer, DoRA, IA3")
def peft_others(model: nn.Module, case: Case) -> Any:
    import peft

    first = peft.get_peft_model(copy.deepcopy(model), peft.LoraConfig(r=2, target_modules=[case.first]))
    dora = peft.get_peft_model(
        copy.deepcopy(model), peft.LoraConfig(r=2, target_modules=list(case.linear), use_dora=True)
    )
    ia3 = peft.get_peft_model(model, peft.IA3Config(target_modules=list(case.linear), feedforward_modules=[]))
    return [(steps(adapted, case), adapted.eval()(case.inputs(2))) for adapted in (first, dora, ia3)]


@check("torchao", "quantize_: int8 weights; int8 weights and activations")
def torchao_quantize(model: nn.Module, case: Case) -> Any:
    from torchao.quantization import Int8DynamicActivationInt8WeightConfig, Int8WeightOnlyConfig, quantize_

    found = []
    for config in (Int8WeightOnlyConfig(), Int8DynamicActivationInt8WeightConfig()):
        quantized = copy.deepcopy(model)
        quantize_(quantized, config)
        weight = quantized.get_submodule(_linear(quantized)).weight
        found.append((type(weight).__name__, quantized(case.inputs(2))))
    return found


def _linear(model: nn.Module) -> str:
    found: str = next(name for name, child in model.named_modules() if isinstance(child, nn.Linear))
    return found


@check("torch", "quantize_dynamic of Linear and LSTM")
def quantize_dynamic(model: nn.Module, case: Case) -> Any:
    quantized = torch.ao.quantization.quantize_dynamic(model, {nn.Linear, nn.LSTM}, dtype=torch.qint8)
    return [quantized(case.inputs(2)), {name: type(child).__name__ for name, child in quantized.named_modules()}]


@check("torch", "static quantization in eager mode: prepare, calibrate, convert", cases=("LeNet",))
def quantize_static(model: nn.Module, case: Case) -> Any:
    from torch.ao.quantization import QuantWrapper, convert, get_default_qconfig, prepare

    wrapped = QuantWrapper(model).eval()
    wrapped.qconfig = get_default_qconfig("fbgemm")
    prepare(wrapped, inplace=True)
    wrapped(case.inputs(4))
    convert(wrapped, inplace=True)
    return [wrapped(case.inputs(2)), {name: type(child).__name__ for name, child in wrapped.named_modules()}]


@check("opacus", "ModuleValidator.fix, PrivacyEngine.make_private, two steps")
def opacus_training(model: nn.Module, case: Case) -> Any:
    from opacus import PrivacyEngine
    from opacus.validators import ModuleValidator

    fixed = ModuleValidator.fix(model).train()
    for child in fixed.modules():
        if isinstance(child, nn.ReLU):
            child.inplace = False  # as Opacus asks for
    optimizer = torch.optim.SGD(fixed.parameters(), lr=0.1)
    data = torch.utils.data.TensorDataset(case.inputs(6), case.targets(6))
    private, optimizer, loader = PrivacyEngine().make_private(
        module=fixed,
        optimizer=optimizer,
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
    return [norms, dict(private.state_dict()), {name: type(child).__name__ for name, child in private.named_modules()}]


@check("torch", "SyncBatchNorm.convert_sync_batchnorm, in eval mode", cases=("ResNet-18",))
def sync_batch_norm(model: nn.Module, case: Case) -> Any:
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    kinds = {name: type(child).__name__ for name, child in converted.named_modules()}
    return [kinds, list(converted.state_dict()), converted(case.inputs(2))]


@check("torch", "swa_utils: AveragedModel, update_bn")
def update_bn(model: nn.Module, case: Case) -> Any:
    from torch.optim.swa_utils import AveragedModel
    from torch.optim.swa_utils import update_bn as update

    averaged = AveragedModel(model)
    for _ in range(2):
        steps(model, case)
        averaged.update_parameters(model)
    update([case.inputs(4), case.inputs(3)], averaged)
    return [dict(averaged.state_dict()), averaged.eval()(case.inputs(2))]


@check("torch", "nn.utils.fusion.fuse_conv_bn_eval of every pair", cases=("ResNet-18",))
def fuse_conv_bn(model: Any, case: Case) -> Any:
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    pairs = [(name, name.replace("bn", "conv")) for name, _ in model.named_modules() if "bn" in name]
    pairs += [(f"{name}.1", f"{name}.0") for name, _ in model.named_modules() if name.endswith("downsample")]
    for norm, convolution in pairs:
        fused = fuse_conv_bn_eval(model.get_submodule(convolution), model.get_submodule(norm))
        model.set_submodule(convolution, fused)
        model.set_submodule(norm, nn.Identity())
    return [model(case.inputs(2)), list(model.state_dict())]


@check("torch", "nn.utils.prune, parametrizations.weight_norm and spectral_norm, parametrize.register_parametrization")
def parametrizations(model: nn.Module, case: Case) -> Any:
    from torch.nn.utils import parametrizations, parametrize, prune

    def each(change: Callable[[nn.Module], Any]) -> Any:
        changed = copy.deepcopy(model)
        change(changed.get_submodule(_linear(changed)))
        return [changed(case.inputs(2)), steps(changed, case), list(changed.state_dict())]

    return [
        each(lambda child: prune.l1_unstructured(child, "weight", amount=0.5)),
        each(lambda child: prune.remove(prune.random_unstructured(child, "weight", amount=0.3), "weight")),
        each(lambda child: parametrizations.weight_norm(child)),
        each(lambda child: parametrizations.spectral_norm(child)),
        each(lambda child: parametrize.register_parametrization(child, "weight", _Doubled())),
    ]


class _Doubled(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return 2 * weight
