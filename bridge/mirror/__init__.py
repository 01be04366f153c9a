"""Mirrors: each module of a C# model has a ``torch.nn.Module`` in Python, its mirror.

The mirror of a built-in module, such as TorchSharp's ``Linear``, is an instance of PyTorch's class of that name, if the class can do what
the module does. Any other mirror is a :class:`Mirror`. A mirror owns the parameters and buffers that the C# ``forward`` uses, and its hook
dictionaries hold the hooks of both languages.
"""

from bridge.mirror.hooks.loaded_hooks import load_hook
from bridge.mirror.link import is_mirror, link_of, linked
from bridge.mirror.module import Mirror

__all__ = ["Mirror", "is_mirror", "link_of", "linked", "load_hook"]
