"""Isolation: run each module of a C# port on the inputs of its PyTorch counterpart, to find what the module's own code does differently.

:func:`.judge.judge_modules` runs the pipeline for all calls, inner calls first; ``call_judge`` runs steps 2 to 4 for one call.

1. Record (``record``, ``copies``): the PyTorch model runs again -> a ``RecordedCall`` for each module call, with copies of its arguments,
   result, buffers and random state. If the copies exceed the memory budget, the model runs several times, and a part of the calls is
   copied each time.
2. Replay (``replay``, ``matching``): a ``RecordedCall`` and the C# module -> an ``Outcome``. The child modules return PyTorch's recorded
   results. ``call_judge`` compares the ``Outcome`` with the ``RecordedCall`` (``value_comparison``) -> ``ModuleFinding`` objects.
3. Diverge (``operators``, ``divergence``): where no setting explains a difference, both modules are replayed and their operators recorded
   -> the ``Divergence`` objects, the first operators whose results differ.
4. Counterfactual (``causes``): a ``ModuleFinding`` and the ``Divergence`` objects -> the finding with its cause. A setting, an operator, a
   write in place or a cut gradient is proven to be the cause by another replay: of C# without the cause, or of PyTorch with it. Missing
   and wrong calls of children (``missing_calls``) and writes to arguments (``memory``) are read from the recordings.
5. Phrase (``phrasing``): the ``ModuleFinding`` objects -> :class:`bridge.compare.findings.Finding` objects, which are sentences.

The other modules:

- ``pairs`` holds both models, and a PyTorch call with its C# counterpart.
- ``module_finding`` has the classes of the results.
- ``listener`` is the interface of objects that observe a replay (``operators``) or change a replay (``causes``).
- ``state_guard`` saves and restores the state of modules.
- ``source_location`` finds the running line of the user's code.
"""
