using System.Globalization;
using System.Reflection;

namespace Bridge.Torch;

/// <summary>
/// Chooses the overload that C# would choose for arguments from Python, public overloads first, and converts the arguments.
/// </summary>
internal static class ArgumentBinder
{
    /// <summary>Chooses a method and returns it with a value for each of its parameters.</summary>
    /// <param name="candidates">The overloads.</param>
    /// <param name="name">The name of the method or class, for messages.</param>
    /// <param name="positional">
    /// The positional arguments as plain values (see <see cref="Tuples"/>); <see cref="Missing.Value"/> stands for the parameter's default.
    /// </param>
    /// <param name="named">The named arguments as plain values.</param>
    /// <exception cref="ArgumentException">
    /// No overload fits, several fit equally well, or a value cannot be converted. The message lists the overloads concerned.
    /// </exception>
    internal static (T Method, object?[] Values) Bind<T>(
        IReadOnlyCollection<T> candidates, string name, object?[] positional, DictOfValues named)
        where T : MethodBase
    {
        var fitting = candidates.Select(method => new Choice<T>(method, Arrange(method, positional, named)))
            .Where(choice => choice.Arguments is not null && choice.Distance is not null)
            .OrderBy(choice => choice.Rank).ToArray();
        if (fitting.Length == 0) throw NoneFits(candidates, name, positional, named);
        var best = fitting.TakeWhile(choice => choice.Rank == fitting[0].Rank).ToArray();
        if (best.Length > 1)
        {
            throw new ArgumentException($"The {Given(positional, named)} match several {Plural(best[0].Method)} of {name}: "
                + $"{List(best.Select(choice => choice.Method), name)}. "
                + "Pass the arguments by name, if the names differ between these overloads.");
        }

        return (fitting[0].Method, Pack(fitting[0], name));
    }

    /// <summary>Returns whether arguments, as for <see cref="Bind"/>, fit a method.</summary>
    internal static bool Fits(MethodBase method, object?[] positional, DictOfValues named) =>
        new Choice<MethodBase>(method, Arrange(method, positional, named)).Distance is not null;

    /// <summary>Returns a method's signature as C# writes it.</summary>
    internal static string Signature(string name, MethodBase method) => $"{name}({CSharpNames.Of(method.GetParameters())})";

    /// <summary>Returns a short description of an argument, such as <c>3</c>, <c>"text"</c> or <c>Tensor</c>.</summary>
    internal static string Show(object? value) => value switch
    {
        null => "null",
        bool truth => truth ? "true" : "false",
        string text => $"\"{text}\"",
        double real when double.IsInteger(real) && Math.Abs(real) < 1e15 => real.ToString("F1", CultureInfo.InvariantCulture),
        IFormattable number and (long or ulong or double) => number.ToString(null, CultureInfo.InvariantCulture),
        object?[] items => $"({string.Join(", ", items.Select(Show))})",
        ListOfValues list => list.Items.Length > 8 ? $"a list of {list.Items.Length}" : $"[{string.Join(", ", list.Items.Select(Show))}]",
        DictOfValues map => $"{{{string.Join(", ", map.Items.Select(item => $"{item.Key}: {Show(item.Value)}"))}}}",
        _ => CSharpNames.Describe(value),
    };

    /// <summary>
    /// Returns the default of a parameter. For the <c>= default</c> of a struct, reflection gives null, but this method returns the
    /// struct's default.
    /// </summary>
    internal static object? Default(ParameterInfo parameter) =>
        parameter is { DefaultValue: null, ParameterType.IsValueType: true } && Nullable.GetUnderlyingType(parameter.ParameterType) is null
            ? Activator.CreateInstance(parameter.ParameterType) : parameter.DefaultValue;

