using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Bridge.Generator;

/// <summary>
/// A generated method: the body of a partial method with <c>[Aten]</c>, or a member of a <see cref="MemberTable"/>. It calls an operator or
/// another member.
/// </summary>
internal sealed class OperatorMethod(string @class, string name, string modifiers, string result, string run)
{
    /// <summary>Gets the namespace and the declarations of the classes around the method, a line each.</summary>
    internal string Class => @class;

    /// <summary>Gets the parameters.</summary>
    internal List<OperatorParameter> Parameters { get; } = [];

    /// <summary>Gets or sets the operator's overload.</summary>
    internal string Aten { get; set; } = "";

    /// <summary>Gets the operator's arguments and their values.</summary>
    internal List<(string Name, string Value)> Arguments { get; } = [];

    /// <summary>Gets or sets whether the parameter <c>inplace</c> chooses between the operator and its in-place variant.</summary>
    internal bool ChoosesInPlace { get; set; }

    /// <summary>Gets or sets the body, an expression; null if the method calls an operator.</summary>
    internal string? Expression { get; set; }

    /// <summary>Gets or sets the lines before the declaration.</summary>
    internal string Head { get; set; } = "";

    private bool IsStatic => modifiers.Split(' ').Contains("static");

    /// <summary>Reads a partial method with <c>[Aten]</c>. Returns null if the attribute's <c>mapping</c> is malformed.</summary>
    internal static OperatorMethod? Written(IMethodSymbol method, AttributeData data, MethodDeclarationSyntax syntax)
    {
        var kept = syntax.Modifiers.Select(modifier => modifier.Text).Where(text => text is not ("unsafe" or "partial"));
        var modifiers = string.Join(" ", kept);
        var result = method.ReturnType.ToDisplayString(FullyQualified);
        var run = method.ReturnsVoid ? ""
            : method.ReturnType is IArrayTypeSymbol ? "List"
            : method.ReturnType is INamedTypeSymbol { IsTupleType: true } tuple ? $"{tuple.TupleElements.Length}"
            : method.ReturnType.SpecialType == SpecialType.System_Boolean ? "Bool"
            : method.ReturnType.SpecialType == SpecialType.System_Int64 ? "Long" : "1";
        var levels = Nesting(method.ContainingType).Prepend(method.ContainingType.ContainingNamespace.ToDisplayString());
        var read = new OperatorMethod(string.Join("\n", levels), method.Name, modifiers, result, run)
        {
            Aten = (string)data.ConstructorArguments[0].Value!,
        };
        foreach (var parameter in method.Parameters)
        {
            var declared = (parameter.IsParams ? "params " : "") + parameter.Type.ToDisplayString(FullyQualified) + " @" + parameter.Name;
            read.Parameters.Add(new(parameter.Name, parameter.Type.Name, declared));
        }

        var mapping = (string)data.ConstructorArguments[1].Value!;
        foreach (var part in mapping.Length == 0 ? [] : Split(mapping))
        {
            var equals = part.IndexOf('=');
            var name = part.Split('=')[0].Trim();
            var value = equals < 0 ? name : part.Substring(equals + 1).Trim();
            if (name.Length == 0 || value.Length == 0) return null;
            read.Arguments.Add((name, value == "self" && !method.IsStatic ? "this" : value));
        }

        read._declaration = "partial ";
        return read;
    }

    private string _declaration = "";

