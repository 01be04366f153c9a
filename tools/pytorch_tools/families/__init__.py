"""The checks, a file for each sort of tools. They import a tool only when they run, so that they can be listed without it."""
