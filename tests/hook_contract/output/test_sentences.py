"""hook_contract/output/sentences.py: articles, suggestions, and lines that break between words."""

from __future__ import annotations

import pytest

from hook_contract.output.sentences import join_some, suggest, with_article, wrap_lines


@pytest.mark.parametrize(
    "words",
    [
        "an int",
        "an Object",
        "a Tensor",
        "a uint8",
        "a UNet",
        "a list",
        "a Union",
        "a UserDict",
        "an unsigned",
        "an Unfold",
        "an UninitializedBuffer",
    ],
)
def test_the_article_is_the_nouns(words: str) -> None:
    assert with_article(words.partition(" ")[2]) == words


def test_near_names() -> None:
    assert suggest("rsenet", ["resnet", "lenet", "vgg"]) == " Did you mean resnet or lenet?"
    assert suggest("Zebra", ["resnet"]) == ""
    assert suggest("modl", ["model", "other"], "vision.") == " Did you mean vision.model?"


def test_items_beyond_the_limit_are_counted() -> None:
    assert join_some(["a", "b"], 2) == "a, b"
    assert join_some(["a", "b", "c"], 1, "; ") == "a and 2 more"


@pytest.mark.parametrize("width", [20, 33, 60, 80])
def test_words_are_never_broken_and_lines_keep_their_indentation(width: int) -> None:
    text = "a first line that is as long as a sentence is\n  - an item of a list, somewhat longer than a line\n  - b"
    shown = wrap_lines(text, width, hang=2)
    assert shown.split() == text.split()
    assert all(len(line) <= width for line in shown.splitlines())
    assert [line for line in shown.splitlines() if line.startswith("  - ")][1] == "  - b"
    assert "\n    " in shown or width > 52


def test_a_word_that_fits_no_line_is_left_whole() -> None:
    path = "/" + "folder/" * 10
    assert wrap_lines(f"see {path} there", 20, hang=4).splitlines() == ["see", path, "    there"]
    assert wrap_lines(path, 20) == path
    assert wrap_lines(f"  {path[:19]}", 20) == f" {path[:19]}"


def test_a_text_that_begins_further_right_stays_there() -> None:
    assert wrap_lines("one two\n- three", 12, start=5) == "one two\n     - three"
    assert wrap_lines("one twofold", 12, start=5) == "one\n     twofold"


def test_wide_characters_count_as_two() -> None:
    assert wrap_lines("模型 模型", 8) == "模型\n模型"
