"""Strings: formatting, keys that are formatted, methods, slices."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X = torch.tensor([1.0, -2.0, 3.0])


@probe(call(X, 2), call(X, -1), call(X, 10))
class FormattedKey(nn.Module):
    def forward(self, x: Tensor, n: int) -> dict[str, Tensor]:
        return {f"layer_{n}": x, f"{n:03d}": x + 1}


@probe(call(0.5, 3), call(-2.0, 10), call(1e20, 0))
class FormattedNumbers(nn.Module):
    def forward(self, f: float, n: int) -> str:
        return f"{f:.2f} {n:5d}|{n:<4}|{n:>4}|{n:x}"


@probe(call(0.5), call(2.0), call(1e20), call(-0.0), call(1e-7), call(float("inf")))
class TextOfFloat(nn.Module):
    def forward(self, f: float) -> str:
        return str(f) + f" {f}"


@probe(call(True), call(False))
class TextOfBoolean(nn.Module):
    def forward(self, flag: bool) -> str:
        return f"{flag} {not flag}"


@probe(call([1, 2]), call([]), call([-1]))
class TextOfList(nn.Module):
    def forward(self, items: list[int]) -> str:
        return f"{items}"


@probe(call("layer.0.weight"), call("a"), call(""))
class SplitAndJoin(nn.Module):
    def forward(self, s: str) -> tuple[str, int]:
        parts = s.split(".")
        return "-".join(parts), len(parts)


@probe(call("abcdef", 2), call("abc", -2), call("a", 5), call("", 0))
class SlicesOfText(nn.Module):
    def forward(self, s: str, n: int) -> tuple[str, str, str]:
        return s[n:], s[:-1], s[::-1]


@probe(call("abc", 1), call("abc", -1), call("abc", 3))
class IndexOfText(nn.Module):
    def forward(self, s: str, n: int) -> str:
        return s[n]


@probe(call("Conv2d"), call(" x "), call(""))
class MethodsOfText(nn.Module):
    def forward(self, s: str) -> tuple[str, str, str, bool]:
        return s.lower(), s.strip().upper(), s.replace("2", "two"), s.endswith("d")


@probe(call("b", "a"), call("a", "B"), call("a", "ab"), call("", ""))
class ComparedText(nn.Module):
    def forward(self, s: str, t: str) -> tuple[bool, bool, bool]:
        return s < t, s == t, t in s


@probe(call("ab", 3), call("ab", 0), call("ab", -1))
class RepeatedText(nn.Module):
    def forward(self, s: str, n: int) -> str:
        return s * n + "." * 2


@probe(call(X, "relu"), call(X, "tanh"), call(X, "none"))
class FunctionByName(nn.Module):
    def forward(self, x: Tensor, s: str) -> Tensor:
        functions = {"relu": torch.relu, "tanh": torch.tanh}
        return functions.get(s, torch.abs)(x)


@probe(call("a", 1), call("b", -1))
class OldFormats(nn.Module):
    def forward(self, s: str, n: int) -> tuple[str, str]:
        return "%s=%d" % (s, n), "{}-{:02d}".format(s, n)


@probe(call("héllo", 1), call("😀a", 1), call("", 0))
class LengthOfText(nn.Module):
    def forward(self, s: str, n: int) -> tuple[int, str]:
        return len(s) + n, s[:1]


@probe(call("abca"), call("b"), call(""))
class CharactersOfText(nn.Module):
    def forward(self, s: str) -> tuple[int, int, list[str]]:
        return sum(c == "a" for c in s), s.find("c"), sorted(set(s))
