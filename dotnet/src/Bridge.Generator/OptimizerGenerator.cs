using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Bridge.Generator;

/// <summary>
/// Generates members of the optimizers marked with <c>[Optimizer]</c>, from the list of TorchSharp's members (<c>surface.jsonl</c>):
/// the constructors, the properties <c>Betas</c> and <c>Momentum</c>, and the nested classes <c>Options</c>, <c>State</c> and
/// <c>ParamGroup</c>.
/// </summary>
/// <remarks>
/// The step, <c>Options.Check</c> and <c>State.Initialize</c> are written by hand. An argument of a constructor becomes the setting
/// with its name; <c>lr</c> becomes the learning rate. The table <c>Parameters.tsv</c> has the texts (<see cref="MemberDocs"/>).
/// </remarks>
[Generator]
public sealed class OptimizerGenerator : IIncrementalGenerator
{
    private static readonly DiagnosticDescriptor Wrong = new(
        "BT0004", "An optimizer that differs from the list", "{0}", "Bridge", DiagnosticSeverity.Error, true);

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        var marked = context.SyntaxProvider.ForAttributeWithMetadataName(
            "Bridge.Torch.OptimizerAttribute", static (_, _) => true, static (found, _) => (Type: found.TargetSymbol,
                Orders: found.Attributes[0].ConstructorArguments.Select(argument => (string)argument.Value!).ToList()));
        context.RegisterSourceOutput(marked.Collect().Combine(MemberTexts.Of(context)), static (output, found) =>
        {
            var (optimizers, texts) = found;
            if (texts is null) return;
            var source = new Source();
            source.Open("namespace TorchSharp.Modules");
            foreach (var (type, orders) in optimizers)
            {
                var errors = new List<string>();
                new OptimizerSource(type.Name, texts.List, texts.Parameters, source, errors).Write(orders[0], orders[1]);
                foreach (var error in errors.Distinct()) output.ReportDiagnostic(Diagnostic.Create(Wrong, type.Locations[0], error));
            }

            output.AddSource("Optimizers.g.cs", source.Close().ToString());
        });
    }
}

