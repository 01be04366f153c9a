using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>Static fields in which a model could keep a tensor, or a module.</summary>
/// <remarks>
/// Reading one would run the static initializers of its type, so only those of types are read that are initialized already: no other can hold what a call made.
/// Before .NET 9, which does not tell, these are read: fields of the tree's own types, those of types that their code names, and those of types that have
/// nothing to run.
/// </remarks>
internal static class StaticFields
{
    private const BindingFlags All = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private static readonly ConditionalWeakTable<Assembly, (Type Type, FieldInfo Field)[]> Known = [];

    /// <summary>Those that belong to modules of these types.</summary>
    internal static IEnumerable<FieldInfo> Of(IReadOnlySet<Type> types)
    {
        foreach (var type in types.Where(type => type.IsGenericType && !ObjectGraph.IsForeign(type.Assembly)))
            foreach (var field in Leading(type)) yield return field;
        var named = StaticInitializers.CanTell ? null : ReferencedTypes.Of(types);
        foreach (var assembly in types.Select(type => type.Assembly).Where(assembly => !ObjectGraph.IsForeign(assembly)).Distinct())
            foreach (var (type, field) in Known.GetValue(assembly, Of))
                if (types.Contains(type) || type.TypeInitializer is null || named?.Contains(type) != false) yield return field;
    }

    /// <summary>The modules of a tree that a static field of one of its types holds, alone or among others, and what is below them: they live as long as the process.</summary>
    internal static IReadOnlySet<torch.nn.Module> Modules(IReadOnlyCollection<torch.nn.Module> tree)
    {
        var found = new HashSet<torch.nn.Module>(ReferenceEqualityComparer.Instance);
        foreach (var type in tree.Select(module => module.GetType()).Where(type => !ObjectGraph.IsForeign(type.Assembly)).Distinct())
            foreach (var field in type.GetFields(All).Where(field => !field.FieldType.IsValueType && field.FieldType != typeof(string)))
            {
                var value = Read(null, field);
                var held = value is System.Collections.IDictionary map ? map.Values : value as System.Collections.IEnumerable;
                foreach (var module in (held?.OfType<torch.nn.Module>() ?? []).Append(value).OfType<torch.nn.Module>())
                    found.UnionWith(module.Tree);
            }

        found.IntersectWith(tree);
        return found;
    }

    /// <summary>Runs the initializers that reading the fields of these types would run, where .NET does not tell whether they ran.</summary>
    internal static void Initialize(IReadOnlySet<Type> types)
    {
        if (StaticInitializers.CanTell) return;
        foreach (var field in Of(types)) Read(null, field);
    }

    /// <summary>A field's value; null if it is static and its type is not initialized, or cannot be, which the model finds out when it needs it.</summary>
    internal static object? Read(object? owner, FieldInfo field)
    {
        if (owner is not null) return field.GetValue(owner);
        if (!StaticInitializers.HaveRun(field.DeclaringType!)) return null;
        // What an initializer makes belongs only to the field.
        using var unscoped = DisposeScopeManager.WithoutScope();
        try
        {
            return field.GetValue(null);
        }
        catch (TypeInitializationException)
        {
            return null;
        }
    }

    private static (Type, FieldInfo)[] Of(Assembly assembly) =>
        Types(assembly).Where(type => !type.ContainsGenericParameters).SelectMany(type => Leading(type).Select(field => (type, field))).ToArray();

    private static Type[] Types(Assembly assembly)
    {
        try
        {
            return assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException exception)
        {
            return exception.Types.OfType<Type>().ToArray();
        }
    }

    // Delegates of lambdas that capture nothing, and of static methods, are kept in static fields of classes that are named like this. A field with its place in
    // the file has what the compiler keeps of an array of constants.
    private static FieldInfo[] Leading(Type type)
    {
        try
        {
            const FieldAttributes constant = FieldAttributes.Literal | FieldAttributes.HasFieldRVA;
            return type.Name is "<>c" or "<>O" ? [] : type.GetFields(All).Where(field => (field.Attributes & constant) == 0 && ObjectGraph.CanLead(field.FieldType)).ToArray();
        }
        catch (Exception exception) when (exception is IOException or TypeLoadException)
        {
            return []; // of a missing assembly, so it cannot have been used
        }
    }
}
