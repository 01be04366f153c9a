using System.Reflection;
using System.Reflection.Metadata;
using System.Text.Json.Nodes;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Lists the members of types: the public and protected ones, and the hidden ones that matter to a compiler.</summary>
internal sealed class ListedMembers(MetadataReader reader, ListedTypes types, ListedAttributes attributes)
{
    /// <summary>Returns the fields: of structs also the hidden ones of an instance, since the struct's size depends on them.</summary>
    internal JsonArray Fields(TypeDefinition type, bool isStruct, string? only = null)
    {
        var listed = new JsonArray();
        foreach (var field in type.GetFields().Select(reader.GetFieldDefinition))
        {
            if (only is not null && reader.GetString(field.Name) != only) continue;
            // The access flags of fields and methods have the same values.
            var isVisible = Visibility.IsVisible((MethodAttributes)(field.Attributes & FieldAttributes.FieldAccessMask));
            if (!isVisible && (!isStruct || field.Attributes.HasFlag(FieldAttributes.Static))) continue;
            var entry = new JsonObject { ["n"] = reader.GetString(field.Name) };
            Put(entry, "f", ListedFlags.Field(field.Attributes));
            entry["t"] = field.DecodeSignature(types, null);
            if (field.Attributes.HasFlag(FieldAttributes.Literal)) entry["c"] = Constants.List(reader, field.GetDefaultValue());
            if (field.GetOffset() is >= 0 and var offset) entry["o"] = offset;
            Put(entry, "a", attributes.List(field.GetCustomAttributes()));
            listed.Add(entry);
        }

        return listed;
    }

    /// <summary>Returns the methods, accessors included.</summary>
    internal JsonArray Methods(TypeDefinition type)
    {
        var overrides = type.GetMethodImplementations().Select(reader.GetMethodImplementation)
            .ToLookup(implementation => (MethodDefinitionHandle)implementation.MethodBody);
        var methods = type.GetMethods().Select(handle => (Handle: handle, Method: reader.GetMethodDefinition(handle))).ToList();
        var isCreatable = methods.Exists(entry => IsConstructor(entry.Method) && IsVisible(entry.Method));
        var listed = new JsonArray();
        foreach (var (handle, method) in methods)
        {
            var isVisible = IsVisible(method);
            if (!isVisible && !Matters(method, isCreatable, overrides.Contains(handle))) continue;
            listed.Add(Method(method, isVisible, overrides[handle]));
        }

        return listed;
    }

    /// <summary>Returns the properties that have a listed accessor.</summary>
    internal JsonArray Properties(TypeDefinition type)
    {
        var listed = new JsonArray();
        foreach (var property in type.GetProperties().Select(reader.GetPropertyDefinition))
        {
            var accessors = property.GetAccessors();
            var (getter, setter) = (Accessor(accessors.Getter), Accessor(accessors.Setter));
            if ((getter ?? setter) is null) continue;
            var signature = property.DecodeSignature(types, null);
            var entry = new JsonObject { ["n"] = reader.GetString(property.Name), ["t"] = signature.ReturnType };
            Put(entry, "p", new JsonArray([.. signature.ParameterTypes.Select(text => JsonValue.Create(text))]));
            Put(entry, "get", getter);
            Put(entry, "set", setter);
            Put(entry, "f", signature.Header.IsInstance ? null : "static");
            Put(entry, "a", attributes.List(property.GetCustomAttributes()));
            listed.Add(entry);
        }

        return listed;
    }

    /// <summary>Returns the events that are public or protected.</summary>
    internal JsonArray Events(TypeDefinition type)
    {
        var listed = new JsonArray();
        foreach (var found in type.GetEvents().Select(reader.GetEventDefinition))
        {
            var accessors = found.GetAccessors();
            if (Accessor(accessors.Adder) is not { } adder) continue;
            var entry = new JsonObject { ["n"] = reader.GetString(found.Name), ["t"] = types.Entity(found.Type), ["add"] = adder };
            Put(entry, "remove", Accessor(accessors.Remover));
            Put(entry, "a", attributes.List(found.GetCustomAttributes()));
            listed.Add(entry);
        }

        return listed;
    }

    /// <summary>Returns the generic parameters of a type or a method.</summary>
    internal JsonArray Generics(GenericParameterHandleCollection parameters)
    {
        var listed = new JsonArray();
        foreach (var parameter in parameters.Select(reader.GetGenericParameter))
        {
            var entry = new JsonObject { ["n"] = reader.GetString(parameter.Name) };
            Put(entry, "v", ListedFlags.Variance(parameter.Attributes));
            Put(entry, "f", ListedFlags.Constraints(parameter.Attributes));
            var constraints = parameter.GetConstraints().Select(reader.GetGenericParameterConstraint);
            Put(entry, "c", new JsonArray([.. constraints.Select(constraint => JsonValue.Create(types.Entity(constraint.Type)))]));
            Put(entry, "a", attributes.List(parameter.GetCustomAttributes()));
            listed.Add(entry);
        }

        return listed;
    }

