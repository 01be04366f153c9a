"""Snippets of test_cli.py."""

from __future__ import annotations

import signal
import sys
import time

from bridge.cli import main


def helps() -> None:
    """Print the heavy modules that ``--help`` imports."""
    main(["--help"], standalone_mode=False)
    print([name for name in ("torch", "clr", "pythonnet", "rich", "jinja2") if name in sys.modules])


def hangs() -> None:
    """Run a command that prints 'ready' and waits for Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell hands it down ignored

    @main.command("hang")
    def hang() -> None:
        print("ready", flush=True)
        time.sleep(6000)

    main(["hang"])


if __name__ == "__main__":
    hangs()
