"""Writes docs/export-models.md: which C# models `export` writes as ONNX, how far ONNX Runtime differs, and which models it refuses.

python tools/export_table.py            all models (half an hour on two cores)
python tools/export_table.py NAME ...   these, or those of Vision.dll, Mtcnn.dll, TorchVision.dll, ported; the other rows stay

The models are this project's samples, TorchVision.dll as it comes compiled from NuGet, and the C# that `port` writes of torchvision's
Python models (which needs the .NET SDK; torchvision comes from PyPI). A model that reads a dynamic size as a number is exported with
--infer-sizes. Nonzero where a model is not exported, or one of the refused is.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import onnxruntime
import torch

import bridge
import torchvision_models
import zoo
from bridge.exporting.errors import FixedSizeError
from zoo_models import torchvision
from zoo_work import stages

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "export-models.md"
SAMPLES = {
    "Vision.LeNet": ("Vision.dll", (1, 1, 28, 28)),
    "Vision.ResNet18": ("Vision.dll", (1, 3, 64, 64)),
    "Mtcnn.PNet": ("Mtcnn.dll", (1, 3, 24, 24)),
    "Mtcnn.RNet": ("Mtcnn.dll", (1, 3, 24, 24)),
    "Mtcnn.ONet": ("Mtcnn.dll", (1, 3, 48, 48)),
}
COMPILED = ("alexnet", "googlenet", "mobilenet_v2", "mobilenet_v3_large", "resnet18", "resnext50_32x4d")
#: Of torchvision's families, those that are left out: their pictures or weights are large, and their layers those of others.
LARGE = ("inception_v3", "maxvit_t", "vgg11_bn", "wide_resnet50_2")
FAMILIES = [name for name in torchvision.FAMILIES if name not in LARGE]
PORTED = "ported"
_ORDER = (
    *(f"| {name} | {file} |" for name, (file, _) in SAMPLES.items()),
    *(f"| {name} | TorchVision.dll |" for name in COMPILED),
    *(f"| {name} | {PORTED} |" for name in FAMILIES),
)
#: The ways of tests/exporting/Exports.cs that are refused, and the code.
REFUSED = {
    "item": "`y.sum().item<float>() > 0 ? y : -y`",
    "ToSingle": "`y * y.sum().ToSingle()`",
    "data": "`y.data<float>()[0] > 0 ? y : -y`",
    "allclose": "`y.allclose(x) ? y : -y`",
    "view": "`y.view(x.shape[0], -1)`",
    "loop": "`for (var i = 1; i < x.shape[0]; i++) …`",
    "branch": "`x.shape[0] > 5 ? y : -y`",
    "counter": "`calls++; return y * calls;`",
    "kept": "`kept = y.detach().clone()`, added in the next call",
    "clock": "`y * (DateTime.Now.Ticks % 1000003)`",
    "buffer": "`count.add_(1)`, a buffer",
    "randn": "`y + randn(6)`",
    "dropout": "`functional.dropout(y, 0.5, true)`",
    "select": "`y.masked_select(y > 0)`",
}


@dataclass(frozen=True)
class Model:
    """A model to export: its name, where its C# comes from, how it is made, and the shape of its input."""

    name: str
    source: str
    make: Callable[[], torch.nn.Module]
    shape: tuple[int, ...]


def _samples() -> Iterator[Model]:
    for name, (file, shape) in SAMPLES.items():
        yield Model(name, file, partial(bridge.load, bridge.sample(file), name), shape)


def _compiled() -> Iterator[Model]:
    path = torchvision_models.assembly()
    for name in COMPILED:
        size = torchvision_models.SIZES.get(name, 64)
        arguments = torchvision_models.ARGUMENTS.get(name, {"num_classes": 10})
        make = partial(bridge.load, path, f"TorchSharp.torchvision.models.{name}", **arguments)
        yield Model(name, "TorchVision.dll", make, (1, 3, size, size))


def _ported(names: list[str], folder: Path) -> Iterator[Model]:
    """Yield torchvision's models in the C# that port writes, in one assembly."""
    torchvision.importable()
    results, roots = [], {}
    for name in names:
        print(f"porting {name}", file=sys.stderr, flush=True)
        result, files, root = stages.written(name, torchvision.model)
        if not result.verdict:
            (folder / name).mkdir()
            for file, text in files.items():
                (folder / name / file).write_text(text, encoding="utf-8")
            results.append(result)
            roots[name] = root
    assembly = zoo.built(results, folder)
    assert assembly is not None
    for result in results:
        if result.verdict:
            continue
        root = roots[result.model]
        shape = tuple(torchvision.model(result.model)[1].positional[0].shape)
        make = partial(bridge.load, assembly, root.name, **root.keywords)
        yield Model(result.model, PORTED, make, shape)


