"""``compare --watch``: a new comparison after each save, in processes that are prepared in advance.

.NET cannot unload a running assembly, and Python cannot unload a module, so each comparison runs in a process of its own. Slow steps
happen before they are needed: one process (:mod:`.rounds`) starts a process for each comparison (:mod:`.worker`), on Linux by a fork
after it has imported torch. The process of the next comparison starts .NET while the user still edits. A compiler that stays in memory
compiles the sources (:mod:`bridge.clr.compile.recompiler`).
"""
