using System;
using System.Collections.Generic;
using System.Linq;

namespace Bridge.Generator;

/// <summary>The table <c>Members.tsv</c>: the generated members of TorchSharp's list, and the operator or member that each calls.</summary>
/// <remarks>
/// <para>A row has these cells, of which the last may be absent:</para>
/// <list type="number">
/// <item>A name, which stands for all its overloads in the list that have no row of their own; or one overload: <c>std(bool)</c>.</item>
/// <item>
/// One or more places: <c>T</c>, Tensor's member; <c>t</c>, the function of <c>torch</c> that calls Tensor's member on its first argument;
/// <c>s</c>, a function of <c>torch</c> that calls the operator itself. <c>T_</c>, <c>t_</c> and <c>s_</c> are the variants that change
/// the tensor in place.
/// </item>
/// <item>
/// The operator's overload; if the cell is empty, the overload without a name of the operator that has the member's name. Or several
/// overloads, <c>eq.Tensor eq.Scalar</c>, of which the type of the first argument selects one. Or another member with the same
/// parameters: <c>atan2()</c>.
/// </item>
/// <item>
/// The parameters that are not simply passed under their names: <c>dim=dims</c> is passed as <c>dim</c>, <c>dims[]</c> as a list,
/// <c>beta#</c> as a Scalar; <c>dims?</c> may be null; <c>-type</c> is not passed.
/// </item>
/// <item>One sentence (<see cref="MemberDocs"/>).</item>
/// <item>PyTorch's counterpart, if it has another name; <c>-</c> if it has no page.</item>
/// </list>
/// </remarks>
internal sealed class MemberTable(List<OperatorMethod> methods, List<string> errors)
{
    private const string TensorClass = "TorchSharp\nstatic partial class torch\npartial class Tensor";
    private const string TorchClass = "TorchSharp\nstatic partial class torch";

    internal List<OperatorMethod> Methods => methods;

    internal List<string> Errors => errors;

    /// <summary>Reads the table of members, the table of parameters and TorchSharp's list.</summary>
    internal static MemberTable Read(string[] texts)
    {
        var table = new MemberTable([], []);
        var rows = Lines(texts[0]).Select(cells => new Row(cells)).ToList();
        var docs = new MemberDocs(rows, Lines(texts[1]), table.Errors);
        var (tensor, torch) = (Listed.Methods(texts[2], "TorchSharp.torch/Tensor"), Listed.Methods(texts[2], "TorchSharp.torch"));
        foreach (var row in rows)
        {
            foreach (var place in row.Places)
            {
                var isMember = place[0] == 'T';
                var name = row.Name + place.Substring(1);
                var others = rows.Where(other => other.Name == row.Name && other.Places.Contains(place)).Select(other => other.Types);
                var found = (isMember ? tensor : torch)[name].Where(method => method.IsStatic != isMember)
                    .Where(method => row.Types is { } types ? types == Types(method, place) : !others.Contains(Types(method, place)))
                    .ToList();
                if (found.Count == 0) table.Errors.Add($"{row}: the list has no such member for '{place}'");
                foreach (var method in found) table.Add(row, place, method, docs);
            }

            foreach (var unused in row.Unused()) table.Errors.Add($"{row}: no member has the parameter of '{unused}'");
        }

        return table;
    }

    private static IEnumerable<string[]> Lines(string text) => text.Split('\n').Select(line => line.TrimEnd('\r'))
        .Where(line => line.Length > 0 && line[0] != '#').Select(line => line.Split('\t'));

    private static string Types(ListedMethod method, string place) =>
        string.Join(",", method.Parameters.Skip(place[0] == 't' ? 1 : 0).Select(parameter => parameter.Type.Short));

