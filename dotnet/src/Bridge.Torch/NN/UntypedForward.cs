using System.Reflection;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>The <c>forward</c> of a module that derives from <see cref="torch.nn.Module"/> itself, which declares none.</summary>
/// <remarks>It is found by name among the class's public methods, or else its internal ones; where there is none, <c>call</c> is. C# runs it as the plain method that it is, without hooks.</remarks>
internal sealed class UntypedForward
{
    private static readonly TypeCache<UntypedForward?> Known = new(static type => Find(type, "forward") ?? Find(type, "call"));

    // Fewest parameters first.
    private readonly Overload[] _overloads;

    private UntypedForward(IEnumerable<MethodInfo> methods)
    {
        _overloads = methods.Select(method => new Overload(method)).OrderBy(overload => overload.Parameters.Length).ToArray();
        var shortest = _overloads[0].Parameters.TakeWhile(parameter => !parameter.HasDefault).Count();
        Parameters = _overloads[^1].Parameters.Select((parameter, i) => i < shortest || parameter.HasDefault ? parameter : parameter with { HasDefault = true }).ToArray();
    }

    /// <summary>Those of the overload that has the most; what a shorter one does without may be left out.</summary>
    internal IReadOnlyList<ForwardParameter> Parameters { get; }

    /// <summary>That of a module type; null if it has none.</summary>
    internal static UntypedForward? Of(Type module) => Known[module];

    /// <summary>Runs the overload that the arguments fit.</summary>
    /// <exception cref="InvalidCastException">They fit none.</exception>
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
                why = ForwardParameter.Misfit(exception, module, complete, overload.Method.GetParameters().Select(parameter => parameter.ParameterType).ToArray());
                continue;
            }

            return Tuples.Unpack(overload.Method.Invoke(module, BindingFlags.DoNotWrapExceptions, null, values, null));
        }

        throw why ?? new InvalidCastException($"{module.GetType().Name}.{_overloads[0].Method.Name} takes {string.Join(" or ", _overloads.Select(overload => overload.Text))}, {given.Length} argument(s) given.");
    }

    /// <summary>A class without one has a <c>forward</c> that other classes cannot call.</summary>
    internal static bool IsHidden(Type module) =>
        Of(module) is null && module.GetMethods(BindingFlags.Instance | BindingFlags.NonPublic).Any(method => method.Name == "forward" && method.DeclaringType!.Assembly != typeof(UntypedForward).Assembly);

    private static UntypedForward? Find(Type type, string name)
    {
        var methods = Open(type, name, BindingFlags.Public);
        if (methods.Length == 0) methods = Open(type, name, BindingFlags.NonPublic);
        return methods.Length == 0 ? null : new(methods);
    }

    private static MethodInfo[] Open(Type type, string name, BindingFlags access) =>
        type.GetMethods(BindingFlags.Instance | access).Where(method => method.IsPublic || method.IsAssembly || method.IsFamilyOrAssembly)
            .Where(method => method.Name == name && method.DeclaringType!.Assembly != typeof(UntypedForward).Assembly && !method.ContainsGenericParameters)
            .Where(method => method.GetParameters().All(parameter => !parameter.ParameterType.IsByRef && !parameter.ParameterType.IsByRefLike && !parameter.ParameterType.IsPointer))
            // A method that hides one of the base, and that one.
            .GroupBy(method => string.Join(',', method.GetParameters().Select(parameter => parameter.ParameterType))).Select(group => group.First()).ToArray();

    private sealed class Overload(MethodInfo method)
    {
        private readonly Func<object?, object?>[] _pack = method.GetParameters().Select(parameter => Tuples.Packer(parameter.ParameterType)).ToArray();

        internal MethodInfo Method { get; } = method;

        internal ForwardParameter[] Parameters { get; } = method.GetParameters().Select(ForwardParameter.Of).ToArray();

        internal string Text => $"({string.Join(", ", Parameters.Select(parameter => parameter.HasDefault ? parameter.Name + " = …" : parameter.Name))})";

        /// <summary>The arguments with the defaults of what was left out; null if there are too many, or one without a default is missing.</summary>
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
