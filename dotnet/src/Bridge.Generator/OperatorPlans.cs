using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Bridge.Generator;

/// <summary>
/// Writes the class <c>Rows</c>, which has an <c>Op</c> for each pair of an operator overload and a list of arguments, created when it is
/// first used, and the constant <c>Operators</c>: the names of the overloads.
/// </summary>
internal sealed class OperatorPlans
{
    private readonly Dictionary<string, string> _names = [];
    private readonly SortedSet<string> _overloads = new(StringComparer.Ordinal);
    private readonly StringBuilder _text = new();

    /// <summary>Returns the expression of an operator's <c>Op</c>.</summary>
    internal string Find(string overload, IEnumerable<string> arguments)
    {
        const string type = "global::Bridge.Torch.Native.Op";
        var created = "new(\"" + overload + "\"" + string.Concat(arguments.Select(name => ", \"" + name + "\"")) + ")";
        if (_names.TryGetValue(created, out var known)) return known;
        var number = _names.Count;
        _overloads.Add(overload);
        _text.Append("        private static ").Append(type).Append("? _r").Append(number).Append(";\n")
            .Append("        internal static ").Append(type).Append(" R").Append(number)
            .Append(" => _r").Append(number).Append(" ??= ").Append(created).Append(";\n");
        return _names[created] = "global::Bridge.Torch.Rows.R" + number;
    }

    public override string ToString() =>
        "namespace Bridge.Torch\n{\n    internal static class Rows\n    {\n" + _text
        + "        internal const string Operators = \"" + string.Join("\\n", _overloads) + "\";\n    }\n}\n";
}
