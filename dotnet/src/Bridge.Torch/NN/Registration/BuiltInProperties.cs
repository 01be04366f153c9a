using System.Collections.Concurrent;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>The hyperparameters of built-in modules, as Python gets them: numbers, booleans, strings, tuples or null.</summary>
internal static class BuiltInProperties
{
    private const BindingFlags Own = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private static readonly ConcurrentDictionary<Type, Hyperparameter[]> Known = new();

    /// <summary>Returns the hyperparameters of a built-in module; none for a user's module.</summary>
    internal static IEnumerable<(string Name, object? Value)> Of(torch.nn.Module module) =>
        IsBuiltIn(module) ? Known.GetOrAdd(module.GetType(), Find).Select(part => (part.Name, Plain(part.Get(module)))) : [];

    /// <summary>Returns whether the module is of a class of TorchSharp, and not a TorchScript module.</summary>
    internal static bool IsBuiltIn(torch.nn.Module module) =>
        module.GetType().Assembly == typeof(torch.nn.Module).Assembly && module is not torch.jit.ScriptModule;

    /// <summary>Converts a value to the type in which Python gets it.</summary>
    internal static object? Plain(object? value) => value switch
    {
        Enum name => name.ToString(),
        long[] numbers => numbers.Select(number => (object?)number).ToArray(),
        double[] numbers => numbers.Select(number => (object?)number).ToArray(),
        ITuple tuple => Enumerable.Range(0, tuple.Length).Select(i => Plain(tuple[i])).ToArray(),
        float real => double.Parse(real.ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture),
        _ => value,
    };

    /// <summary>Sets an auto-property after Python wrote the attribute of the same name. Does not notify Python.</summary>
    /// <returns>
    /// False if the module is not built in or has no such auto-property, or if the value does not convert to the property's type.
    /// </returns>
    internal static bool SetFromPython(torch.nn.Module module, string name, object? value)
    {
        if (!IsBuiltIn(module)) return false;
        for (var type = module.GetType(); type != typeof(torch.nn.Module) && type is not null; type = type.BaseType)
        {
            if (type.GetField($"<{name}>k__BackingField", Own) is not { } field) continue;
            if (!TryConvert(value, field.FieldType, field.GetValue(module), out var converted)) return false;
            field.SetValue(module, converted);
            return true;
        }

        return false;
    }

    /// <summary>
    /// Returns the tensor fields of a module class and its base classes, with their names in Python. The field of an auto-property has the
    /// property's name. Any other field has its name from <see cref="FieldInfoExtensionMethods.ComponentName"/>, in built-in classes
    /// without leading underscores.
    /// </summary>
    internal static IEnumerable<(string Name, FieldInfo Field)> Tensors(Type type)
    {
        for (var level = type; level != typeof(torch.nn.Module) && level is not null; level = level.BaseType)
            foreach (var field in level.GetFields(Own))
                if (field.FieldType.IsAssignableTo(typeof(torch.Tensor)))
                    yield return (field.Name is ['<', ..]
                        ? field.Name[1..field.Name.IndexOf('>', StringComparison.Ordinal)]
                        : field.ComponentName().TrimStart(level.Assembly == typeof(torch.nn.Module).Assembly ? ['_'] : [' ']), field);
    }

    private static Hyperparameter[] Find(Type type)
    {
        var found = new Dictionary<string, Hyperparameter>();
        for (var level = type; level != typeof(torch.nn.Module) && level is not null; level = level.BaseType)
        {
            // Nested classes, such as torch.nn.Module<T, TResult>, have no hyperparameters.
            if (level.DeclaringType is not null) continue;
            foreach (var property in level.GetProperties(Own))
                if (property.GetIndexParameters().Length == 0 && IsPlain(property.PropertyType))
                    found.TryAdd(property.Name, new(property.Name, property.GetValue));
            foreach (var field in level.GetFields(Own))
            {
                if (IsPlain(field.FieldType) && field.Name.StartsWith('_')) found.TryAdd(field.Name, new(field.Name, field.GetValue));
                if (field.FieldType != typeof(RecurrentWeights)) continue;
                foreach (var part in field.FieldType.GetProperties(Own).Where(property => IsPlain(property.PropertyType)))
                    found.TryAdd(part.Name, new(part.Name, module => part.GetValue(field.GetValue(module))));
            }
        }

        return found.Values.ToArray();
    }

    private static bool IsPlain(Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        return type.IsEnum || type == typeof(bool) || type == typeof(long) || type == typeof(int) || type == typeof(double)
            || type == typeof(float) || type == typeof(string) || type == typeof(long[]) || type == typeof(double[])
            || (type.IsValueType && type.IsAssignableTo(typeof(ITuple)) && type.GetGenericArguments().All(IsPlain));
    }

    private sealed class Hyperparameter(string name, Func<object?, object?> get)
    {
        internal readonly string Name = name;
        internal readonly Func<object?, object?> Get = get;
    }

    private static bool TryConvert(object? value, Type type, object? before, out object? converted)
    {
        var inner = Nullable.GetUnderlyingType(type);
        converted = null;
        if (value is null) return inner is not null;
        type = inner ?? type;
        converted = value switch
        {
            bool when type == typeof(bool) => value,
            long when type == typeof(long) => value,
            long number when type == typeof(double) => (double)number,
            double when type == typeof(double) => value,
            string when type == typeof(string) => value,
            string text when type.IsEnum => Enum.TryParse(type, text, ignoreCase: true, out var named) ? named : null,
            object?[] items when type == typeof(long[]) && items.All(item => item is long) => items.Select(item => (long)item!).ToArray(),
            long number when type == typeof(long[]) && before is long[] sizes => Enumerable.Repeat(number, sizes.Length).ToArray(),
            object?[] and [long first, long second] when type == typeof((long, long)) => (first, second),
            long number when type == typeof((long, long)) => (number, number),
            _ => null,
        };
        return converted is not null;
    }
}
