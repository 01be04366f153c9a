using System;
using System.Collections.Generic;
using System.Linq;

namespace Bridge.Generator;

/// <summary>A row of a table of members. <see cref="MemberTable"/> explains the cells.</summary>
internal sealed class MemberRow
{
    private readonly string _file;
    private readonly HashSet<string> _used = ["self"];

    internal MemberRow(string file, MemberSection section, string[] cells)
    {
        string Cell(int at) => at < cells.Length ? cells[at].Trim() : "";
        (_file, Section) = (file, section);
        var open = Cell(0).IndexOf('(');
        Name = open < 0 ? Cell(0) : Cell(0).Substring(0, open);
        Types = open < 0 ? null : Cell(0).Substring(open + 1, Cell(0).Length - open - 2);
        Places = Cell(1).Split(' ');
        var called = Cell(2).Length > 0 ? Cell(2) : section.OperatorPrefix + Name;
        if (called.EndsWith("()", StringComparison.Ordinal)) Calls = called.TrimEnd('(', ')');
        ChoosesInPlace = called.EndsWith("~", StringComparison.Ordinal);
        Operators = called.TrimEnd('~').Split(' ');
        Arguments = [.. Cell(3).Split([' '], StringSplitOptions.RemoveEmptyEntries).Select(cell => new MemberArgument(cell))];
        (Sentence, Counterpart) = (Cell(4), Cell(5));
    }

    internal MemberSection Section { get; }

    internal string Name { get; }

    internal string? Types { get; }

    internal string[] Places { get; }

    internal string[] Operators { get; }

    /// <summary>
    /// Gets the member that the row's members call instead of an operator, or, for a constructor, <c>new</c> with or without a class. Null
    /// if the members call an operator.
    /// </summary>
    internal string? Calls { get; }

    /// <summary>Gets whether the members call a constructor.</summary>
    internal bool Constructs => Calls?.StartsWith("new", StringComparison.Ordinal) == true;

    /// <summary>Gets whether the parameter <c>inplace</c> chooses between the operator and its in-place variant.</summary>
    internal bool ChoosesInPlace { get; }

    internal List<MemberArgument> Arguments { get; }

    internal string Sentence { get; }

    internal string Counterpart { get; }

    /// <summary>Returns the argument that the row, or else its section, makes from a parameter; null if neither mentions it.</summary>
    internal MemberArgument? Find(string parameter)
    {
        var own = Arguments.FirstOrDefault(argument => argument.Parameter == parameter);
        if (own is not null) _used.Add(parameter);
        return own ?? Section.Arguments.FirstOrDefault(argument => argument.Parameter == parameter);
    }

    /// <summary>Returns the expression that an operator or a member gets for a parameter; null if it gets none.</summary>
    internal string? Passed(ListedParameter parameter, ListedMethod method, bool isMember)
    {
        bool Has(string name) => method.Parameters.Any(other => other.Name == name);
        var joins = Arguments.Concat(Section.Arguments).Where(join => join.Joined.Length > 0 && Has(join.Parameter));
        if (joins.Any(join => join.Joined.Contains(parameter.Name))) return null;
        var argument = Find(parameter.Name);
        if (argument is null) return "@" + parameter.Name;
        if (argument.IsLeftOut) return null;
        var numbers = string.Join(", ", argument.Joined.Where(Has).Prepend(parameter.Name).Select(name => "@" + name));
        var value = argument.Convert(numbers, parameter.Type.Short, isMember);
        if (argument.Otherwise is not { } other) return value;
        var isName = char.IsLetter(other[0]);
        return $"{value} ?? {(isName ? Find(other)?.Convert("@" + other, parameter.Type.Short, isMember) ?? "@" + other : other)}";
    }

    /// <summary>Returns the name of the list in which a number is passed, or null.</summary>
    internal string? ListOf(string parameter) => Arguments.Concat(Section.Arguments).FirstOrDefault(argument =>
        argument.Joined.Length > 0 && (argument.Parameter == parameter || argument.Joined.Contains(parameter)))?.Name;

    internal IEnumerable<string> Unused() =>
        Arguments.Select(argument => argument.Parameter).Where(parameter => !_used.Contains(parameter));

    public override string ToString() => _file + ", " + Name + (Types is null ? "" : "(" + Types + ")");
}

/// <summary>An argument of an operator, and the way in which it is made from a parameter of a member.</summary>
internal sealed class MemberArgument
{
    private readonly bool _isList;
    private readonly bool _isNullIfNegative;
    private readonly string _length = "";
    private readonly string? _through;

    internal MemberArgument(string cell)
    {
        IsLeftOut = cell[0] == '-';
        var (value, bar) = (cell.TrimStart('-'), cell.IndexOf('|'));
        if (bar >= 0) (value, Otherwise) = (value.Substring(0, bar), value.Substring(bar + 1));
        var colon = value.IndexOf(':');
        if (colon >= 0) (value, _through) = (value.Substring(0, colon), value.Substring(colon + 1));
        var open = value.IndexOf('[');
        if (open >= 0) (_isList, _length) = (true, value.Substring(open + 1, value.IndexOf(']') - open - 1));
        (IsNumber, IsNullable, _isNullIfNegative) = (value.Contains("#"), value.Contains("?"), value.Contains("!"));
        var parts = (open >= 0 ? value.Substring(0, open) : value).TrimEnd('#', '?', '!').Split('=');
        var names = parts[parts.Length - 1].Split(',');
        (Name, Parameter, Joined) = (parts[0], names[0], [.. names.Skip(1)]);
    }

    internal string Name { get; }

    internal string Parameter { get; }

    internal bool IsLeftOut { get; }

    internal bool IsNumber { get; }

    internal bool IsNullable { get; }

    /// <summary>Gets the number, list or parameter that is passed if the value is null.</summary>
    internal string? Otherwise { get; }

    /// <summary>Gets the names of further numeric parameters, which are passed in one list with this parameter.</summary>
    internal string[] Joined { get; }

    internal string Convert(string value, string type, bool isMember)
    {
        if (_through is not null) return $"{_through}({value})";
        if (_isNullIfNegative) return $"({value} < 0 ? null : ({type}?){value})";
        if (!_isList) return value;
        if (_length.Length > 0)
        {
            return type.TrimEnd('?') is "long" or "int" or "double" ? $"global::Bridge.Torch.Sizes.Of({_length}, {value})"
                : type[0] == '(' ? $"global::Bridge.Torch.Sizes.Of({value})" : value;
        }

        // The overloads of OpCall.Set need a type; a member's parameter has one.
        var list = isMember ? "" : "(global::System.ReadOnlySpan<long>)";
        return type switch
        {
            "long" or "int" => $"{list}[{value}]",
            var tuple when tuple[0] == '(' =>
                $"{list}[{string.Join(", ", tuple.Split(',').Select((_, at) => $"{value}.Item{at + 1}"))}]",
            "ReadOnlySpan<long>" when isMember => $"[.. {value}]",
            var other when other.StartsWith("I", StringComparison.Ordinal) => $"global::System.Linq.Enumerable.ToArray({value})",
            _ => value,
        };
    }
}