    // Returns an argument for each parameter, Missing.Value for a default; null if the names or the number do not fit.
    private static object?[]? Arrange(MethodBase method, object?[] positional, DictOfValues named)
    {
        var parameters = method.GetParameters();
        if (positional.Length > parameters.Length) return null;
        var arguments = new object?[parameters.Length];
        var used = 0;
        for (var i = 0; i < parameters.Length; i++)
        {
            if (i < positional.Length)
            {
                arguments[i] = positional[i];
            }
            else if (Find(named, parameters[i].Name!) is { } item)
            {
                arguments[i] = item.Value;
                used++;
            }
            else
            {
                arguments[i] = Missing.Value;
            }

            if (arguments[i] == Missing.Value && !parameters[i].HasDefaultValue) return null;
        }

        return used == named.Items.Length ? arguments : null;
    }

    private static KeyValuePair<string, object?>? Find(DictOfValues named, string name)
    {
        foreach (var item in named.Items)
            if (item.Key == name) return item;
        return null;
    }

    private static object?[] Pack<T>(Choice<T> choice, string name)
        where T : MethodBase
    {
        var parameters = choice.Method.GetParameters();
        var values = new object?[parameters.Length];
        for (var i = 0; i < values.Length; i++)
        {
            try
            {
                values[i] = choice.Arguments![i] == Missing.Value
                    ? Default(parameters[i]) : Tuples.Packer(parameters[i].ParameterType)(choice.Arguments[i]);
            }
            catch (Exception exception) when (exception is InvalidCastException or ArgumentException or OverflowException)
            {
                throw new ArgumentException($"'{parameters[i].Name}' of {Signature(name, choice.Method)}: {exception.Message}");
            }
        }

        return values;
    }

    private static ArgumentException NoneFits<T>(
        IReadOnlyCollection<T> candidates, string name, object?[] positional, DictOfValues named)
        where T : MethodBase
    {
        var first = candidates.First();
        var singular = first is ConstructorInfo ? "constructor" : "overload";
        return new($"The {Given(positional, named)} match no {singular} of {name}. It has: {List(candidates, name)}."
            + (candidates.Count == 1 ? Reason(first, positional, named) : ""));
    }

    // Names the first argument that does not fit the only candidate.
    private static string Reason(MethodBase method, object?[] positional, DictOfValues named)
    {
        if (Arrange(method, positional, named) is not { } arguments) return "";
        foreach (var (parameter, argument) in method.GetParameters().Zip(arguments))
        {
            if (argument == Missing.Value || ValueFit.Distance(argument, parameter.ParameterType) is not null) continue;
            return $" {Show(argument)} is no {CSharpTypeName.Of(parameter.ParameterType)} for '{parameter.Name}'"
                + $"{CSharpNames.OfAnotherLoad(argument, parameter.ParameterType)}.";
        }

        return "";
    }

    /// <summary>Describes arguments for a message.</summary>
    internal static string Given(object?[] positional, DictOfValues named) =>
        "arguments ("
        + string.Join(", ", positional.Select(Show).Concat(named.Items.Select(item => $"{item.Key}: {Show(item.Value)}"))) + ")";

    private static string Plural(MethodBase method) => method is ConstructorInfo ? "constructors" : "overloads";

    private static string List(IEnumerable<MethodBase> methods, string name)
    {
        var simple = name.Split('.', '+')[^1];
        return string.Join("; ", methods.Select(method => Signature(simple, method)));
    }

    private sealed record Choice<T>(T Method, object?[]? Arguments)
        where T : MethodBase
    {
        internal int? Distance { get; } = Arguments is null ? null : Measure(Method.GetParameters(), Arguments);

        // Public methods first, then those with the closest parameter types, then those with the fewest parameters.
        internal (bool, int, int) Rank => (!Method.IsPublic, Distance!.Value, Arguments!.Length);

        private static int? Measure(ParameterInfo[] parameters, object?[] arguments)
        {
            var sum = 0;
            for (var i = 0; i < arguments.Length; i++)
            {
                if (arguments[i] == Missing.Value) continue;
                if (ValueFit.Distance(arguments[i], parameters[i].ParameterType) is not { } distance) return null;
                sum += distance;
            }

            return sum;
        }
    }
}
