"""A real browser, driven over the DevTools protocol."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
]

# The browser wants its two pipes as descriptors 3 and 4.
_START = "import os,sys; r,w=map(int,sys.argv[1:3]); os.dup2(r,3); os.dup2(w,4); os.execv(sys.argv[3],sys.argv[3:])"


class Browser:
    """A headless Chromium with one page, driven over a pair of pipes (the DevTools protocol)."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for pipe in (os.pipe(), os.pipe()) for end in pipe]
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, str(ends[0]), str(ends[3]), *command],
            pass_fds=(ends[0], ends[3]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        os.close(ends[0])
        os.close(ends[3])
        self._out, self._in = os.fdopen(ends[1], "wb", 0), os.fdopen(ends[2], "rb", 0)
        self._number, self._rest, self._session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = self._in.read(1 << 20)
            assert part, "Chromium ended"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        event: dict[str, Any] = json.loads(message)
        return event

    def open(self, path: Path, width: int = 1300, dark: bool = False) -> None:
        """Open a page, and wait for the end of its script and the first frame."""
        self.events.clear()
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = "dark" if dark else "light"
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())
        self.frame()

    def run(self, expression: str) -> Any:
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def frame(self) -> None:
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")

    def search(self, text: str) -> str:
        """Type into the search box, and return the status that the page shows for it."""
        self.run(f"query.value = {json.dumps(text)}; query.dispatchEvent(new Event('input')); query.focus()")
        self.press("Enter")
        self.frame()
        return str(self.run("document.getElementById('status').textContent"))

    def press(self, key: str) -> None:
        code = {
            "Enter": 13,
            "ArrowDown": 40,
            "ArrowUp": 38,
            "ArrowLeft": 37,
            "ArrowRight": 39,
            "End": 35,
            "Tab": 9,
            "Escape": 27,
        }[key]
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if (key, kind) == ("Enter", "keyDown") else {}
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)
        self.frame()

    def complaints(self) -> list[str]:
        """Return the exceptions and the breaches of the content policy since the page was opened."""
        self.run("0")
        wrong = [event for event in self.events if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
        return [json.dumps(event["params"])[:500] for event in wrong]

    def requests(self) -> list[str]:
        sent = [event for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"][:40] for event in sent]

    def close(self) -> None:
        self._session = ""
        with contextlib.suppress(Exception):
            self.send("Browser.close")
        with contextlib.suppress(ProcessLookupError):
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(10)
        self._out.close()
        self._in.close()
