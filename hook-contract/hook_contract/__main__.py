"""``python -m hook_contract``."""

from hook_contract.cli import main

main(prog_name="python -m hook_contract")
