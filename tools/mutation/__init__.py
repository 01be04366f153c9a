"""Runtimes that are wrong on purpose: the corpus must catch each of them, or it proves less than it says.

None is a switch in code that others run: the hand-made ones and the mechanical mutants are made from a source's text when they are
wanted, and run in a process of their own.
"""
