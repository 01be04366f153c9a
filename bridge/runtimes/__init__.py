"""Runtimes: each takes a model and gives back a trace. One module a runtime, behind one small interface: ``record``."""
