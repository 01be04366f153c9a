using System.Collections.Immutable;
using System.Globalization;
using System.Reflection;
using System.Reflection.Metadata;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Reads how single types and members are declared.</summary>
internal sealed class DeclarationReader
{
    private readonly MetadataReader _reader;
    private readonly DeclaredAttributes _attributes;

    // The property that a method is an accessor of.
    private readonly Dictionary<MethodDefinitionHandle, CustomAttributeHandleCollection> _owners = [];

    internal DeclarationReader(MetadataReader reader)
    {
        _reader = reader;
        _attributes = new(reader);
        foreach (var handle in reader.PropertyDefinitions)
        {
            var property = reader.GetPropertyDefinition(handle);
            var accessors = property.GetAccessors();
            if (!accessors.Getter.IsNil) _owners[accessors.Getter] = property.GetCustomAttributes();
            if (!accessors.Setter.IsNil) _owners[accessors.Setter] = property.GetCustomAttributes();
        }
    }

    /// <summary>Returns the declaration of a type, without its base type and interfaces.</summary>
    internal Declaration Read(TypeDefinitionHandle handle)
    {
        var type = _reader.GetTypeDefinition(handle);
        var attributes = type.GetCustomAttributes();
        var access = (type.Attributes & TypeAttributes.VisibilityMask) is TypeAttributes.Public or TypeAttributes.NestedPublic;
        return new()
        {
            Facts = [("obsolete", _attributes.Obsolete(attributes)), ("access", access ? "public" : "protected"), ("kind", Kind(type))],
            Sets = [("attributes", _attributes.Text(attributes))],
            Parameters = [.. type.GetGenericParameters().Select(parameter => Read(parameter, Context(handle)))],
        };
    }

    /// <summary>Returns the base type of a type, or null.</summary>
    /// <param name="handle">The type.</param>
    /// <param name="arguments">The type arguments that the type has.</param>
    internal MarkedType? Base(TypeDefinitionHandle handle, IReadOnlyList<MarkedType>? arguments)
    {
        var type = _reader.GetTypeDefinition(handle);
        if (type.BaseType.IsNil) return null;
        return Type(type.BaseType).With(_attributes.Nullable(type.GetCustomAttributes()) ?? [Context(handle)]).Of(arguments);
    }

    /// <summary>Returns the interfaces that a type names.</summary>
    internal IEnumerable<MarkedType> Interfaces(TypeDefinitionHandle handle, IReadOnlyList<MarkedType>? arguments) =>
        from made in _reader.GetTypeDefinition(handle).GetInterfaceImplementations()
        select Type(_reader.GetInterfaceImplementation(made).Interface).Of(arguments);

    /// <summary>Returns the declaration of a method.</summary>
    /// <param name="handle">The method.</param>
    /// <param name="arguments">The type arguments that its class has.</param>
    /// <param name="inherited">Whether the class is a base type of the class that is read.</param>
    internal Declaration Read(MethodDefinitionHandle handle, IReadOnlyList<MarkedType>? arguments, bool inherited)
    {
        var method = _reader.GetMethodDefinition(handle);
        var attributes = method.GetCustomAttributes();
        var isAccessor = _owners.TryGetValue(handle, out var owner);
        var obsolete = _attributes.Obsolete(attributes);
        if (obsolete.Length == 0 && isAccessor) obsolete = _attributes.Obsolete(owner);
        var context = _attributes.NullableContext(attributes) ?? Context(method.GetDeclaringType());
        var signature = method.DecodeSignature(MarkedTypes.Instance, null);
        var rows = method.GetParameters().Select(_reader.GetParameter).ToDictionary(row => row.SequenceNumber);
        var returned = rows.TryGetValue(0, out var row)
            ? row.GetCustomAttributes()
            : _reader.GetCustomAttributes(default(ParameterHandle));
        return new()
        {
            Facts =
            [
                ("obsolete", obsolete), ("access", Access(method.Attributes & MethodAttributes.MemberAccessMask)),
                ("abstract", method.Attributes.HasFlag(MethodAttributes.Abstract) ? "abstract" : ""),
                ("tuple", _attributes.TupleNames(returned)),
            ],
            Sets =
            [
                ("attributes", _attributes.Text(attributes)), ("attributes of the result", _attributes.Text(returned)),
                ("virtual", [.. Virtual(method, inherited)]),
            ],
            Type = isAccessor ? null : Marked(signature.ReturnType, returned, context, arguments),
            Parameters =
            [
                .. method.GetGenericParameters().Select(parameter => Read(parameter, context)),
                .. signature.ParameterTypes.Select((type, at) => Read(
                    rows[at + 1], isAccessor ? null : Marked(type, rows[at + 1].GetCustomAttributes(), context, arguments))),
            ],
        };
    }

