"""A .NET module as a torch.nn.Module: the tree, hooks, arguments and results, copies.

A mirror's own hook dictionaries are the only list of its hooks, whichever language registered them; .NET reads their lengths from memory
(``synchronization.dirty_tracking``). The mirror owns the parameters; C# reads those that it has when a ``forward`` starts
(``synchronization.update``).
"""

from bridge.mirror.hooks.loaded_hooks import load_hook
from bridge.mirror.link import is_mirror, link_of, linked
from bridge.mirror.loading import load
from bridge.mirror.module import Mirror

__all__ = ["Mirror", "is_mirror", "link_of", "linked", "load", "load_hook"]