/// <summary>Writes the generated part of an optimizer.</summary>
internal sealed class OptimizerSource(
    string name, string list, Dictionary<string, string> texts, Source source, List<string> errors)
{
    private readonly string _type = "TorchSharp.Modules." + name;

    internal void Write(string options, string state)
    {
        source.Open($"partial class {name}");
        foreach (var constructor in Listed.Methods(list, _type)[".ctor"]) Constructor(constructor);
        Shared(_type, "((Options)_defaults)", "for groups that are added later");
        source.Line("private protected override OptimizerOptions NewOptions => new Options();").Line();
        source.Line("private protected override OptimizerState CreateState(Parameter parameter) => new State(parameter);").Line();
        WriteOptions(Ordered("Options", options));
        WriteState(Ordered("State", state));
        WriteGroup();
        source.Close();
    }

    private void Constructor(ListedMethod constructor)
    {
        var first = constructor.Parameters[0].Name;
        var rest = string.Concat(constructor.Parameters.Skip(1).Select(parameter => ", @" + parameter.Name));
        var isOfGroups = constructor.Parameters[0].Type.Short != "IEnumerable<Parameter>";
        var declaration = Declaration(constructor);
        Comment($"Creates the optimizer <c>{name}</c> {(isOfGroups ? "with groups of parameters" : "with one group of parameters")}.",
            constructor, isOfGroups ? "OptimizerHelper" : "ParamGroup");
        source.Line("/// <exception cref=\"global::System.ArgumentException\">");
        source.Line("/// A setting is out of its range, or contradicts another.").Line("/// </exception>");
        if (isOfGroups)
        {
            source.Line($"public {name}({declaration}) =>");
            source.Line($"    AddGroups(new Options {{ InitialLearningRate = @lr, {Settings(constructor)} }}, @{first});").Line();
            return;
        }

        source.Line($"public {name}({declaration})");
        source.Line($"    : this([new ParamGroup {{ Parameters = @{first} }}]{rest}) {{ }}").Line();
        var named = declaration.Replace(
            constructor.Parameters[0].Declaration(false),
            $"global::System.Collections.Generic.IEnumerable<(string name, Parameter parameter)> @{first}");
        source.Line($"internal {name}({named})");
        source.Line($"    : this(global::System.Linq.Enumerable.Select(@{first}, static named => named.parameter){rest}) {{ }}").Line();
    }

    private void WriteOptions(List<(ListedProperty Field, bool IsOptional)> fields)
    {
        source.Summary($"The settings of a group of <c>{name}</c>'s parameters.");
        source.Open("public partial class Options : OptimizerOptions");
        foreach (var (field, _) in fields)
        {
            source.Summary($"<c>{field.Name}</c> in the settings of <c>{name}</c>: {Inner(field.Name)}");
            source.Line($"public {field.Type.CSharp(false)} @{field.Name};").Line();
        }

        Visit("OptionVisitor", fields);
        source.Close().Line();
    }

    private void WriteState(List<(ListedProperty Field, bool IsOptional)> fields)
    {
        source.Summary($"The state that <c>{name}</c> keeps for a parameter.");
        source.Open("public sealed partial class State : OptimizerState, global::System.IDisposable");
        foreach (var (field, isOptional) in fields)
        {
            var isTensor = field.Type.Short == "Tensor";
            source.Summary($"<c>{field.Name}</c> in the state of <c>{name}</c>: {Inner(field.Name)}");
            source.Line($"public {field.Type.CSharp(isOptional)} @{field.Name}{(isTensor && !isOptional ? " = null!" : "")};").Line();
        }

        source.Summary($"Creates the state that <c>{name}</c> keeps for a parameter, without values yet.");
        source.Line($"/// <param name=\"parameter\">{Text("parameter")}</param>");
        source.Line("public State(Parameter parameter) : base(parameter) { }").Line();
        source.Line("/// <inheritdoc/>").Line("public void Dispose() => Release();").Line();
        Visit("StateVisitor", fields);
        source.Close().Line();
    }

    private void Visit(string visitor, List<(ListedProperty Field, bool IsOptional)> fields)
    {
        source.Open($"internal override void Visit(global::Bridge.Torch.{visitor} visitor)");
        foreach (var (field, isOptional) in fields)
            source.Line($"visitor.{(isOptional ? "Optional" : "Next")}(ref @{field.Name});");
        source.Close();
    }

    private void WriteGroup()
    {
        var type = _type + "/ParamGroup";
        var interfaces = string.Concat(Listed.Interfaces(list, type).Select(found => ", global::" + found.Replace('/', '.')));
        source.Summary($"Parameters of <c>{name}</c> that share settings.");
        source.Open("public class ParamGroup : ParamGroup<Options>" + interfaces);
        foreach (var constructor in Listed.Methods(list, type)[".ctor"])
        {
            var values = constructor.Parameters.Count == 0 ? null
                : constructor.Parameters[1].Name == "options" ? "@options" : $"new() {{ {Settings(constructor)} }}";
            Comment(values switch
            {
                null => $"Creates a group for <c>{name}</c> without parameters and settings.",
                "@options" => $"Creates a group of parameters for <c>{name}</c>, with an object of settings.",
                _ => $"Creates a group of parameters for <c>{name}</c>, with settings.",
            }, constructor, "ParamGroup");
            var passed = values is null ? "" : $"@{constructor.Parameters[0].Name}, {values}";
            source.Line($"public ParamGroup({Declaration(constructor)}) : base({passed}) {{ }}").Line();
        }

        Shared(type, "Options", "of this group");
        source.Close();
    }

    /// <summary>Writes <c>Betas</c> or <c>Momentum</c>, if the list's class has one of these.</summary>
    private void Shared(string type, string options, string whose)
    {
        foreach (var property in Listed.Properties(list, type))
        {
            var fields = property.Name == "Betas" ? new[] { "beta1", "beta2" } : ["momentum"];
            var what = property.Name == "Betas" ? "decay rates of the two moments" : "momentum";
            string Each(string suffix)
            {
                var all = string.Join(", ", fields.Select(field => $"{options}.{field}{suffix}"));
                return fields.Length == 1 ? all : $"({all})";
            }

            source.Summary($"Gets or sets the {what} of <c>{name}</c> {whose}.");
            source.Open($"public {property.Type.CSharp(false)} {property.Name}");
            source.Line($"get => {Each("!.Value")};").Line($"set => {Each("")} = value;").Close().Line();
        }
    }

    /// <summary>
    /// Returns the fields of a nested class in the order in which the attribute <c>[Optimizer]</c> names them. In the attribute, a
    /// <c>?</c> follows the name of a field that may be null. If TorchSharp's list has other fields, adds an error and returns no field.
    /// </summary>
    private List<(ListedProperty Field, bool IsOptional)> Ordered(string nested, string order)
    {
        var listed = Listed.Fields(list, _type + "/" + nested).ToDictionary(field => field.Name);
        var given = order.Split([", "], StringSplitOptions.RemoveEmptyEntries);
        if (!listed.Keys.OrderBy(field => field, StringComparer.Ordinal)
                .SequenceEqual(given.Select(field => field.TrimEnd('?')).OrderBy(field => field, StringComparer.Ordinal)))
        {
            errors.Add($"the fields of '{name}.{nested}' are '{string.Join(", ", listed.Keys)}' in the list, not '{order}'");
            return [];
        }

        return [.. given.Select(field => (listed[field.TrimEnd('?')], field.EndsWith("?", StringComparison.Ordinal)))];
    }

    private void Comment(string summary, ListedMethod method, string owner)
    {
        source.Summary(summary);
        foreach (var parameter in method.Parameters)
            source.Line($"/// <param name=\"{parameter.Name}\">{Text(parameter.Name, owner)}</param>");
    }

    private static string Declaration(ListedMethod method) =>
        string.Join(", ", method.Parameters.Select(parameter => parameter.Declaration(false)));

    private static string Settings(ListedMethod method) => string.Join(", ", method.Parameters.Skip(1)
        .Select(parameter => (parameter.Name == "lr" ? "LearningRate" : "@" + parameter.Name) + " = @" + parameter.Name));

    private string Inner(string field) => MemberDocs.Inner(Text(field));

    private string Text(string parameter, string owner = "")
    {
        if (MemberDocs.Find(texts, parameter, owner, name, "optim") is { } found) return found;
        errors.Add($"no text for '{parameter}' of '{name}'");
        return "";
    }
}