    /// <summary>Returns the declaration of a field.</summary>
    internal Declaration Read(FieldDefinitionHandle handle, IReadOnlyList<MarkedType>? arguments)
    {
        var field = _reader.GetFieldDefinition(handle);
        var attributes = field.GetCustomAttributes();
        var assigned = field.Attributes.HasFlag(FieldAttributes.InitOnly) ? "readonly" : "";
        if (field.Attributes.HasFlag(FieldAttributes.Literal)) assigned = $"const {Constant(field.GetDefaultValue())}";
        var type = field.DecodeSignature(MarkedTypes.Instance, null);
        return new()
        {
            Facts =
            [
                ("obsolete", _attributes.Obsolete(attributes)), ("field", assigned), ("tuple", _attributes.TupleNames(attributes)),
                // The access flags of fields and methods have the same values.
                ("access", Access((MethodAttributes)(field.Attributes & FieldAttributes.FieldAccessMask))),
            ],
            Sets = [("attributes", _attributes.Text(attributes))],
            Type = Marked(type, attributes, Context(field.GetDeclaringType()), arguments),
        };
    }

    /// <summary>Returns the declaration of a property, apart from what its accessors say.</summary>
    internal Declaration Read(PropertyDefinitionHandle handle, TypeDefinitionHandle type, IReadOnlyList<MarkedType>? arguments)
    {
        var property = _reader.GetPropertyDefinition(handle);
        var attributes = property.GetCustomAttributes();
        var accessors = property.GetAccessors();
        (string Name, MethodDefinitionHandle Handle)[] all = [("get", accessors.Getter), ("set", accessors.Setter)];
        return new()
        {
            IsProperty = true,
            Facts = [("tuple", _attributes.TupleNames(attributes))],
            Sets =
            [
                ("attributes", _attributes.Text(attributes)),
                ("accessors", [.. all.Where(accessor => IsVisible(accessor.Handle)).Select(accessor => accessor.Name)]),
            ],
            Type = Marked(property.DecodeSignature(MarkedTypes.Instance, null).ReturnType, attributes, Context(type), arguments),
        };
    }

    /// <summary>Returns whether others can use a method.</summary>
    internal bool IsVisible(MethodDefinitionHandle handle) => !handle.IsNil
        && Visibility.IsVisible(_reader.GetMethodDefinition(handle).Attributes & MethodAttributes.MemberAccessMask);

    private Declaration Read(Parameter parameter, MarkedType? type)
    {
        var attributes = parameter.GetCustomAttributes();
        var isOptional = parameter.Attributes.HasFlag(ParameterAttributes.Optional);
        return new(_reader.GetString(parameter.Name))
        {
            Facts =
            [
                ("name", _reader.GetString(parameter.Name)),
                ("default", isOptional ? Constant(parameter.GetDefaultValue()) : "required"),
                ("params", _attributes.Has(attributes, "System.ParamArrayAttribute") ? "params" : ""),
                ("tuple", _attributes.TupleNames(attributes)),
            ],
            Sets = [("attributes", _attributes.Text(attributes))],
            Type = type,
        };
    }

