"""Frameworks that train: Lightning, accelerate, Hugging Face's Trainer, skorch."""

from __future__ import annotations

import inspect
import logging
import pickle
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from pytorch_tools.cases import Case
from pytorch_tools.checks import Tool, check

pl, accelerate, transformers, skorch = map(Tool, ("lightning", "accelerate", "transformers", "skorch"))
model_selection = Tool("sklearn.model_selection")


def _batches(case: Case, size: int) -> DataLoader[Any]:
    return DataLoader(TensorDataset(case.inputs(6), case.targets(6)), batch_size=size)


@check("lightning", "Trainer.fit with accumulation, clipping, weight averaging and a checkpoint; predict")
def lightning(model: nn.Module, case: Case) -> Any:
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    losses: list[Tensor] = []
    base: Any = pl.LightningModule

    class Training(base):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def training_step(self, batch: list[Tensor], index: int) -> Tensor:
            loss = case.loss(self.model(batch[0]), batch[1])
            losses.append(loss.detach())
            return loss

        def predict_step(self, batch: list[Tensor], index: int) -> Any:
            return self.model(batch[0])

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.AdamW(self.parameters(), lr=0.01)

    available = pl.pytorch.callbacks
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    training = Training()
    with tempfile.TemporaryDirectory() as folder:
        callbacks = [
            available.StochasticWeightAveraging(swa_lrs=0.01),
            available.ModelCheckpoint(dirpath=folder, save_last=True),
        ]
        trainer = pl.Trainer(
            max_epochs=2,
            accelerator="cpu",
            devices=1,
            gradient_clip_val=1.0,
            accumulate_grad_batches=2,
            callbacks=callbacks,
            default_root_dir=folder,
            **quiet,
        )
        trainer.fit(training, _batches(case, 2))
        state = torch.load(Path(folder) / "last.ckpt", weights_only=True)["state_dict"]
        predicted = trainer.predict(training, _batches(case, 3))
    summary = str(pl.pytorch.utilities.model_summary.ModelSummary(training, max_depth=-1))
    return [losses, dict(state), predicted, summary]


@check("accelerate", "Accelerator.prepare, accumulate, clip_grad_norm_, save_state and load_state")
def accelerate_training(model: nn.Module, case: Case) -> Any:
    accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=2, mixed_precision="bf16")
    optimizer = torch.optim.AdamW(model.train().parameters(), lr=0.01)
    prepared, optimizer, loader = accelerator.prepare(model, optimizer, _batches(case, 2))
    losses = []

    def train_epoch() -> None:
        for x, y in loader:
            with accelerator.accumulate(prepared):
                loss = case.loss(prepared(x), y)
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(prepared.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                losses.append(loss.detach())

    train_epoch()
    with tempfile.TemporaryDirectory() as folder:
        accelerator.save_state(folder)
        train_epoch()
        accelerator.load_state(folder)
        train_epoch()
    return [losses, dict(accelerator.unwrap_model(prepared).state_dict())]


@check("accelerate", "cpu_offload, disk_offload, load_checkpoint_and_dispatch")
def accelerate_offload(model: nn.Module, case: Case) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        accelerate.Accelerator(cpu=True).save_model(model, folder, safe_serialization=False)
        accelerate.cpu_offload(model, execution_device="cpu")
        offloaded = model(case.inputs(2))
        accelerate.hooks.remove_hook_from_submodules(model)
        loaded = accelerate.load_checkpoint_and_dispatch(model, folder, device_map={"": "cpu"})
        return [offloaded, loaded(case.inputs(2)), accelerate.utils.compute_module_sizes(loaded)]


@check("transformers", "Trainer: train, evaluate, predict")
def transformers_trainer(model: nn.Module, case: Case) -> Any:
    name = next(iter(inspect.signature(model.forward).parameters))
    data = [{name: x, "labels": y} for x, y in zip(case.inputs(6), case.targets(6), strict=True)]
    tied = len(list(model.parameters())) < len(list(model.named_parameters(remove_duplicate=False)))

    def loss(scores: Tensor, labels: Tensor, num_items_in_batch: Any = None) -> Tensor:
        return case.loss(scores, labels)

    base: Any = transformers.Trainer

    class Trainer(base):
        def prediction_step(self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: Any = None) -> Any:
            with torch.no_grad():
                scores = model(inputs[name])
            return loss(scores, inputs["labels"]), scores, inputs["labels"]

    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder,
            max_steps=4,
            per_device_train_batch_size=2,
            gradient_accumulation_steps=2,
            use_cpu=True,
            report_to=[],
            save_strategy="no" if tied else "steps",  # Trainer does not save shared weights
            save_steps=2,
            logging_strategy="no",
            disable_tqdm=True,
            label_names=["labels"],
        )
        trainer = Trainer(model=model, args=arguments, train_dataset=data, eval_dataset=data, compute_loss_func=loss)
        trained = trainer.train()
        evaluated = trainer.evaluate()["eval_loss"]
        predicted = trainer.predict(data).predictions
        again = trainer.train(resume_from_checkpoint=None if tied else str(Path(folder) / "checkpoint-2"))
    return [trained.training_loss, evaluated, predicted, again.training_loss, dict(model.state_dict())]


@check("skorch", "NeuralNet: fit, predict_proba, save_params, pickle, GridSearchCV")
def skorch_net(model: nn.Module, case: Case) -> Any:
    class Loss(nn.Module):
        def forward(self, scores: Tensor, targets: Tensor) -> Tensor:
            return case.loss(scores, targets)

    def score(fitted: Any, x: Any, y: Any) -> float:
        return float(-case.loss(torch.from_numpy(fitted.predict(x)), torch.from_numpy(y)))

    x, y = case.inputs(6).numpy(), case.targets(6).numpy()
    net = skorch.NeuralNet(model, criterion=Loss, lr=0.05, max_epochs=2, batch_size=3, train_split=None, verbose=0)
    net.fit(x, y)
    with tempfile.TemporaryDirectory() as folder:
        net.save_params(f_params=f"{folder}/params.pt")
        net.load_params(f_params=f"{folder}/params.pt")
    pickled = pickle.loads(pickle.dumps(net.module_))
    search = model_selection.GridSearchCV(net, {"lr": [0.01, 0.05]}, cv=2, scoring=score).fit(x, y)
    return [net.predict_proba(x), pickled.eval()(case.inputs(2)), search.cv_results_["mean_test_score"]]
