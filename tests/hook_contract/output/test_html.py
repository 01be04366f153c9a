"""hook_contract/output/html.py; what a page looks like in a browser: tests/compare/report/test_page_browser.py."""

from __future__ import annotations

import json

from hook_contract.output.html import to_json


def test_json_cannot_end_the_element_that_holds_it() -> None:
    nasty = ["</script><!--<script>", "&amp;'\"\\", "\u2028\u2029", "日本", "a\\u003c"]
    text = to_json(nasty)
    assert json.loads(text) == nasty
    assert text.isascii()
    assert not set("<>&'") & set(text)