    private Declaration Read(GenericParameterHandle handle, byte context)
    {
        var parameter = _reader.GetGenericParameter(handle);
        var name = _reader.GetString(parameter.Name);
        var types = parameter.GetConstraints().Select(_reader.GetGenericParameterConstraint).Select(row => Type(row.Type).ToString());
        var flags = parameter.Attributes == GenericParameterAttributes.None ? "" : parameter.Attributes.ToString();
        return new(name)
        {
            Facts = [("constraint", string.Join(" ", types.Order(StringComparer.Ordinal).Prepend(flags)).Trim())],
            Type = new MarkedType("", [], true).With(_attributes.Nullable(parameter.GetCustomAttributes()) ?? [context]),
        };
    }

    private MarkedType Marked(
        MarkedType type, CustomAttributeHandleCollection attributes, byte context, IReadOnlyList<MarkedType>? arguments) =>
        type.With(_attributes.Nullable(attributes) ?? [context]).Of(arguments);

    private byte Context(TypeDefinitionHandle handle)
    {
        var type = _reader.GetTypeDefinition(handle);
        if (_attributes.NullableContext(type.GetCustomAttributes()) is { } own) return own;
        return type.GetDeclaringType() is { IsNil: false } outer ? Context(outer) : (byte)0;
    }

    private MarkedType Type(EntityHandle handle) => handle.Kind switch
    {
        HandleKind.TypeDefinition => MarkedTypes.Instance.GetTypeFromDefinition(_reader, (TypeDefinitionHandle)handle, 0),
        HandleKind.TypeReference => MarkedTypes.Instance.GetTypeFromReference(_reader, (TypeReferenceHandle)handle, 0),
        _ => _reader.GetTypeSpecification((TypeSpecificationHandle)handle).DecodeSignature(MarkedTypes.Instance, null),
    };

    private string Kind(TypeDefinition type)
    {
        if (type.Attributes.HasFlag(TypeAttributes.Interface)) return "interface";
        var isSealed = type.Attributes.HasFlag(TypeAttributes.Sealed);
        switch (type.BaseType.IsNil ? "" : Type(type.BaseType).Name)
        {
            case "System.ValueType": return "struct";
            case "System.MulticastDelegate": return "delegate";
            case "System.Enum":
                var fields = type.GetFields().Select(_reader.GetFieldDefinition);
                var value = fields.First(field => !field.Attributes.HasFlag(FieldAttributes.Static));
                return $"enum of {value.DecodeSignature(SignatureText.Instance, null)}";
            default:
                if (type.Attributes.HasFlag(TypeAttributes.Abstract)) return isSealed ? "static class" : "abstract class";
                return isSealed ? "sealed class" : "class";
        }
    }

    // Others in another assembly see no difference between protected and protected internal.
    private static string Access(MethodAttributes access) => access == MethodAttributes.Public ? "public" : "protected";

    // Yields whether others can override the method, and whether it overrides one. A method of a base type may be new there.
    private IEnumerable<string> Virtual(MethodDefinition method, bool inherited)
    {
        if (!method.Attributes.HasFlag(MethodAttributes.Virtual)) yield break;
        var type = _reader.GetTypeDefinition(method.GetDeclaringType()).Attributes;
        if (!method.Attributes.HasFlag(MethodAttributes.Final) && !type.HasFlag(TypeAttributes.Sealed)) yield return "virtual";
        if (inherited || !method.Attributes.HasFlag(MethodAttributes.NewSlot)) yield return "override";
    }

    private string Constant(ConstantHandle handle)
    {
        if (handle.IsNil) return "optional";
        var constant = _reader.GetConstant(handle);
        var value = _reader.GetBlobReader(constant.Value).ReadConstant(constant.TypeCode);
        return value is null ? "null" : string.Create(CultureInfo.InvariantCulture, $"{value} ({constant.TypeCode})");
    }
}
