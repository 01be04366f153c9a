"""The entry point of ``python -m bridge``, which has the same commands as the console script ``torchsharp-bridge``."""

from bridge.cli import main

if __name__ == "__main__":
    main(prog_name="python -m bridge")
