"""Attacks .NET models in Python's process with random cases, each compared with PyTorch.

    make attack SEED=1 CASES=10000
    make attack CASE=1:4711               runs one case again

``kinds`` has the kinds of attack: functions of a ``case``, which makes models and compares them with those of ``twins``.
``worker`` is a process that runs cases, and ``running`` hands cases to workers and watches for crashes, hangs and memory growth.
"""
