using System;
using System.Collections.Generic;
using System.Linq;

namespace Bridge.Generator;

/// <summary>The tables of generated members of TorchSharp's API, with the operator or member that each calls.</summary>
/// <remarks>
/// <para>
/// The rows below a line <c>[class]</c> are members of that class (<see cref="MemberSection"/>). "The list" is the list of TorchSharp's
/// public members. A row has these cells; empty ones at the end may be absent:
/// </para>
/// <list type="number">
/// <item>A name, which stands for all its overloads in the list that have no row of their own; or one overload: <c>std(bool)</c>.</item>
/// <item>
/// One or more places: <c>T</c>, a member of Tensor; <c>t</c>, a static function that calls Tensor's member on its first argument;
/// <c>s</c>, a static function that calls the operator itself. <c>T_</c>, <c>t_</c> and <c>s_</c> are the variants that change
/// the tensor in place.
/// </item>
/// <item>
/// The operator's overload; if the cell is empty, the unnamed overload of the operator with the member's name. Or several
/// overloads, <c>eq.Tensor eq.Scalar</c>, of which the type of the first argument selects one. <c>mish~</c> is <c>mish</c>, or
/// <c>mish_</c> if the member's argument <c>inplace</c> is true. Or another member with the same parameters: <c>atan2()</c>. Or a
/// constructor: <c>new()</c> for the result's type, <c>new impl.StepLR()</c> for another.
/// </item>
/// <item>
/// The parameters that are not simply passed under their names. <c>dim=dims</c> passes <c>dims</c> as <c>dim</c>. <c>dims[]</c> is passed
/// as a list. <c>size[2]</c> is passed as a list of two elements, which are equal if <c>size</c> is a number. <c>beta#</c> is passed as a
/// Scalar. <c>n!</c> is passed as null if it is negative. <c>dims?</c> accepts null. If the parameter is null, <c>dim|[-2,-1]</c> passes a
/// list, <c>p|0</c> passes a number, and <c>stride|size</c> passes another parameter. <c>size=rows,columns[]</c> passes <c>rows</c> and,
/// if the member has it, <c>columns</c> as one list. <c>dtype:DtypeOrDefault</c> passes the result of that function. <c>-type</c> is not
/// passed.
/// </item>
/// <item>One sentence (<see cref="MemberDocs"/>).</item>
/// <item>PyTorch's counterpart, if it has another name; <c>-</c> if it has no page.</item>
/// </list>
/// </remarks>
internal sealed class MemberTable(List<OperatorMethod> methods, List<string> errors)
{
    internal List<OperatorMethod> Methods => methods;

    internal List<string> Errors => errors;

    /// <summary>Reads the tables of members, the table of parameters and TorchSharp's list.</summary>
    internal static MemberTable Read(MemberTexts texts)
    {
        var table = new MemberTable([], []);
        var rows = new List<MemberRow>();
        foreach (var (file, text) in texts.Tables)
        {
            MemberSection? section = null;
            foreach (var cells in Lines(text))
            {
                if (cells[0][0] == '[') section = new MemberSection(cells, texts.List);
                else if (section is not null) rows.Add(new MemberRow(file, section, cells));
                else table.Errors.Add($"{file}, {cells[0]}: no line '[class]' above it");
            }
        }

        var docs = new MemberDocs(rows, texts.Parameters, table.Errors);
        foreach (var row in rows)
        {
            foreach (var place in row.Places)
            {
                var name = row.Name + place.Substring(1);
                var others = rows.Where(other => other.Section == row.Section && other.Name == row.Name && other.Places.Contains(place))
                    .Select(other => other.Types);
                var found = row.Section.Methods(place)[name]
                    .Where(method => row.Types is { } types ? types == Types(method, place) : !others.Contains(Types(method, place)))
                    .ToList();
                if (found.Count == 0) table.Errors.Add($"{row}: the list has no such member for '{place}'");
                foreach (var method in found) table.Add(row, place, method, docs);
            }

            foreach (var unused in row.Unused()) table.Errors.Add($"{row}: no member has the parameter of '{unused}'");
        }

        return table;
    }

