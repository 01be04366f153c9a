"""Asking Bridge.Host: what comes back, and each way in which it does not."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.clr.errors import DotNetError
from bridge.clr.find import assemblies
from bridge.torchsharp.process import (
    HostDied,
    HostError,
    HostProtocolError,
    HostStartError,
    HostTimeout,
    TorchSharpProcess,
)
from tests.support.processes import descriptors, is_running, kill, stop

pytestmark = [pytest.mark.dotnet, pytest.mark.usefixtures("on_each_system")]
#: How a process ends that is killed, or that ends itself by ``os.abort``.
KILLED, ABORTED = (-signal.SIGKILL, -signal.SIGABRT) if os.name == "posix" else (9, 0xC0000409)


@pytest.fixture
def host(make_host: Callable[..., TorchSharpProcess]) -> TorchSharpProcess:
    return make_host()


def _ask_on(host: TorchSharpProcess) -> None:
    """Send requests until a signal arrives; those before it are answered."""
    for _ in range(1000):
        host.ask("ping")


def test_a_host_answers_and_ends(host: TorchSharpProcess) -> None:
    assert host.pid is None
    assert host.ask("ping") == {}
    assert host.hello["protocol"] == 4
    pid = host.pid
    assert pid == host.hello["pid"]
    host.close()
    assert not is_running(pid)
    assert host.pid is None


def test_what_csharp_throws_is_raised_and_the_process_stays(host: TorchSharpProcess) -> None:
    with pytest.raises(DotNetError, match="has no method 'nothing'") as caught:
        host.ask("nothing")
    assert caught.value.dotnet_type == "System.MissingMethodException"
    with pytest.raises(DotNetError, match="There is no model 7"):
        host.ask("call", model=7, path="", arguments=[[], {}])
    assert host.ask("ping") == {}
    assert host.generation == 1


@pytest.mark.parametrize("ending", ["killed", "terminated"])
def test_a_host_that_is_killed_is_an_error_once(
    make_host: Callable[..., TorchSharpProcess], tmp_path: Path, ending: str
) -> None:
    """Leave nothing where .NET keeps its pipes for debuggers."""
    host = make_host(environ={"TMPDIR": str(tmp_path)})
    host.ask("ping")
    assert host.pid is not None
    if ending == "killed":
        kill(host.pid)
    else:
        os.kill(host.pid, signal.SIGTERM)
    with pytest.raises(HostDied) as caught:
        _ask_on(host)
    assert caught.value.returncode is not None
    assert ending != "killed" or caught.value.returncode == KILLED
    assert list(tmp_path.iterdir()) == []
    assert host.ask("ping") == {}
    assert host.generation == 2


def test_a_host_that_hangs_is_killed_at_the_deadline(host: TorchSharpProcess) -> None:
    host.ask("ping")
    pid = host.pid
    assert pid is not None
    stop(pid)
    begun = time.monotonic()
    with pytest.raises(HostTimeout, match="did not answer in time, and was killed") as caught:
        host.ask("ping", timeout=0.2)
    assert isinstance(caught.value, TimeoutError)
    assert time.monotonic() - begun >= 0.2
    assert not is_running(pid)
    assert host.ask("ping") == {}


def test_a_request_that_nobody_reads_ends_at_the_deadline(host: TorchSharpProcess) -> None:
    host.ask("ping")
    assert host.pid is not None
    stop(host.pid)
    with pytest.raises(HostTimeout, match="did not read"):
        host.ask("ping", timeout=0.2, filler="x" * 10_000_000)
    assert host.ask("ping", filler="x" * 10_000_000) == {}


def test_the_last_lines_of_a_host_that_dies_are_told(misbehaving: Callable[..., TorchSharpProcess]) -> None:
    heard: list[str] = []
    host = misbehaving("die", on_output=heard.append)
    with pytest.raises(HostDied, match=r"Its last lines:(\n  \| line \d\d){20}$") as caught:
        host.ask("ping")
    assert caught.value.returncode == ABORTED
    assert caught.value.stderr == tuple(f"line {number}" for number in range(30, 50))
    assert heard == ["about to die", *(f"line {number}" for number in range(50))]
    assert host.pid is None


@pytest.mark.parametrize(
    "what",
    [
        "answer with no JSON",
        "answer with a list",
        "answer with another number",
        "answer with a result that is none",
        "answer with an error that is none",
        "answer with too much",
        "answer with braces",
        "answer with an empty line",
    ],
)
def test_what_is_no_answer_is_rubbish_and_the_host_is_killed(
    misbehaving: Callable[..., TorchSharpProcess], what: str
) -> None:
    host = misbehaving(what)
    host.start()
    pid = host.pid or 0
    with pytest.raises(HostProtocolError, match="wrote an invalid answer") as caught:
        host.ask("ping")
    assert caught.value.stderr == (f"about to {what}",)
    assert not is_running(pid)


@pytest.mark.parametrize("what", ["end with its pipe closed", "write half a line"])
def test_a_pipe_that_ends_is_a_host_that_died(misbehaving: Callable[..., TorchSharpProcess], what: str) -> None:
    host = misbehaving(what)
    host.start()
    pid = host.pid or 0
    with pytest.raises(HostDied):
        host.ask("ping")
    assert not is_running(pid)


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("say nothing", "did not answer in time"),
        ("end at once", "ended with exit code 3"),
        ("greet with rubbish", "invalid answer"),
        ("speak another version", "has protocol version 99"),
    ],
)
def test_a_host_that_does_not_start_says_why(
    misbehaving: Callable[..., TorchSharpProcess], what: str, why: str
) -> None:
    host = misbehaving(what, timeout=20.0 if what != "say nothing" else 0.5)
    with pytest.raises(HostError, match=why) as caught:
        host.ask("ping")
    assert isinstance(caught.value, (HostStartError, HostProtocolError))
    assert host.pid is None


def test_a_program_that_is_not_there_is_a_host_that_cannot_start(make_host: Callable[..., TorchSharpProcess]) -> None:
    with pytest.raises(HostStartError, match=r"/no/such/program cannot be started: \[(Errno|WinError) 2\]"):
        make_host(command=["/no/such/program"]).ask("ping")


def test_prepare_runs_first_in_each_new_process(make_host: Callable[..., TorchSharpProcess]) -> None:
    prepared: list[int] = []

    def prepare(host: TorchSharpProcess) -> None:
        host.ask("ping")
        prepared.append(host.generation)

    host = make_host(prepare=prepare)
    host.ask("ping")
    host.ask("ping")
    host.kill()
    host.ask("ping")
    assert prepared == [1, 2]


def test_what_prepare_raises_ends_the_process(make_host: Callable[..., TorchSharpProcess]) -> None:
    def prepare(host: TorchSharpProcess) -> None:
        host.ask("nothing")

    host = make_host(prepare=prepare)
    with pytest.raises(DotNetError, match="no method"):
        host.ask("ping")
    assert host.pid is None


def test_threads_take_turns(host: TorchSharpProcess) -> None:
    answers: list[dict[str, object]] = []

    def ask() -> None:
        answers.extend(host.ask("ping") for _ in range(50))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [{}] * 400
    assert host.generation == 1


def test_an_interrupted_request_ends_the_process(host: TorchSharpProcess) -> None:
    """Its answer would be taken for that of the next one."""
    host.ask("ping")
    assert host.pid is not None
    stop(host.pid)
    if os.name == "posix":
        timer = threading.Timer(0.2, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT])
    else:
        timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            host.ask("ping")
    finally:
        signal.signal(signal.SIGINT, before)
    assert host.ask("ping") == {}
    assert host.generation == 2


def test_nothing_is_left_of_many_processes(host: TorchSharpProcess) -> None:
    host.ask("ping")
    host.close()
    before = descriptors(), threading.active_count()
    pids = []
    for ending in range(9):
        host.ask("ping")
        assert host.pid is not None
        pids.append(host.pid)
        if ending % 3 == 0:
            host.close()
        elif ending % 3 == 1:
            host.kill()
        else:
            kill(host.pid)
            with pytest.raises(HostDied):
                _ask_on(host)
    assert (descriptors(), threading.active_count()) == before
    assert [pid for pid in pids if is_running(pid)] == []


_KILLED = """
import os, sys, time
from bridge.torchsharp.process import TorchSharpProcess
from tests.support.processes import kill, stop
host = TorchSharpProcess()
host.ask("ping")
print(host.pid, flush=True)
if sys.argv[1] == "stopped":
    stop(host.pid)