    /// <summary>Writes the method.</summary>
    internal void Write(OperatorPlans plans, StringBuilder bodies)
    {
        bodies.Append(Head).Append("    ").Append(modifiers).Append(' ').Append(_declaration).Append(result).Append(" @").Append(name)
            .Append('(').Append(string.Join(", ", Parameters.Select(parameter => parameter.Declaration))).Append(')');
        if (Expression is not null)
        {
            bodies.Append(" => ").Append(Expression).Append(";\n");
            return;
        }

        // libtorch's stable ABI cannot pass a Scalar. So the type of the Scalar's value selects the operator to call, which takes a float,
        // an int or a bool instead. A Plan has the data for calls of one operator.
        bodies.Append("\n    {\n    unsafe\n    {\n");
        foreach (var parameter in Parameters.Where(parameter => parameter.IsConverted))
            bodies.Append("        global::TorchSharp.Scalar ").Append(parameter.Value).Append(" = @").Append(parameter.Name).Append(";\n");
        var used = Parameters.Where(parameter => Arguments.Any(argument => argument.Value.TrimStart('@') == parameter.Value.TrimStart('@')))
            .ToList();
        var scalars = used.Where(parameter => parameter.Type == "Scalar").Select(parameter => parameter.Value).ToList();
        var generator = used.FirstOrDefault(parameter => parameter.Type == "Generator")?.Value;
        var chosen = scalars.Count > 0 ? ".For(" + string.Join(", ", scalars) + ")"
            : generator is not null ? ".With(" + generator + ")" : ".Plan";
        var names = Arguments.Select(argument => argument.Name).ToList();
        var row = plans.Find(Aten, names) + chosen;
        // If the argument `out` is given, the .out overload of the operator runs.
        var hasOut = Parameters.Any(parameter => parameter.Name == "out") && !names.Contains("out");
        if (hasOut) row = "@out is null ? " + row + " : " + plans.Find(OutOverload(Aten), [.. names, "out"]) + chosen;
        // The argument `input` of an operator has the name `self` in the operator's in-place variant.
        if (ChoosesInPlace)
            row = $"@inplace ? {plans.Find(InPlaceOverload(Aten), names.Select(name => name == "input" ? "self" : name))}{chosen} : {row}";
        if (Parameters.Any(parameter => parameter.Name == "names"))
            bodies.Append("        global::Bridge.Torch.DimensionNames.Refuse(@names);\n");
        bodies.Append("        var plan = ").Append(row).Append(";\n")
            .Append("        ulong* stack = stackalloc ulong[plan.Slots];\n")
            .Append("        var call = new global::Bridge.Torch.Native.OpCall(plan, stack);\n");
        for (var i = 0; i < Arguments.Count; i++)
            bodies.Append("        call.Set(").Append(i).Append(", ").Append(Arguments[i].Value).Append(");\n");
        if (hasOut)
        {
            bodies.Append("        if (@out is not null)\n        {\n            call.Set(").Append(Arguments.Count)
                .Append(", @out);\n            return call.RunInPlace(@out);\n        }\n\n");
        }

        bodies.Append("        ").Append(ReturnStatement()).Append("\n    }\n    }\n");
    }

    private string ReturnStatement()
    {
        if (run.Length == 0) return "call.Run();";
        if (ChoosesInPlace) return $"return @inplace ? call.RunInPlace(@{Parameters[0].Name}).alias() : call.Run1();";
        if (Parameters.Any(parameter => parameter.Name == "requires_grad") && Arguments.All(argument => argument.Value != "requires_grad"))
            return "return call.Run1().Marked(@requires_grad);";
        var isInPlace = name.EndsWith("_", StringComparison.Ordinal) && Aten.Split('.')[0].EndsWith("_", StringComparison.Ordinal);
        if (run != "1" || !isInPlace) return "return call.Run" + run + "();";
        return "return call.RunInPlace(" + (IsStatic ? "@" + Parameters[0].Name : "this") + ");";
    }

    /// <summary>Returns the overload with <c>out</c>: <c>aten::randperm.generator_out</c> for <c>aten::randperm.generator</c>.</summary>
    private static string OutOverload(string aten) => aten.IndexOf('.') < 0 ? aten + ".out" : aten + "_out";

    private static string InPlaceOverload(string aten) => aten.Insert((aten + ".").IndexOf('.'), "_");

    private static IEnumerable<string> Nesting(INamedTypeSymbol type)
    {
        if (type.ContainingType is { } parent) foreach (var level in Nesting(parent)) yield return level;
        yield return "partial class " + type.Name;
    }

    private static IEnumerable<string> Split(string mapping)
    {
        var depth = 0;
        var start = 0;
        for (var i = 0; i < mapping.Length; i++)
        {
            if (mapping[i] is '(' or '[' or '{') depth++;
            else if (mapping[i] is ')' or ']' or '}') depth--;
            else if (mapping[i] == ',' && depth == 0)
            {
                yield return mapping.Substring(start, i - start);
                start = i + 1;
            }
        }

        yield return mapping.Substring(start);
    }

    private static readonly SymbolDisplayFormat FullyQualified = SymbolDisplayFormat.FullyQualifiedFormat
        .WithMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier
            | SymbolDisplayMiscellaneousOptions.UseSpecialTypes
            | SymbolDisplayMiscellaneousOptions.EscapeKeywordIdentifiers);
}

/// <summary>A parameter of a generated method.</summary>
/// <param name="name">The name.</param>
/// <param name="type">The type's name without its namespace.</param>
/// <param name="declaration">The declaration.</param>
/// <param name="isConverted">Whether it is a number that the operator takes as a Scalar.</param>
internal sealed class OperatorParameter(string name, string type, string declaration, bool isConverted = false)
{
    internal string Name => name;

    internal string Type => isConverted ? "Scalar" : type;

    internal string Declaration => declaration;

    internal bool IsConverted => isConverted;

    /// <summary>Gets the expression of the value.</summary>
    internal string Value => isConverted ? name + "Number" : "@" + name;
}
