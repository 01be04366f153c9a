"""Statements of Python, by kind; :mod:`~bridge.port.frontend.statements.blocks` says which module lowers which."""