if sys.argv[1] == "forked" and os.fork() == 0:
    os.close(1)
    os.close(2)
    time.sleep(30)
    os._exit(0)
sys.argv[1] == "exit" or kill(os.getpid())
"""


FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks, which Windows does not have")


@pytest.mark.parametrize("how", ["exit", "killed", "stopped", pytest.param("forked", marks=FORKS)])
def test_a_host_ends_with_python_however_python_ends(
    in_process: Callable[..., Any], on_each_system: str, how: str
) -> None:
    """Also one that is stopped itself, and where a forked child of Python still has the pipes."""
    done = in_process(on_each_system + _KILLED.replace("sys.argv[1]", repr(how)))
    pid = int(done.stdout)
    for _ in range(600):
        if not is_running(pid):
            break
        time.sleep(0.1)
    assert not is_running(pid)


@FORKS
def test_a_forked_child_has_a_process_of_its_own(in_process: Callable[..., Any], on_each_system: str) -> None:
    done = in_process(
        on_each_system + "import os\n"
        "from bridge.torchsharp.process import TorchSharpProcess\n"
        "host = TorchSharpProcess()\n"
        "host.ask('ping')\n"
        "mine = host.pid\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    host.ask('ping')\n"
        "    ok = host.pid != mine\n"
        "    host.close()\n"
        "    os._exit(0 if ok else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), host.ask('ping'), host.pid == mine)\n"
    )
    assert done.stdout == "0 {} True\n", done


def test_files_are_told_apart(host: TorchSharpProcess, torchsharp: Path, tmp_path: Path) -> None:
    """Three assemblies are named TorchSharp; the one of signatures is in test_library_search."""
    ours, _ = assemblies.folder()
    (tmp_path / "TorchSharp.dll").write_text("no assembly")
    paths = [
        ours / "TorchSharp.dll",
        torchsharp,
        ours / "Bridge.Torch.dll",
        tmp_path / "TorchSharp.dll",
        tmp_path / "none.dll",
    ]
    files = host.ask("describe", files=[str(path) for path in paths])["files"]
    assert [file["kind"] for file in files] == ["Facade", "TorchSharp", "None", "None", "None"]
    assert [file["runs"] for file in files] == [False, True, False, False, False]
    assert files[1]["version"] == "0.107.0"