    internal static void Put(JsonObject entry, string key, JsonNode? value)
    {
        if (value is not (null or JsonArray { Count: 0 })) entry[key] = value;
    }

    private JsonObject Method(MethodDefinition method, bool isVisible, IEnumerable<MethodImplementation> overrides)
    {
        var signature = method.DecodeSignature(types, null);
        var parameters = method.GetParameters().Select(reader.GetParameter).ToDictionary(parameter => parameter.SequenceNumber);
        var entry = new JsonObject { ["n"] = reader.GetString(method.Name) };
        Put(entry, "f", ListedFlags.Method(method));
        if (!isVisible) entry["hidden"] = true;
        Put(entry, "g", Generics(method.GetGenericParameters()));
        entry["r"] = signature.ReturnType;
        if (parameters.TryGetValue(0, out var returned)) Put(entry, "ra", attributes.List(returned.GetCustomAttributes()));
        var listed = signature.ParameterTypes.Select((type, i) =>
            parameters.TryGetValue(i + 1, out var parameter) ? Parameter(parameter, type) : new JsonObject { ["t"] = type });
        Put(entry, "p", new JsonArray([.. listed]));
        Put(entry, "a", attributes.List(method.GetCustomAttributes()));
        Put(entry, "i", new JsonArray([.. overrides.Select(implementation => Declaration(implementation.MethodDeclaration))]));
        return entry;
    }

    private JsonObject Parameter(Parameter parameter, string type)
    {
        var entry = new JsonObject { ["n"] = reader.GetString(parameter.Name), ["t"] = type };
        var hasDefault = !parameter.GetDefaultValue().IsNil;
        Put(entry, "f", ListedFlags.Parameter(parameter.Attributes, hasDefault));
        if (hasDefault) entry["d"] = Constants.List(reader, parameter.GetDefaultValue());
        Put(entry, "a", attributes.List(parameter.GetCustomAttributes()));
        return entry;
    }

    // The declaration that a method implements or overrides, in the declaration's own terms.
    private JsonObject Declaration(EntityHandle handle)
    {
        var (owner, name, signature) = handle.Kind == HandleKind.MethodDefinition
            ? Declaration(reader.GetMethodDefinition((MethodDefinitionHandle)handle))
            : Declaration(reader.GetMemberReference((MemberReferenceHandle)handle));
        var entry = new JsonObject { ["t"] = types.Entity(owner), ["n"] = reader.GetString(name), ["r"] = signature.ReturnType };
        Put(entry, "p", new JsonArray([.. signature.ParameterTypes.Select(text => JsonValue.Create(text))]));
        if (signature.GenericParameterCount > 0) entry["g"] = signature.GenericParameterCount;
        return entry;
    }

    private (EntityHandle, StringHandle, MethodSignature<string>) Declaration(MethodDefinition method) =>
        (method.GetDeclaringType(), method.Name, method.DecodeSignature(types, null));

    private (EntityHandle, StringHandle, MethodSignature<string>) Declaration(MemberReference method) =>
        (method.Parent, method.Name, method.DecodeMethodSignature(types, null));

    private string? Accessor(MethodDefinitionHandle handle) =>
        !handle.IsNil && reader.GetMethodDefinition(handle) is var method && IsVisible(method) ? reader.GetString(method.Name) : null;

    // Internal constructors tell that a class cannot be created or derived from; explicit implementations belong to an interface;
    // an internal abstract method keeps others from deriving, and its implementations make a class that is not abstract.
    private bool Matters(MethodDefinition method, bool isCreatable, bool implements) =>
        IsConstructor(method) ? !isCreatable && IsInternal(method)
        : implements || (method.Attributes.HasFlag(MethodAttributes.Virtual) && IsInternal(method));

    private bool IsConstructor(MethodDefinition method) => reader.GetString(method.Name) == ".ctor";

    private static bool IsVisible(MethodDefinition method) => Visibility.IsVisible(method.Attributes & MethodAttributes.MemberAccessMask);

    private static bool IsInternal(MethodDefinition method) =>
        (method.Attributes & MethodAttributes.MemberAccessMask) is MethodAttributes.Assembly or MethodAttributes.FamANDAssem;
}
