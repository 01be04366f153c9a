using System.Collections;
using System.Reflection;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>The fields, by type, that can lead to a tensor other than a parameter.</summary>
/// <remarks>
/// An object of a model's class can hold a tensor. An object of a .NET type can hold one if one of its type arguments can
/// (<c>HashSet&lt;Tensor&gt;</c>), or if it is a non-generic collection or a delegate, whose closure holds captured variables. A field of a
/// module type is not followed: the callers examine each module of the tree.
/// </remarks>
/// <param name="tensor">The type of tensors.</param>
/// <param name="parameter">The type of parameters.</param>
/// <param name="module">The type of modules.</param>
/// <param name="scope">The type of dispose scopes.</param>
internal sealed class ObjectGraph(Type tensor, Type parameter, Type module, Type scope)
{
    private const BindingFlags All = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private TypeCache<FieldInfo[]>? _known;
    private TypeCache<bool>? _holders;

    /// <summary>Gets the object graph of models on Bridge.Torch.</summary>
    internal static ObjectGraph Own { get; } =
        new(typeof(torch.Tensor), typeof(TorchSharp.Modules.Parameter), typeof(torch.nn.Module), typeof(DisposeScope));

    /// <summary>Returns the fields of a type, base types included, that can lead to a tensor.</summary>
    internal FieldInfo[] Fields(Type type) => (_known ??= new(FindFields))[type];

    private FieldInfo[] FindFields(Type start)
    {
        var fields = new List<FieldInfo>();
        for (var level = start; level is not null && level != typeof(object) && !IsOurBase(level); level = level.BaseType)
            if (!IsFramework(level) || IsHolder(level))
                fields.AddRange(level.GetFields(All).Where(field => CanLead(field.FieldType)));
        return fields.ToArray();
    }

    internal bool IsTensor(object value) => tensor.IsInstanceOfType(value);

    /// <summary>
    /// Returns whether a field declared with this type can have a value that is, or leads to, a tensor other than a parameter.
    /// </summary>
    internal bool CanLead(Type declared) =>
        declared == typeof(object) || (declared.IsInterface && !declared.IsGenericType) || declared.IsAssignableTo(tensor)
            ? !declared.IsAssignableTo(parameter) : CanHold(declared);

    /// <summary>Returns whether an object of exactly this type, which is not a tensor type, can hold a tensor.</summary>
    internal bool CanHold(Type type) => (_holders ??= new(IsHolder))[type];

    private bool IsHolder(Type type)
    {
        if (type.IsPrimitive || type.IsEnum || type.IsPointer || type.IsFunctionPointer || type.IsByRefLike || type == typeof(string))
            return false;
        if (type.IsAssignableTo(module) || type == scope) return false;
        if (type.IsArray) return CanLead(type.GetElementType()!);
        if (type.IsAssignableTo(typeof(Delegate))) return true;
        if (!IsFramework(type)) return true;
        // A type nested in a generic type, such as a dictionary's entry, has the same type arguments.
        if (type.IsGenericType) return type.GetGenericArguments().Any(CanLead);
        return type.Namespace is "System.Collections" && type.IsAssignableTo(typeof(ICollection))
            || type.DeclaringType is { Namespace: "System.Collections" };
    }

    /// <summary>Returns whether the assembly is .NET's or this project's, rather than a user's.</summary>
    internal static bool IsForeign(Assembly assembly) => Origin.IsOurs(assembly) || Origin.IsFramework(assembly);

    internal static bool IsFramework(Type type) => Origin.IsFramework(type.Assembly);

    // Fields of the library's own module classes implement the module tree.
    private bool IsOurBase(Type type) => type.Assembly == module.Assembly && type.IsAssignableTo(module);
}
