using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>Creates objects of a model's own classes, records and structs from a Python dictionary or keywords.</summary>
internal static class ObjectPacker
{
    private static readonly TypeCache<bool> Known = new(static type =>
        !type.IsAbstract && !type.IsPrimitive && !type.IsEnum && !type.IsArray && !type.ContainsGenericParameters && !type.IsByRefLike
        && !typeof(Delegate).IsAssignableFrom(type) && !ObjectGraph.IsForeign(type.Assembly)
        && type.Assembly.GetName().Name != "TorchSharp" && !IsModule(type));

    /// <summary>Returns whether the type is a class, record or struct of the user's, and neither abstract nor a module.</summary>
    internal static bool CanCreate(Type type) => Known[type];

    /// <summary>
    /// Creates an object. Each named value is an argument of a constructor, or the value of a property or field. A name may differ from
    /// C#'s in case and underscores.
    /// </summary>
    /// <param name="type">The class, record or struct.</param>
    /// <param name="given">The named values.</param>
    /// <param name="positional">The positional arguments of a constructor.</param>
    /// <exception cref="ArgumentException">A name is unknown, a value does not fit, or a required value is missing.</exception>
    internal static object Create(Type type, DictOfValues given, params object?[] positional)
    {
        var settable = MemberNames.Values(type).Where(CanInitialize).ToDictionary(member => member.Name);
        var constructors = Constructors(type);
        CheckNames(type, given, constructors, settable);
        Candidate[] candidates = [.. constructors.Select(method => new Candidate(method, given, positional.Length))
            .Where(candidate => candidate.IsComplete && candidate.Rest.All(item => IsKnown(settable.Keys, item.Key)))
            .OrderBy(candidate => candidate.Constructor.GetParameters().Length)];
        if (candidates.Length > 0)
        {
            var fitting = candidates.FirstOrDefault(item => ArgumentBinder.Fits(item.Constructor, positional, item.Named));
            var (constructor, named, rest) = fitting ?? candidates[0];
            var (_, values) = ArgumentBinder.Bind([constructor], CSharpTypeName.Of(type), positional, named);
            return Fill(constructor.Invoke(BindingFlags.DoNotWrapExceptions, null, values, null), type, rest, settable, constructor);
        }

        if (type.IsValueType && positional.Length == 0) return Fill(Activator.CreateInstance(type)!, type, given.Items, settable, null);
        var shown = positional.Length == 0 ? ArgumentBinder.Show(given) : ArgumentBinder.Given(positional, given);
        throw new ArgumentException($"{CSharpTypeName.Of(type)} cannot be created from {shown}. Its constructors: "
            + $"{string.Join("; ", constructors.Select(method => ArgumentBinder.Signature(CSharpTypeName.Of(type), method)))}.");
    }

    private static void CheckNames(
        Type type, DictOfValues given, ConstructorInfo[] constructors, Dictionary<string, MemberInfo> settable)
    {
        var names = constructors.SelectMany(method => method.GetParameters().Select(item => item.Name!)).Concat(settable.Keys)
            .Distinct().ToArray();
        foreach (var (key, _) in given.Items)
            if (!IsKnown(names, key))
                throw new ArgumentException($"{CSharpTypeName.Of(type)} has no property, field or constructor parameter '{key}'. "
                    + $"It has: {string.Join(", ", Described(names, constructors, settable))}.");
    }

    private static bool IsKnown(IReadOnlyCollection<string> names, string given) => MemberNames.Resolve(names, given) is not null;

    private static ConstructorInfo[] Constructors(Type type) =>
        [.. type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic).Where(MemberNames.IsAccessible)];

    private static object Fill(
        object target,
        Type type,
        KeyValuePair<string, object?>[] items,
        Dictionary<string, MemberInfo> settable,
        ConstructorInfo? constructor)
    {
        var written = new HashSet<string>();
        foreach (var (key, value) in items)
        {
            var member = settable[MemberNames.Resolve(settable.Keys, key) ?? throw new ArgumentException(
                $"{CSharpTypeName.Of(type)} has no property or field '{key}' that can be set.")];
            MemberNames.Write(target, member, Convert(member, type, value));
            written.Add(member.Name);
        }

        var setsRequired = constructor?.IsDefined(typeof(System.Diagnostics.CodeAnalysis.SetsRequiredMembersAttribute)) == true;
        var missing = setsRequired ? [] : settable.Values
            .Where(member => member.IsDefined(typeof(RequiredMemberAttribute)) && !written.Contains(member.Name)).ToArray();
        if (missing.Length == 0) return target;
        throw new ArgumentException(
            $"{CSharpTypeName.Of(type)} requires a value for {string.Join(", ", missing.Select(member => member.Name))}.");
    }

    /// <summary>Converts a value to the type of a field or property.</summary>
    /// <exception cref="ArgumentException">The value does not fit; the message names the member.</exception>
    internal static object? Convert(MemberInfo member, Type type, object? value)
    {
        try
        {
            return Tuples.Packer(MemberNames.TypeOf(member))(value);
        }
        catch (Exception exception) when (exception is InvalidCastException or OverflowException or ArgumentException)
        {
            throw new ArgumentException($"'{member.Name}' of {CSharpTypeName.Of(type)}: {exception.Message}");
        }
    }

    // Accepts a property with `init`, since the object is new.
    private static bool CanInitialize(MemberInfo member) => member switch
    {
        FieldInfo field => !field.IsInitOnly,
        PropertyInfo { SetMethod: { } set } => MemberNames.IsAccessible(set),
        _ => false,
    };

    private static IEnumerable<string> Described(
        string[] names, ConstructorInfo[] constructors, Dictionary<string, MemberInfo> settable)
    {
        foreach (var name in names)
        {
            var type = settable.TryGetValue(name, out var member) ? MemberNames.TypeOf(member)
                : constructors.SelectMany(method => method.GetParameters()).First(item => item.Name == name).ParameterType;
            yield return $"{CSharpTypeName.Of(type)} {name}";
        }
    }

    // Compares names too, since a module on TorchSharp itself does not derive from Bridge.Torch's class.
    private static bool IsModule(Type type)
    {
        for (var level = type; level is not null; level = level.BaseType)
            if (level == typeof(torch.nn.Module) || level.FullName == "TorchSharp.torch+nn+Module") return true;
        return false;
    }

    /// <summary>
    /// A constructor; the named arguments that it takes, by the names of its parameters; and the other named values, for properties and
    /// fields.
    /// </summary>
    private sealed record Candidate(ConstructorInfo Constructor, DictOfValues Named, KeyValuePair<string, object?>[] Rest)
    {
        internal Candidate(ConstructorInfo constructor, DictOfValues given, int positional)
            : this(constructor, DictOfValues.Empty, given.Items)
        {
            var parameters = constructor.GetParameters();
            if (positional > parameters.Length) return;
            var names = parameters[positional..].Select(item => item.Name!).ToArray();
            Named = new([.. from item in given.Items
                            let name = MemberNames.Resolve(names, item.Key)
                            where name is not null
                            select KeyValuePair.Create(name, item.Value)]);
            Rest = given.Items.Where(item => !IsKnown(names, item.Key)).ToArray();
            IsComplete = parameters[positional..].All(item => item.HasDefaultValue || Named.Items.Any(other => other.Key == item.Name));
        }

        /// <summary>Gets whether each parameter has an argument or a default.</summary>
        internal bool IsComplete { get; }
    }
}
