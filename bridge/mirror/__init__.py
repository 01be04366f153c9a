"""Mirrors: each module of a C# model has a ``torch.nn.Module`` in Python, its mirror.

The mirror of a built-in module is an instance of PyTorch's own class; the mirror of a user's C# class is a :class:`Mirror`. The hook
dictionaries of the mirror hold the hooks of both languages; .NET reads their lengths from memory (``synchronization.dirty_tracking``).
The mirror owns the parameters: a C# ``forward`` uses those that the mirror has when the ``forward`` starts (``synchronization.update``).
"""

from bridge.mirror.hooks.loaded_hooks import load_hook
from bridge.mirror.link import is_mirror, link_of, linked
from bridge.mirror.loading import load
from bridge.mirror.module import Mirror

__all__ = ["Mirror", "is_mirror", "link_of", "linked", "load", "load_hook"]
