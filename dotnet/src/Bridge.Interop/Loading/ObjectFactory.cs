using System.Reflection;
using System.Text.Json;
using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>
/// Creates objects of the classes, records and structs of a model's assembly, by constructors or static methods, and arrays such as
/// <c>long[]</c>.
/// </summary>
/// <remarks>Bridge.Host compiles this file too.</remarks>
internal static class ObjectFactory
{
    private const BindingFlags AnyStatic = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

    // The arrays that `bridge.new` makes, for parameters that C# declares as object.
    private static readonly Dictionary<string, Type> Arrays = new[]
    {
        typeof(bool[]), typeof(byte[]), typeof(int[]), typeof(long[]), typeof(float[]), typeof(double[]), typeof(string[]),
        typeof(object[]),
    }.ToDictionary(CSharpTypeName.Of);

    /// <summary>Creates an instance of a class, the result of a static method, or an array.</summary>
    /// <param name="assembly">The model's assembly.</param>
    /// <param name="name">The full name of the class or method, or an array type such as <c>long[]</c>.</param>
    /// <param name="arguments">A JSON array of two items: the array of positional arguments, and the object of named arguments.</param>
    /// <param name="held">Returns the .NET object with the given number.</param>
    /// <exception cref="ArgumentException">
    /// There is no such class or method, the class cannot be created, the method returned null, or the arguments do not fit.
    /// </exception>
    /// <exception cref="InvalidCastException">An item does not fit the array.</exception>
    internal static object Create(Assembly assembly, string name, JsonElement arguments, Func<long, object?> held)
    {
        if (Arrays.TryGetValue(name, out var array) && arguments[0].GetArrayLength() == 1)
            return Tuples.Packer(array)(Constructors.ToPlain(arguments[0][0], held))!;
        if (array is not null) throw new ArgumentException($"'{name}' takes one argument, the items.");
        if (TypeNames.Find(assembly, name) is { } type)
        {
            if (type.IsAbstract || type.ContainsGenericParameters || type.IsEnum)
                throw new ArgumentException(
                    $"{CSharpTypeName.Of(type)} cannot be created: it is abstract, static, generic or an enumeration.");
            if (ObjectPacker.CanCreate(type))
            {
                var positional = arguments[0].EnumerateArray().Select(item => Constructors.ToPlain(item, held)).ToArray();
                return ObjectPacker.Create(type, (DictOfValues)Constructors.ToPlain(arguments[1], held)!, positional);
            }

            return Constructors.Invoke(Constructors.Accessible(type), name, arguments, held);
        }

        var dot = name.LastIndexOf('.');
        var owner = dot > 0 ? TypeNames.Find(assembly, name[..dot]) : null;
        MethodBase[] methods = [.. owner?.GetMethods(AnyStatic)
            .Where(method => method.Name == name[(dot + 1)..] && Constructors.IsAccessible(method)) ?? []];
        if (methods.Length > 0) return Constructors.Invoke(methods, name, arguments, held);
        var names = TypeNames.Types(assembly).Where(ObjectPacker.CanCreate).Select(TypeNames.CSharpName);
        throw new ArgumentException(
            $"{assembly.GetName().Name}.dll has no type or static method '{name}'.{NearNames.Suggest(name, names)}");
    }
}
