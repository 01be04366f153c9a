using System.Reflection;
using System.Runtime.CompilerServices;

namespace Bridge.Torch;

/// <summary>
/// The fields, properties and methods of a class that Python can use, by the names that Python code writes. Internal members of
/// TorchSharp's classes, such as <c>Module</c>, are left out.
/// </summary>
internal static class MemberNames
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
    private static readonly TypeCache<MemberInfo[]> Known = new(FindValues);

    /// <summary>
    /// Returns the public and internal fields and properties of a class, the most derived of each name. Leaves out indexers, write-only
    /// properties, a record's <c>EqualityContract</c>, and fields and properties of a by-reference, pointer or ref struct type.
    /// </summary>
    internal static IReadOnlyList<MemberInfo> Values(Type type) => Known[type];

    /// <summary>
    /// Returns the public and internal instance methods of a class, by name, including an indexer's <c>get_Item</c> and <c>set_Item</c>.
    /// Leaves out the accessors of properties and events, generic methods, methods with a parameter by reference or of a pointer or ref
    /// struct type, and methods that the class inherits from object without overriding them.
    /// </summary>
    internal static ILookup<string, MethodInfo> Methods(Type type) =>
        type.GetMethods(Any)
            .Where(method => IsUsable(method) && !method.ContainsGenericParameters && method.DeclaringType != typeof(object)
                && (!method.IsSpecialName || method.Name is "get_Item" or "set_Item"))
            .Where(method => method.GetParameters().All(item => !item.ParameterType.IsByRef && !item.ParameterType.IsByRefLike
                && !item.ParameterType.IsPointer))
            .GroupBy(method => (method.Name, string.Join(',', method.GetParameters().Select(item => item.ParameterType))))
            .Select(group => group.First()).ToLookup(method => method.Name);

    /// <summary>
    /// Returns the name that Python code means: the same name, or else the only one that differs in case and underscores alone. Returns
    /// null if there is no such name, or several.
    /// </summary>
    internal static string? Resolve(IReadOnlyCollection<string> names, string given)
    {
        if (names.Contains(given)) return given;
        var near = names.Where(name => Fold(name) == Fold(given)).Distinct().ToArray();
        return near.Length == 1 ? near[0] : null;
    }

    internal static bool IsAccessible(MethodBase method) => method.IsPublic || method.IsAssembly || method.IsFamilyOrAssembly;

    internal static bool IsWritable(MemberInfo member) => member switch
    {
        FieldInfo field => !field.IsInitOnly,
        PropertyInfo { SetMethod: { } set } => IsAccessible(set)
            && !set.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)),
        _ => false,
    };

    internal static Type TypeOf(MemberInfo member) => member is FieldInfo field ? field.FieldType : ((PropertyInfo)member).PropertyType;

    internal static object? Read(object target, MemberInfo member) => member is FieldInfo field
        ? field.GetValue(target)
        : ((PropertyInfo)member).GetMethod!.Invoke(target, BindingFlags.DoNotWrapExceptions, null, null, null);

    internal static void Write(object target, MemberInfo member, object? value)
    {
        if (member is FieldInfo field) field.SetValue(target, value);
        else ((PropertyInfo)member).SetMethod!.Invoke(target, BindingFlags.DoNotWrapExceptions, null, [value], null);
    }

    private static MemberInfo[] FindValues(Type type) =>
        [.. type.GetMembers(Any).Where(IsValue).GroupBy(member => member.Name)
            .Select(group => group.MinBy(member => Depth(type, member))!).OrderBy(member => member.MetadataToken)];

    private static bool IsValue(MemberInfo member) => member switch
    {
        FieldInfo field => (field.IsPublic || ((field.IsAssembly || field.IsFamilyOrAssembly) && !IsOfTorchSharp(field)))
            && IsUsable(field.FieldType),
        PropertyInfo { GetMethod: { } get } property =>
            IsUsable(get) && property.GetIndexParameters().Length == 0 && IsUsable(property.PropertyType)
            && property.Name != "EqualityContract",
        _ => false,
    };

    // Returns whether Bridge.Torch or TorchSharp itself declares the member.
    private static bool IsOfTorchSharp(MemberInfo member) =>
        member.DeclaringType!.Assembly is var assembly
        && (assembly == typeof(TorchSharp.torch).Assembly || assembly.GetName().Name == "TorchSharp");

    private static bool IsUsable(MethodInfo method) => method.IsPublic || (IsAccessible(method) && !IsOfTorchSharp(method));

    private static bool IsUsable(Type type) => !type.IsByRef && !type.IsByRefLike && !type.IsPointer;

    /// <summary>Returns the number of steps from a class to the base class that declares a member; 0 if the class itself does.</summary>
    internal static int Depth(Type? type, MemberInfo member)
    {
        var depth = 0;
        for (; type is not null && type != member.DeclaringType; type = type.BaseType) depth++;
        return depth;
    }

    private static string Fold(string name) => name.Replace("_", "", StringComparison.Ordinal).ToUpperInvariant();
}
