"""The commands of ``python -m hook_contract``. They parse, call and print."""
