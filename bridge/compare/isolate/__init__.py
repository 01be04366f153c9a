"""Isolation: run each module of a C# port on the inputs of its PyTorch counterpart, and find what it does differently, and why.

One pipeline, driven by :func:`.judge.judge_modules`:

=====================  ==================================  =========================================================
step                   modules                             in -> out
=====================  ==================================  =========================================================
1. record              ``record``, ``copies``              PyTorch model, arguments -> a RecordedCall for each call
2. replay              ``replay``, ``matching``            RecordedCall, module -> Outcome: the child modules return
                                                           the recorded results, so that only the module's own code
                                                           can differ
   compare             ``call_judge``, ``value_comparison``  RecordedCall, Outcome -> ModuleFindings
3. diverge             ``operators``, ``divergence``       two replays -> the operators of both sides, Divergences
4. counterfactual      ``causes``                          ModuleFinding, Divergences -> ModuleFinding with its cause,
                                                           if another replay without that cause has no difference
5. phrase              ``phrasing``                        ModuleFindings -> Findings: sentences, and the line to write
=====================  ==================================  =========================================================

``judge`` runs the steps for all calls, inner ones first, in several rounds if the copies exceed the memory budget; ``call_judge`` runs
steps 2 to 4 for one call. ``pairs`` holds both sides, ``module_finding`` the findings. ``state_guard`` restores buffers, random state and
modes. ``listener`` is the interface of what observes a replay (``operators``) or changes it (``causes``), and ``source_location`` finds the
user's source line that is running.
"""
