"""memos.py: what a method keeps so as not to compute it again."""

from __future__ import annotations

import ast
import textwrap

import pytest

from bridge.port.observe.memos import remove_memos


def without(body: str) -> str:
    tree = ast.parse("def f(self, x, device):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return "\n".join(map(ast.unparse, remove_memos(tree).body))


def test_what_is_kept_by_a_key_is_computed() -> None:
    kept = """
        key = str(device)
        if key not in self.kept:
            self.kept[key] = self.table(key)[0]
        return x + self.kept[key]
    """
    assert without(kept) == "key = str(device)\nreturn x + self.table(key)[0]"
    assert without(kept.replace("table(key)", "table()")) == "return x + self.table()[0]", "nothing reads the key"


def test_branches_that_are_then_the_same_are_one() -> None:
    assert (
        without("""
        if self.training:
            return self.table[0]
        else:
            key = str(device)
            if key not in self.kept:
                self.kept[key] = self.table[0]
            return self.kept[key]
    """)
        == "return self.table[0]"
    )
    assert (
        without("""
        if self.training:
            return self.table[0]
        if device not in self.kept:
            self.kept[device] = self.table[0]
        return self.kept[device]
    """)
        == "return self.table[0]"
    )


@pytest.mark.parametrize(
    "body",
    [
        "if device not in self.kept:\n    self.kept[device] = x\nreturn self.kept[device]",  # what it was first
        "if x not in self.kept:\n    self.kept[x] = 1\nself.kept[x] += 1\nreturn self.kept",  # more than that
        "if x not in self.kept:\n    self.kept[x] = 1\nelse:\n    self.kept[x] = 2\nreturn self.kept[x]",
        "if x in self.kept:\n    self.kept[x] = 1\nreturn self.kept[x]",
        "if x not in device:\n    device[x] = 1\nreturn device[x]",
    ],
)
def test_what_is_more_than_a_memo_stays(body: str) -> None:
    assert without(body) == body
