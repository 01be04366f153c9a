"""A command that hangs, for test_cli.py."""

from __future__ import annotations

import signal
import time

from bridge.cli import main


@main.command("hang")
def hang() -> None:
    """Print 'ready' and wait for Ctrl-C."""
    print("ready", flush=True)
    time.sleep(6000)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell starts us with SIGINT ignored
    main(["hang"])