def _row(model: Model, file: Path) -> tuple[str, bool]:
    """Return a row of the table, and whether the model was exported."""
    began = time.monotonic()
    torch.manual_seed(0)
    made = model.make().eval()
    inputs = torch.randn(model.shape)
    inferred = "no"
    try:
        try:
            found = bridge.export(made, inputs, file, dynamic="batch")
        except FixedSizeError:
            found = bridge.export(made, inputs, file, dynamic="batch", infer_sizes=True)
            inferred = f"in {len(found.notes)} modules" if len(found.notes) != 1 else "in 1 module"
    except bridge.BridgeError as error:
        words = re.sub(rf"{re.escape(str(file.parent))}/|\.(?=model\.onnx)|\.\w+\.part", "", str(error))
        words = words.replace("\n", " ").replace("|", "\\|")
        print(f"{model.name}: {words}", file=sys.stderr, flush=True)
        return f"| {model.name} | {model.source} | - | - | - | refused: {words} |", False
    largest, relative = found.largest, found.relative
    sizes = sorted({check.sizes["batch"] for check in found.rounds})
    shape = "x".join(map(str, model.shape[1:]))
    print(
        f"{model.name}: {largest:.1e}, {relative:.1e}, {inferred}, {time.monotonic() - began:.0f} s",
        file=sys.stderr,
        flush=True,
    )
    columns = (
        model.name,
        model.source,
        shape,
        found.opset,
        ", ".join(map(str, sizes)),
        f"{largest:.1e}",
        f"{relative:.1e}",
        inferred,
    )
    return f"| {' | '.join(map(str, columns))} |", True


def _refused(file: Path) -> Iterator[tuple[str, bool]]:
    """Yield the rows of the models that must be refused, and whether each was."""
    for way, code in REFUSED.items():
        torch.manual_seed(0)
        model = bridge.load(ROOT / "tests" / "exporting" / "Exports.cs", "Exports.Net", way).eval()
        try:
            bridge.export(model, torch.randn(3, 6), file, dynamic="batch")
        except bridge.ExportError as error:
            words = str(error).replace("\n", " ").replace("|", "\\|").replace(f"{ROOT}/", "")
            yield f"| {code} | {words} |", not file.exists()
        else:
            yield f"| {code} | **exported** |", False


def _keep(rows: Mapping[str, str], refused: Sequence[str]) -> None:
    """Write the page: its rows, in the place of those of earlier runs for the same models, and what is refused."""
    known = {}
    if PAGE.is_file():
        first, _, last = PAGE.read_text(encoding="utf-8").partition("## Refused")
        known = {_key(row): row for row in first.splitlines() if row.startswith("| ") and "---" not in row}
        refused = refused or [row for row in last.splitlines() if row.startswith("| ") and "---" not in row][1:]
    known = {**{key: row for key, row in known.items() if key != "Model, C#"}, **rows}
    order = [_key(row) for row in _ORDER]
    text = _TEXT.format(
        torch=torch.__version__.partition("+")[0],
        onnxruntime=onnxruntime.__version__,
        count=len(known),
        rows="\n".join(known[key] for key in sorted(known, key=lambda key: order.index(key))),
        refused="\n".join(refused),
    )
    PAGE.write_text(text, encoding="utf-8")


def _key(row: str) -> str:
    """Return the model's name and where its C# comes from."""
    return ", ".join(part.strip() for part in row.split("|")[1:3])


def main(*names: str) -> int:
    """Export the models, and return 1 if a model is not exported, or one that must be refused is."""
    good = True
    with tempfile.TemporaryDirectory(prefix="bridge-export-") as place:
        folder = Path(place)
        file = folder / "model.onnx"
        refused = [*_refused(file)]
        good &= all(right for _, right in refused)
        _keep({}, [row for row, _ in refused])
        families = [name for name in FAMILIES if not names or name in names or PORTED in names]
        for model in (*_samples(), *_compiled(), *(_ported(families, folder) if families else ())):
            if not names or model.name in names or model.source in names:
                row, exported = _row(model, file)
                good &= exported
                file.unlink(missing_ok=True)
                _keep({_key(row): row}, ())
    return int(not good)


_TEXT = """\
# Exported models

Which models [export](export.md) writes as ONNX with `--dynamic batch`, with torch {torch} and ONNX Runtime {onnxruntime}. This page is
written by `tools/export_table.py`. Weights and inputs are random; each file gives the model's results for other inputs at each of the
batch sizes. *ported* is the C# that [port](port.md) writes of torchvision's model. The last column says whether C# reads the batch size
as a number, so that `--infer-sizes` was used.

{count} models:

| Model | C# | Input | Opset | Batch sizes checked | Largest difference | Of the largest element | Reads sizes |
| --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

## Refused models

These lines are in the `forward` of a module `block` inside a model (`tests/exporting/Exports.cs`), where `y` is the result of a layer. No
file is written.

| C# | What export prints |
| --- | --- |
{refused}
"""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
