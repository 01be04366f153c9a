"""A program in the place of Bridge.Host that does what its first argument says; the last three are the pipes and Python's number."""

from __future__ import annotations

import json
import os
import sys
import time

if sys.platform == "win32":
    import msvcrt

what, (requests, answers, parent) = sys.argv[1], (int(text) for text in sys.argv[-3:])

if sys.platform == "win32":  # they are handles
    requests, answers = msvcrt.open_osfhandle(requests, os.O_RDONLY), msvcrt.open_osfhandle(answers, 0)


def say(line: object) -> None:
    os.write(answers, (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")


def hello(protocol: int = 4) -> None:
    say({"hello": {"protocol": protocol, "bridge": "0", "dotnet": "0", "pid": os.getpid()}})


asked = os.fdopen(requests, "rb", closefd=False)
print(f"about to {what}", file=sys.stderr, flush=True)
if what == "say nothing":
    time.sleep(1000)
if what == "end at once":
    sys.exit(3)
if what == "greet with rubbish":
    say(b"Unhandled exception. nothing is well")
    time.sleep(1000)
if what == "speak another version":
    hello(99)
    time.sleep(1000)
hello()
request = json.loads(asked.readline())
number = request["id"]
if what == "die":
    for line in range(50):
        print(f"line {line}", file=sys.stderr)
    sys.stderr.flush()
    os.abort()
if what == "hang":
    time.sleep(1000)
if what == "end with its pipe closed":
    os.close(answers)
    time.sleep(1000)
if what == "write half a line":
    os.write(answers, b'{"id": 1, "resu')
    sys.exit(0)
rubbish = {
    "answer with no JSON": b"\x80\xff\x00 Segmentation fault",
    "answer with a list": b"[1, 2]",
    "answer with another number": {"id": number + 1, "result": {}},
    "answer with a result that is none": {"id": number, "result": 5},
    "answer with an error that is none": {"id": number, "error": {"type": "X"}},
    "answer with too much": {"id": number, "result": {}, "error": None},
    "answer with braces": b"[" * 100_000,
    "answer with an empty line": b"",
}
if what in rubbish:
    say(rubbish[what])
    time.sleep(1000)
