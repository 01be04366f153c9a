"""``compare --watch``: the comparison again after each save, by processes that were made ready before.

.NET cannot unload an assembly that runs, nor Python a module, so that each comparison runs in a process of its own. What takes long happens
before it is needed: one process that has torch imported stays (:mod:`.rounds`) and forks the others (:mod:`.worker`), and the next
one has .NET started while the user still writes. Sources are compiled by a compiler that stays (:mod:`bridge.clr.build.recompiler`).
"""
