extern alias real;

using System.Reflection;
using MemberNames = Bridge.Torch.MemberNames;
using torch = real::TorchSharp.torch;
using Tuples = Bridge.Torch.Tuples;

namespace Bridge.InProcess;

/// <summary>The public fields and properties of a module's class that Python can read, such as <c>p</c> of Dropout.</summary>
internal static class Members
{
    private const BindingFlags Public = BindingFlags.Instance | BindingFlags.Public | BindingFlags.DeclaredOnly;
    private static readonly Dictionary<Type, Dictionary<string, MemberInfo>> Known = [];

    /// <summary>Returns the members of a class by name, the most derived of each name.</summary>
    internal static IReadOnlyDictionary<string, MemberInfo> Of(Type module)
    {
        lock (Known)
        {
            if (!Known.TryGetValue(module, out var found)) Known[module] = found = Find(module);
            return found;
        }
    }

    internal static bool IsWritable(MemberInfo member) =>
        member is FieldInfo { IsInitOnly: false }
        || (member is PropertyInfo { SetMethod: { IsPublic: true } set } && !Bridge.Torch.PythonTypes.IsInit(set));

    internal static object? Get(object module, string name)
    {
        var value = MemberNames.Read(module, Of(module.GetType())[name]);
        return value is Enum ? value.ToString() : value;
    }

    /// <exception cref="InvalidCastException">The value does not fit the member's type.</exception>
    internal static void Set(object module, string name, object? value)
    {
        var member = Of(module.GetType())[name];
        MemberNames.Write(module, member, Tuples.Packer(MemberNames.TypeOf(member))(value));
    }

    private static Dictionary<string, MemberInfo> Find(Type module)
    {
        var found = new Dictionary<string, MemberInfo>();
        // The base classes in torch.nn are left out: Python has their members, such as `training`, itself.
        for (var type = module; type is not null && type.DeclaringType != typeof(torch.nn); type = type.BaseType)
            foreach (var member in type.GetFields(Public).Concat<MemberInfo>(type.GetProperties(Public)))
                if (IsPlain(member)) found.TryAdd(member.Name, member);
        return found;
    }

    private static bool IsPlain(MemberInfo member) => member switch
    {
        FieldInfo field => IsPlain(field.FieldType),
        PropertyInfo { GetMethod.IsPublic: true } property => property.GetIndexParameters().Length == 0 && IsPlain(property.PropertyType),
        _ => false,
    };

    private static bool IsPlain(Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        if (type.IsArray) return IsPlain(type.GetElementType()!);
        return type.IsPrimitive || type.IsEnum || type == typeof(string) || type == typeof(torch.Tensor);
    }
}
