using System.Globalization;
using System.Numerics;
using System.Text;

namespace Bridge.Trace.Tool.Reading;

/// <summary>Represents a JSON object: its names and values in the order of the text.</summary>
internal sealed class JsonObject(List<KeyValuePair<string, object?>> members)
{
    private readonly Dictionary<string, object?> _byName = new(members, StringComparer.Ordinal);

    internal IReadOnlyList<KeyValuePair<string, object?>> Members => members;

    internal bool TryGet(string name, out object? value) => _byName.TryGetValue(name, out value);
}

/// <summary>Reports a name that occurs twice in one JSON object.</summary>
internal sealed class DuplicateNameException(string name) : Exception(name);

/// <summary>
/// Parses one JSON text as Python's <c>json</c> does. Values are null, bool, string, <see cref="BigInteger"/>, double, a list or a
/// <see cref="JsonObject"/>.
/// </summary>
/// <remarks>
/// System.Text.Json has other rules: it refuses lone surrogates, keeps the last of two equal names, and does not tell 1 from 1.0. With
/// these rules, a file is refused here if and only if it is refused in Python.
/// </remarks>
internal ref struct JsonText
{
    private const int MaxDepth = 500;
    // Python refuses longer integers.
    private const int MaxDigits = 4300;
    private readonly ReadOnlySpan<char> _text;
    private int _at;
    private int _depth;

    private JsonText(ReadOnlySpan<char> text) => _text = text;

    /// <exception cref="FormatException">The text is not JSON.</exception>
    /// <exception cref="DuplicateNameException">An object has two equal names.</exception>
    internal static object? Parse(ReadOnlySpan<char> text)
    {
        var parser = new JsonText(text);
        parser.SkipBlanks();
        var value = parser.Value();
        parser.SkipBlanks();
        return parser._at == text.Length ? value : throw parser.Fault("more text after the value");
    }

    private object? Value()
    {
        switch (Peek())
        {
            case '"': return String();
            case '{': return Object();
            case '[': return Array();
            case 'n' when Take("null"): return null;
            case 't' when Take("true"): return true;
            case 'f' when Take("false"): return false;
            case '-' or (>= '0' and <= '9'): return Number();
            default: throw Fault("a value is expected");
        }
    }

    private JsonObject Object()
    {
        Enter();
        List<KeyValuePair<string, object?>> members = [];
        if (!TryTake('}'))
        {
            do
            {
                SkipBlanks();
                if (Peek() != '"') throw Fault("a name in quotation marks is expected");
                var name = String();
                SkipBlanks();
                Expect(':');
                SkipBlanks();
                members.Add(new(name, Value()));
                SkipBlanks();
            }
            while (TryTake(','));
            Expect('}');
        }

        _depth--;
        HashSet<string> seen = new(StringComparer.Ordinal);
        var second = members.Find(member => !seen.Add(member.Key)).Key;
        if (second is null) return new(members);
        throw new DuplicateNameException(members.First(member => members.Count(other => other.Key == member.Key) > 1).Key);
    }

    private List<object?> Array()
    {
        Enter();
        List<object?> items = [];
        if (!TryTake(']'))
        {
            do
            {
                SkipBlanks();
                items.Add(Value());
                SkipBlanks();
            }
            while (TryTake(','));
            Expect(']');
        }

        _depth--;
        return items;
    }

    private void Enter()
    {
        if (++_depth > MaxDepth) throw Fault("the nesting is too deep");
        _at++;
        SkipBlanks();
    }

    private object Number()
    {
        var start = _at;
        TryTake('-');
        if (!TryTake('0') && Digits() == 0) throw Fault("a digit is expected");
        var end = _at;
        if (Peek() == '.')
        {
            _at++;
            end = Digits() > 0 ? _at : end;
            _at = end;
        }

        if (Peek() is 'e' or 'E')
        {
            _at++;
            if (Peek() is '+' or '-') _at++;
            end = Digits() > 0 ? _at : end;
            _at = end;
        }

        var text = _text[start.._at];
        if (text.IndexOfAny(".eE") >= 0) return double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
        if (text.TrimStart('-').Length > MaxDigits) throw Fault("an integer has too many digits");
        return BigInteger.Parse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);
    }

    private int Digits()
    {
        var start = _at;
        while (char.IsAsciiDigit(Peek())) _at++;
        return _at - start;
    }

    private string String()
    {
        var start = ++_at;
        var length = _text[start..].IndexOfAny('"', '\\');
        if (length >= 0 && _text[start + length] == '"' && !HasControl(_text.Slice(start, length)))
        {
            _at += length + 1;
            return _text.Slice(start, length).ToString();
        }

        var text = new StringBuilder();
        while (true)
        {
            var c = Peek();
            if (_at >= _text.Length) throw Fault("a string is not terminated");
            if (c < ' ') throw Fault("a string has a control character");
            _at++;
            if (c == '"') return text.ToString();
            text.Append(c == '\\' ? Escape() : c);
        }
    }

    private char Escape()
    {
        var c = Peek();
        _at++;
        if (c != 'u')
            return "\"\\/bfnrt".AsSpan().IndexOf(c) is >= 0 and var k ? "\"\\/\b\f\n\r\t"[k] : throw Fault("an escape is invalid");
        if (_at + 4 > _text.Length) throw Fault("an escape is invalid");
        var digits = _text.Slice(_at, 4);
        foreach (var digit in digits)
            if (!char.IsAsciiHexDigit(digit)) throw Fault("an escape is invalid");

        _at += 4;
        return (char)ushort.Parse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
    }

    private static bool HasControl(ReadOnlySpan<char> text) => text.IndexOfAnyInRange('\0', '\u001f') >= 0;

    private readonly char Peek() => _at < _text.Length ? _text[_at] : '\0';

    private bool Take(string word)
    {
        if (!_text[_at..].StartsWith(word)) return false;
        _at += word.Length;
        return true;
    }

    private bool TryTake(char c)
    {
        if (Peek() != c || _at >= _text.Length) return false;
        _at++;
        return true;
    }

    private void Expect(char c)
    {
        if (!TryTake(c)) throw Fault($"'{c}' is expected");
    }

    private void SkipBlanks()
    {
        while (Peek() is ' ' or '\t' or '\n' or '\r') _at++;
    }

    private readonly FormatException Fault(string words) => new($"{words} at character {_at + 1}");
}
