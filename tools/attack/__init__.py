"""Attacks .NET models in Python's process: random cases from a seed, each beside its counterpart in PyTorch.

    make attack SEED=1 CASES=10000
    python -m attack --case 1:4711        (in tools/) runs one case again

A case has a kind (``kinds``), which is a function of random numbers that the seed and the case's number give. Most run many to a process
(``worker``); those that leave, fork or kill have processes of their own (``nursery``). ``running`` hands them out, and watches for
crashes, hangs and growth; ``report`` says what came of it.
"""
