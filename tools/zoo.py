"""Ports torchvision's classification families and prints how each went: a model of each family, random weights, small pictures.

python tools/zoo.py            all families
python tools/zoo.py vgg11 …    these models

torchvision comes from PyPI into the folder that make pytorch-tools keeps.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pytorch_tools import environment

ROOT = Path(__file__).resolve().parents[1]
#: A model of each family, and the size of its pictures.
MODELS = {
    "alexnet": 96, "convnext_tiny": 64, "densenet121": 64, "efficientnet_b0": 64, "efficientnet_v2_s": 64, "googlenet": 64,
    "inception_v3": 128, "maxvit_t": 224, "mnasnet0_5": 64, "mobilenet_v2": 64, "mobilenet_v3_small": 64, "regnet_y_400mf": 64,
    "resnet18": 64, "resnext50_32x4d": 64, "shufflenet_v2_x0_5": 64, "squeezenet1_0": 96, "swin_t": 64, "swin_v2_t": 64,
    "vgg11_bn": 64, "vit_b_16": 224, "wide_resnet50_2": 64,
}  # fmt: skip
#: Imported by the command, beside torchvision: its compiled operators do not load beside a torch for the CPU alone.
_MODULE = """\
from pytorch_tools.torchvision_stub import without_torchvision_operators

without_torchvision_operators()
from torchvision.models import *
"""


def port(name: str, size: int, folder: Path) -> tuple[str, str]:
    """The verdict in a word or two, and the command's last lines."""
    (folder / "zoo_models.py").write_text(_MODULE, encoding="utf-8")
    arguments = "(init_weights=false)" if name in ("googlenet", "inception_v3") else ""
    places = (folder, ROOT, ROOT / "tools", environment.folder("torchvision"))
    done = subprocess.run(
        [sys.executable, "-m", "bridge", "port", f"zoo_models:{name}{arguments}", "--shape", f"1,3,{size},{size}", "-o", name],
        cwd=folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    if done.returncode == 2:
        return "refused", done.stderr.strip().splitlines()[-1][:160]
    same = sum(": Same:" in line and "largest difference 0." in line for line in lines)
    left = [line.removeprefix("Left to do: ") for line in lines if line.startswith("Left to do: ")]
    if left:
        return f"{len(left)} left", left[0][:160]
    code = re.search(r"(\d+) lines", lines[-1])
    return (
        "same" if done.returncode == 0 else "differs"
    ), f"at {same} of {len(lines) - 1} shapes, {code[1] if code else '?'} lines of C#"


def main(*names: str) -> int:
    """Ports them; nonzero where one differs."""
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="bridge-zoo-") as folder:
        for name in names or tuple(MODELS):
            verdict, words = port(name, MODELS.get(name, 64), Path(folder))
            wrong += verdict == "differs"
            print(f"{name:20} {verdict:10} {words}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