    private void Add(Row row, string place, ListedMethod listed, MemberDocs docs)
    {
        if (listed.IsObsolete) errors.Add($"{row}: '{listed.Name}' is obsolete: write it in C#, with [Obsolete] and a reason");
        var isMember = place[0] == 'T';
        var result = listed.Returns.CSharp(false);
        var run = listed.Returns.Short switch
        {
            "void" => "",
            "bool" => "Bool",
            "long" => "Long",
            "Tensor[]" => "List",
            var tuple when tuple[0] == '(' => $"{tuple.Split(',').Length}",
            _ => "1",
        };
        var isForward = place[0] == 't' || row.Calls is not null;
        var method = new OperatorMethod(
            isMember ? TensorClass : TorchClass, listed.Name, isMember ? "public" : "public static", result, run);
        foreach (var parameter in listed.Parameters)
        {
            row.Find(parameter.Name, out var argument);
            var isNumber = argument?.IsNumber == true && !isForward;
            var declaration = parameter.Declaration(argument?.IsNullable == true);
            method.Parameters.Add(new(parameter.Name, parameter.Type.Short.TrimEnd('?'), declaration, isNumber));
        }

        var suffix = place.Substring(1);
        if (isForward)
        {
            var rest = listed.Parameters.Skip(place[0] == 't' ? 1 : 0).Select(parameter => "@" + parameter.Name);
            var member = row.Calls is { } other && (isMember || !row.Places.Contains("T" + suffix)) ? other + suffix : listed.Name;
            var on = place[0] == 't' ? "@" + listed.Parameters[0].Name + "." : "";
            method.Expression = $"{on}@{member}({string.Join(", ", rest)})";
        }
        else
        {
            if (Overload(row, Types(listed, place), suffix) is { } aten) method.Aten = "aten::" + aten;
            else errors.Add($"{row}: none of the operators is for ({Types(listed, place)})");
            if (isMember) method.Arguments.Add((row.Find("self", out var self) ? self.Name : "self", "this"));
            for (var at = 0; at < listed.Parameters.Count; at++)
            {
                var parameter = listed.Parameters[at];
                row.Find(parameter.Name, out var argument);
                if (argument?.IsLeftOut == true || (argument is null && parameter.Name is "requires_grad" or "out" or "names")) continue;
                var value = argument?.IsList == true ? AsList(parameter) : method.Parameters[at].Value;
                method.Arguments.Add((argument?.Name ?? parameter.Name, value));
            }
        }

        method.Head = docs.Comment(row, place, listed);
        if (!isForward)
        {
            var mapping = string.Join(", ", method.Arguments.Select(argument =>
                argument.Name == argument.Value.TrimStart('@') ? argument.Name : argument.Name + "=" + argument.Value.Replace("\"", "")));
            method.Head += $"    [global::Bridge.Torch.Aten(\"{method.Aten}\", \"{mapping}\")]\n";
        }

        methods.Add(method);
    }

    /// <summary>Returns the operator's overload; of several, one whose name begins with the first parameter's type, or null.</summary>
    private static string? Overload(Row row, string types, string suffix)
    {
        var first = types.Split(',')[0].TrimEnd('?');
        var found = row.Operators.Length == 1 ? row.Operators[0]
            : row.Operators.FirstOrDefault(name => (name + ".").Split('.')[1].StartsWith(first, StringComparison.Ordinal));
        return found?.Insert((found + ".").IndexOf('.'), suffix);
    }

    private static string AsList(ListedParameter parameter)
    {
        var name = "@" + parameter.Name;
        return parameter.Type.Short switch
        {
            "long" or "int" => $"(global::System.ReadOnlySpan<long>)[{name}]",
            var tuple when tuple[0] == '(' =>
                $"(global::System.ReadOnlySpan<long>)[{string.Join(", ", tuple.Split(',').Select((_, at) => $"{name}.Item{at + 1}"))}]",
            var other when other.StartsWith("I", StringComparison.Ordinal) => $"global::System.Linq.Enumerable.ToArray({name})",
            _ => name,
        };
    }

    /// <summary>An item of a row's fourth cell.</summary>
    internal sealed class Argument
    {
        internal Argument(string cell)
        {
            IsLeftOut = cell[0] == '-';
            var parts = cell.TrimStart('-').TrimEnd('#', '?', ']', '[').Split('=');
            (Name, Parameter) = (parts[0], parts[parts.Length - 1]);
            (IsNumber, IsList, IsNullable) = (cell.Contains("#"), cell.Contains("[]"), cell.Contains("?"));
        }

        internal string Name { get; }

        internal string Parameter { get; }

        internal bool IsLeftOut { get; }

        internal bool IsNumber { get; }

        internal bool IsList { get; }

        internal bool IsNullable { get; }
    }

    /// <summary>A row.</summary>
    internal sealed class Row
    {
        private readonly HashSet<string> _used = ["self"];

        internal Row(string[] cells)
        {
            string Cell(int at) => at < cells.Length ? cells[at].Trim() : "";
            var open = Cell(0).IndexOf('(');
            Name = open < 0 ? Cell(0) : Cell(0).Substring(0, open);
            Types = open < 0 ? null : Cell(0).Substring(open + 1, Cell(0).Length - open - 2);
            Places = Cell(1).Split(' ');
            Operators = Cell(2).Length > 0 ? Cell(2).Split(' ') : [Name];
            Arguments = [.. Cell(3).Split([' '], StringSplitOptions.RemoveEmptyEntries).Select(cell => new Argument(cell))];
            (Sentence, Counterpart) = (Cell(4), Cell(5));
        }

        internal string Name { get; }

        internal string? Types { get; }

        internal string[] Places { get; }

        internal string[] Operators { get; }

        /// <summary>Gets the member that the row's members call; null if they call an operator.</summary>
        internal string? Calls => Operators[0].EndsWith("()", StringComparison.Ordinal) ? Operators[0].TrimEnd('(', ')') : null;

        internal List<Argument> Arguments { get; }

        internal string Sentence { get; }

        internal string Counterpart { get; }

        internal bool Find(string parameter, out Argument argument)
        {
            argument = Arguments.FirstOrDefault(argument => argument.Parameter == parameter)!;
            if (argument is not null) _used.Add(parameter);
            return argument is not null;
        }

        internal IEnumerable<string> Unused() =>
            Arguments.Select(argument => argument.Parameter).Where(parameter => !_used.Contains(parameter));

        public override string ToString() => "Members.tsv, " + Name + (Types is null ? "" : "(" + Types + ")");
    }
}
