"""A .NET module as a torch.nn.Module: the tree, listening, arguments and results, copying.

One list: a mirrored module's own hook dictionaries *are* the list of its hooks, whichever language registered them; .NET reads
their lengths (``watching``). Whose parameters: the mirror's; .NET reads what the mirror has when a forward starts (``links``).
"""

from bridge.mirror.hooks.loaded_hooks import load_hook
from bridge.mirror.link import is_mirror, link_of, linked
from bridge.mirror.loading import load
from bridge.mirror.module import Mirror

__all__ = ["Mirror", "is_mirror", "link_of", "linked", "load", "load_hook"]