    internal static IEnumerable<string[]> Lines(string text) => text.Split('\n').Select(line => line.TrimEnd('\r'))
        .Where(line => line.Length > 0 && line[0] != '#').Select(line => line.Split('\t'));

    private static string Types(ListedMethod method, string place) =>
        string.Join(",", method.Parameters.Skip(place[0] == 't' ? 1 : 0).Select(parameter => parameter.Type.Short));

    private void Add(MemberRow row, string place, ListedMethod listed, MemberDocs docs)
    {
        if (listed.IsObsolete && row.Calls is null)
            errors.Add($"{row}: '{listed.Name}' is obsolete: write it in C#, with [Obsolete] and a reason");
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
        var method = new OperatorMethod(row.Section.Class(place), listed.Name, isMember ? "public" : "public static", result, run);
        foreach (var parameter in listed.Parameters)
        {
            var argument = row.Find(parameter.Name);
            var isNumber = argument?.IsNumber == true && !isForward;
            var declaration = parameter.Declaration(argument?.IsNullable == true);
            method.Parameters.Add(new(parameter.Name, parameter.Type.Short.TrimEnd('?'), declaration, isNumber));
        }

        var suffix = place.Substring(1);
        if (isForward)
        {
            var rest = listed.Parameters.Skip(place[0] == 't' ? 1 : 0)
                .Select(parameter => place[0] == 't' ? "@" + parameter.Name : row.Passed(parameter, listed, true))
                .Where(value => value is not null);
            var member = row.Calls is { } other && (isMember || !row.Places.Contains("T" + suffix)) ? other + suffix : listed.Name;
            var isHidden = listed.Parameters.Any(parameter => parameter.Name == member);
            var on = place[0] == 't' ? "@" + listed.Parameters[0].Name + "." : isHidden ? row.Section.Name + "." : "";
            method.Expression = $"{on}{(row.Constructs ? "" : "@")}{member}({string.Join(", ", rest)})";
            if (listed.IsObsolete) method.Head = $"    [global::System.Obsolete(\"Use {row.Calls}.\")]\n";
        }
        else
        {
            if (Overload(row, Types(listed, place), suffix) is { } aten) method.Aten = "aten::" + aten;
            else errors.Add($"{row}: none of the operators is for ({Types(listed, place)})");
            method.ChoosesInPlace = row.ChoosesInPlace && listed.Parameters.Any(parameter => parameter.Name == "inplace");
            if (isMember) method.Arguments.Add((row.Find("self")?.Name ?? "self", "this"));
            for (var at = 0; at < listed.Parameters.Count; at++)
            {
                var parameter = listed.Parameters[at];
                var argument = row.Find(parameter.Name);
                if (argument is null && parameter.Name is "requires_grad" or "out" or "names" or "inplace") continue;
                var value = method.Parameters[at].IsConverted ? method.Parameters[at].Value : row.Passed(parameter, listed, false);
                if (value is not null) method.Arguments.Add((argument?.Name ?? parameter.Name, value));
            }
        }

        method.Head = docs.Comment(row, place, listed) + method.Head;
        if (!isForward)
        {
            var mapping = string.Join(", ", method.Arguments.Select(argument =>
                argument.Name == argument.Value.TrimStart('@') ? argument.Name : argument.Name + "=" + argument.Value.Replace("\"", "")));
            method.Head += $"    [global::Bridge.Torch.Aten(\"{method.Aten}\", \"{mapping}\")]\n";
        }

        methods.Add(method);
    }

    /// <summary>
    /// Returns the operator's overload. If the row names several, returns the first whose name begins with the type of the first parameter;
    /// null if there is none.
    /// </summary>
    private static string? Overload(MemberRow row, string types, string suffix)
    {
        var first = types.Split(',')[0].TrimEnd('?');
        var found = row.Operators.Length == 1 ? row.Operators[0]
            : row.Operators.FirstOrDefault(name => (name + ".").Split('.')[1].StartsWith(first, StringComparison.Ordinal));
        return found?.Insert((found + ".").IndexOf('.'), suffix);
    }
}
