"""Mirrors: each module of a C# model has a ``torch.nn.Module`` in Python, its mirror.

The mirror of a built-in module, such as TorchSharp's ``Linear``, is an instance of PyTorch's class of that name, if the class can do what
the module does. Any other mirror is a :class:`Mirror`. A mirror's hook dictionaries hold the hooks of both languages; .NET reads the sizes
of these dictionaries from memory (``synchronization.dirty_tracking``). A mirror owns the parameters and buffers that the C# ``forward``
uses (``synchronization.update``).
"""

from bridge.mirror.hooks.loaded_hooks import load_hook
from bridge.mirror.link import is_mirror, link_of, linked
from bridge.mirror.module import Mirror

__all__ = ["Mirror", "is_mirror", "link_of", "linked", "load_hook"]
