using System.Reflection;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// The <c>forward</c> of a class that derives from the non-generic <see cref="torch.nn.Module"/>, which declares no <c>forward</c>.
/// </summary>
/// <remarks>
/// The method is searched by name among the class's public methods, then its internal ones. If there is no <c>forward</c>, a method
/// <c>call</c> is used. C# code calls the method directly, which runs no hooks.
/// </remarks>
internal sealed class UntypedForward
{
    private static readonly TypeCache<UntypedForward?> Known = new(static type => Find(type, "forward") ?? Find(type, "call"));

    // In order of the number of parameters.
    private readonly Overload[] _overloads;

    private UntypedForward(IEnumerable<MethodInfo> methods)
    {
        _overloads = methods.Select(method => new Overload(method)).OrderBy(overload => overload.Parameters.Length).ToArray();
        var shortest = _overloads[0].Parameters.TakeWhile(parameter => !parameter.HasDefault).Count();
        Parameters = _overloads[^1].Parameters.Select((parameter, i) =>
            i < shortest || parameter.HasDefault ? parameter : parameter with { HasDefault = true }).ToArray();
    }

    /// <summary>Gets the parameters of the longest overload. Those that the shortest overload lacks can be omitted.</summary>
    internal IReadOnlyList<ForwardParameter> Parameters { get; }

    /// <summary>Returns the <c>forward</c> of a module type; null if it has none.</summary>
    internal static UntypedForward? Of(Type module) => Known[module];

    /// <summary>Calls the first overload that the arguments fit.</summary>
    /// <exception cref="InvalidCastException">The arguments fit no overload.</exception>
    internal object? Invoke(torch.nn.Module module, object?[] given)
    {
        InvalidCastException? why = null;
        foreach (var overload in _overloads)
        {
            if (overload.Complete(given) is not { } complete) continue;
            object?[] values;
            try
            {
                values = overload.Pack(complete);
            }
            catch (InvalidCastException exception)
            {
                why = ForwardParameter.Misfit(exception, module, complete,
                    overload.Method.GetParameters().Select(parameter => parameter.ParameterType).ToArray());
                continue;
            }

            return Tuples.Unpack(overload.Method.Invoke(module, BindingFlags.DoNotWrapExceptions, null, values, null));
        }

        throw why ?? new InvalidCastException(
            $"{module.GetType().Name}.{_overloads[0].Method.Name} takes "
            + $"{string.Join(" or ", _overloads.Select(overload => overload.Text))}, {given.Length} argument(s) given.");
    }

    /// <summary>Returns whether a class without an accessible <c>forward</c> has a private or protected one.</summary>
    internal static bool IsHidden(Type module) =>
        Of(module) is null && module.GetMethods(BindingFlags.Instance | BindingFlags.NonPublic)
            .Any(method => method.Name == "forward" && method.DeclaringType!.Assembly != typeof(UntypedForward).Assembly);

    private static UntypedForward? Find(Type type, string name)
    {
        var methods = FindAccessible(type, name, BindingFlags.Public);
        if (methods.Length == 0) methods = FindAccessible(type, name, BindingFlags.NonPublic);
        return methods.Length == 0 ? null : new(methods);
    }

    private static MethodInfo[] FindAccessible(Type type, string name, BindingFlags access) =>
        type.GetMethods(BindingFlags.Instance | access).Where(method => method.IsPublic || method.IsAssembly || method.IsFamilyOrAssembly)
            .Where(method => method.Name == name && method.DeclaringType!.Assembly != typeof(UntypedForward).Assembly
                && !method.ContainsGenericParameters)
            .Where(method => method.GetParameters()
                .All(parameter => !parameter.ParameterType.IsByRef && !parameter.ParameterType.IsByRefLike
                && !parameter.ParameterType.IsPointer))
            // Drops base methods that are hidden by a method of the same parameters, which comes first.
            .GroupBy(method => string.Join(',', method.GetParameters().Select(parameter => parameter.ParameterType)))
                .Select(group => group.First()).ToArray();

    private sealed class Overload(MethodInfo method)
    {
        private readonly Func<object?, object?>[] _pack = method.GetParameters().Select(parameter => Tuples.Packer(parameter.ParameterType))
            .ToArray();

        internal MethodInfo Method { get; } = method;

        internal ForwardParameter[] Parameters { get; } = method.GetParameters().Select(ForwardParameter.Of).ToArray();

        internal string Text =>
            $"({string.Join(", ", Parameters.Select(parameter => parameter.HasDefault ? parameter.Name + " = …" : parameter.Name))})";

        /// <summary>
        /// Returns the arguments with the defaults of omitted ones; null if there are too many, or an argument without a default is
        /// missing.
        /// </summary>
        internal object?[]? Complete(object?[] given)
        {
            if (given.Length > Parameters.Length) return null;
            var complete = new object?[Parameters.Length];
            for (var i = 0; i < complete.Length; i++)
            {
                if (i < given.Length && given[i] != Missing.Value) complete[i] = given[i];
                else if (Parameters[i].HasDefault) complete[i] = Parameters[i].Default;
                else return null;
            }

            return complete;
        }

        internal object?[] Pack(object?[] values) => values.Select((value, i) => _pack[i](value)).ToArray();
    }
}
