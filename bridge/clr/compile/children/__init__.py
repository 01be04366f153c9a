"""Child processes that end with this process, even if this process is killed: one module a system.

Both modules have the same names:

- :class:`Child`: a child process. ``kill_all`` ends it with its own children, and ``ask_to_end`` sends :data:`END` to it.
- :data:`END`: the signal that asks a process to end.
- :func:`exit_with_parent`: called in a child process that was started in another way.
"""

import sys

if sys.platform == "win32":
    from bridge.clr.compile.children.windows import END, Child, exit_with_parent
else:
    from bridge.clr.compile.children.posix import END, Child, exit_with_parent

__all__ = ["END", "Child", "exit_with_parent"]
