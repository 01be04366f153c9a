using System.Collections.Immutable;
using System.Reflection.Metadata;
using System.Text.Json.Nodes;

namespace TorchSharp.Reference;

/// <summary>Lists attributes, except those that no compiler reads.</summary>
internal sealed class ListedAttributes(MetadataReader reader, ListedTypes types)
{
    /// <summary>The attribute that says which rules a module's references follow.</summary>
    internal const string RefSafetyRules = "System.Runtime.CompilerServices.RefSafetyRulesAttribute";

    private static readonly HashSet<string> Unread =
    [
        "System.Diagnostics.DebuggableAttribute", "System.Diagnostics.DebuggerBrowsableAttribute",
        "System.Diagnostics.DebuggerDisplayAttribute", "System.Diagnostics.DebuggerHiddenAttribute",
        "System.Diagnostics.DebuggerNonUserCodeAttribute", "System.Diagnostics.DebuggerStepThroughAttribute",
        "System.CodeDom.Compiler.GeneratedCodeAttribute",
        "System.Runtime.CompilerServices.AsyncStateMachineAttribute",
        "System.Runtime.CompilerServices.CompilerGeneratedAttribute",
        "System.Runtime.CompilerServices.InternalsVisibleToAttribute",
        "System.Runtime.CompilerServices.IteratorStateMachineAttribute",
        RefSafetyRules,
    ];

    /// <summary>Returns the attributes that a compiler reads, or null if there are none.</summary>
    /// <param name="attributes">The attributes of a type, a member, a parameter or the assembly.</param>
    /// <param name="only">The name of the only attribute to list.</param>
    internal JsonArray? List(CustomAttributeHandleCollection attributes, string? only = null)
    {
        var listed = new JsonArray();
        foreach (var attribute in attributes.Select(reader.GetCustomAttribute))
        {
            // Types that are not listed are not mentioned either.
            var name = new ListedTypes(reader).Entity(Owner(attribute));
            if (Unread.Contains(name) || name.StartsWith("System.Reflection.Assembly", StringComparison.Ordinal)) continue;
            if (only is null || name == only) listed.Add(List(attribute));
        }

        return listed.Count == 0 ? null : listed;
    }

    /// <summary>Returns the version of the rules for references that the module follows, or null if it names none.</summary>
    internal int? SafetyRules()
    {
        foreach (var attribute in reader.GetModuleDefinition().GetCustomAttributes().Select(reader.GetCustomAttribute))
        {
            if (new ListedTypes(reader).Entity(Owner(attribute)) != RefSafetyRules) continue;
            types.Entity(Owner(attribute));
            return (int?)attribute.DecodeValue(types).FixedArguments[0].Value;
        }

        return null;
    }

    private JsonArray List(CustomAttribute attribute)
    {
        var values = attribute.DecodeValue(types);
        var listed = new JsonArray { types.Entity(Owner(attribute)) };
        if (values.FixedArguments.Length + values.NamedArguments.Length == 0) return listed;
        listed.Add(new JsonArray([.. values.FixedArguments.Select(value => new JsonArray(value.Type, Value(value.Value)))]));
        if (values.NamedArguments.Length > 0)
            listed.Add(new JsonArray([.. values.NamedArguments.Select(value => new JsonArray(
                value.Kind == CustomAttributeNamedArgumentKind.Property ? "P" : "F", value.Name, value.Type, Value(value.Value)))]));
        return listed;
    }

    private EntityHandle Owner(CustomAttribute attribute) => attribute.Constructor.Kind == HandleKind.MethodDefinition
        ? reader.GetMethodDefinition((MethodDefinitionHandle)attribute.Constructor).GetDeclaringType()
        : reader.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent;

    private static JsonNode? Value(object? value) => value is ImmutableArray<CustomAttributeTypedArgument<string>> items
        ? new JsonArray([.. items.Select(item => Value(item.Value))])
        : Constants.Node(value);
}
