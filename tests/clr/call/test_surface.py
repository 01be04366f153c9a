"""What the check of a compiled assembly knows of .NET's instructions."""

from __future__ import annotations

import pytest

from bridge.clr import start

pytestmark = pytest.mark.dotnet

#: What follows an instruction, by .NET's name for it; 4 bytes otherwise.
_KINDS = {
    "InlineNone": "0",
    "ShortInlineBrTarget": "1",
    "ShortInlineI": "1",
    "ShortInlineVar": "1",
    "InlineVar": "2",
    "InlineI8": "8",
    "InlineR": "8",
    "InlineSwitch": "s",
    **dict.fromkeys(("InlineMethod", "InlineField", "InlineType", "InlineTok"), "t"),
}


def test_the_table_of_instructions_is_that_of_dotnet() -> None:
    start()
    import clr
    from System import AppDomain
    from System.Reflection import BindingFlags
    from System.Reflection.Emit import OpCodes

    loaded = {item.GetName().Name: item for item in AppDomain.CurrentDomain.GetAssemblies()}
    tokens = loaded["Bridge.Interop"].GetType("Bridge.Interop.Surface.InstructionTokens")
    flags = BindingFlags.NonPublic | BindingFlags.Static
    short, long = (tokens.GetField(name, flags).GetRawConstantValue() for name in ("Short", "Long"))
    expected = {0: ["-"] * 256, 0xFE: ["-"] * 32}
    for field in clr.GetClrType(OpCodes).GetFields():
        code = field.GetValue(None)
        number = code.Value & 0xFFFF
        expected[number >> 8][number & 0xFF] = _KINDS.get(str(code.OperandType), "4")
    assert short == "".join(expected[0])
    assert long == "".join(expected[0xFE])
