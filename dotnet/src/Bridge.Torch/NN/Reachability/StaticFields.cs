using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>The static fields in which a model could keep a tensor or a module.</summary>
/// <remarks>
/// Reading a static field runs the initializers of its type. So only fields of initialized types are read: no other field can hold a tensor
/// that a call made. .NET 8 cannot tell whether a type is initialized. On .NET 8, the fields of these types are read: the module types,
/// types to which their code refers, and types without initializers.
/// </remarks>
internal static class StaticFields
{
    private const BindingFlags All = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private static readonly ConditionalWeakTable<Assembly, (Type Type, FieldInfo Field)[]> Known = [];

    /// <summary>Returns the static fields that can lead to a tensor, in the assemblies of these types.</summary>
    internal static IEnumerable<FieldInfo> Of(IReadOnlySet<Type> types)
    {
        foreach (var type in types.Where(type => type.IsGenericType && !ObjectGraph.IsForeign(type.Assembly)))
            foreach (var field in LeadingFields(type)) yield return field;
        var named = StaticInitializers.CanTell ? null : ReferencedTypes.Of(types);
        foreach (var assembly in types.Select(type => type.Assembly).Where(assembly => !ObjectGraph.IsForeign(assembly)).Distinct())
            foreach (var (type, field) in Known.GetValue(assembly, Of))
                if (types.Contains(type) || type.TypeInitializer is null || named?.Contains(type) != false) yield return field;
    }

    /// <summary>
    /// Returns those modules of a tree that a static field of one of the tree's module classes holds, directly or in a collection, and the
    /// descendants of these modules.
    /// </summary>
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

    /// <summary>Runs the initializers of the fields that <c>Of</c> returns, if .NET cannot tell whether initializers have run.</summary>
    internal static void Initialize(IReadOnlySet<Type> types)
    {
        if (StaticInitializers.CanTell) return;
        foreach (var field in Of(types)) Read(null, field);
    }

    /// <summary>
    /// Returns a field's value; null for a static field whose type is known not to be initialized, or fails to initialize.
    /// </summary>
    internal static object? Read(object? owner, FieldInfo field)
    {
        if (owner is not null) return field.GetValue(owner);
        if (!StaticInitializers.HaveRun(field.DeclaringType!)) return null;
        // Tensors that an initializer creates must not be disposed with the caller's dispose scope.
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
        Types(assembly).Where(type => !type.ContainsGenericParameters)
            .SelectMany(type => LeadingFields(type).Select(field => (type, field))).ToArray();

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

    // The compiler's classes <>c and <>O hold cached delegates of static lambdas and methods. A field with an RVA holds a constant array.
    private static FieldInfo[] LeadingFields(Type type)
    {
        try
        {
            const FieldAttributes constant = FieldAttributes.Literal | FieldAttributes.HasFieldRVA;
            return type.Name is "<>c" or "<>O" ? []
                : type.GetFields(All).Where(field => (field.Attributes & constant) == 0)
                    .Where(field => ObjectGraph.Own.CanLead(field.FieldType)).ToArray();
        }
        catch (Exception exception) when (exception is IOException or TypeLoadException)
        {
            return []; // an assembly is missing, so the type cannot have been used
        }
    }
}
