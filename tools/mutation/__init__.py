"""Runtimes that are wrong on purpose: the corpus must catch each of them, or it proves less than it says.

None is a switch in code that others run: the hand-made ones and the mechanical mutants are made from a source when they are
wanted, and run in a process of their own.

Why no mutation tester from elsewhere: mutmut runs a project's pytest suite for each mutant of it, Stryker.NET its ``dotnet test``. What is
measured here is the corpus of hook programs, which is data, on a model and a dispatcher that judge themselves against it in a tenth of a
second: a mutant needs one import, or one compilation, and no test runner. From both come the operators (statements deleted, conditions
and their parts negated, neighbours swapped) and from Stryker that a mutant without an end is caught; left out are changed constants and
texts, since the contract does not cover what a message says. Stryker's switch, all mutants in one assembly, would save the compilations
(a second each) and cost a rewriter of C#: not worth it for some two hundred mutants.
"""
