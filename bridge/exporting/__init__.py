"""The export of models to files that run without .NET: ONNX (``.onnx``) and PyTorch's ExportedProgram (``.pt2``)."""

from bridge.exporting.errors import ExportError
from bridge.exporting.exporter import Exported, export

__all__ = ["ExportError", "Exported", "export"]
