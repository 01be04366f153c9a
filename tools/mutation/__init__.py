"""Runtimes that are wrong on purpose, each of which the corpus must catch.

The product has no switches for them: each is made from a changed source, and runs in a process of its own.

mutmut and Stryker.NET are not used because they run a test suite for each mutant. Here the corpus of hook programs is measured, which is
data: a mutant needs one import, or one compilation, and a tenth of a second. The operators are theirs: delete a statement, negate a
condition or its part, swap neighbors. A mutant that does not end counts as caught. Constants and texts are not changed, since the
contract does not cover messages.
"""
