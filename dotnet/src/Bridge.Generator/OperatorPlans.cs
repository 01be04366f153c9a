using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Bridge.Generator;

/// <summary>
/// Writes the class <c>Rows</c>. It has an <c>Op</c> for each pair of an operator overload and a list of argument names. An <c>Op</c> is
/// created when it is first used. The constant <c>Operators</c> has the names of the overloads, a line each.
/// </summary>
internal sealed class OperatorPlans
{
    private readonly Dictionary<string, string> _names = [];
    private readonly SortedSet<string> _overloads = new(StringComparer.Ordinal);
    private readonly StringBuilder _text = new();

    /// <summary>Returns the C# expression of an <c>Op</c>. Adds the <c>Op</c> to the class if it is new.</summary>
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
