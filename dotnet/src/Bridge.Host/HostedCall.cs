using System.Reflection;
using Bridge.Torch;

namespace Bridge.Host;

/// <summary>Calls the modules of one class for Python.</summary>
internal sealed class HostedCall
{
    private static readonly Dictionary<Type, HostedCall> Known = [];
    private readonly Type _module;

    // `call` of the generic base class, which runs hooks, and `forward`, whose parameters have the names and defaults that Python uses.
    // Other overloads of `call`, such as LSTM's, bypass hooks. Both fields are null for a class without that base class.
    private readonly MethodInfo? _call;
    private readonly MethodInfo? _forward;

    // The overloads of `forward`, if `_call` is null or the class adds overloads to the one that `_call` runs; otherwise null.
    private readonly ForwardOverloads? _overloads;

    private HostedCall(Type module)
    {
        _module = module;
        for (var type = module; type is not null; type = type.BaseType)
        {
            if (!type.IsGenericType) continue;
            if (!type.GetGenericTypeDefinition().FullName!.StartsWith("TorchSharp.torch+nn+Module`", StringComparison.Ordinal)) continue;
            var types = type.GetGenericArguments()[..^1];
            _call = type.GetMethod("call", types) ?? throw new MissingMethodException(type.FullName, "call");
            _forward = module.GetMethod("forward", types) ?? type.GetMethod("forward", types) ?? _call;
            break;
        }

        _overloads = _call is null ? ForwardOverloads.Of(module) : ForwardOverloads.Added(module);
    }

    /// <summary>Gets the parameters of <c>forward</c>; none if there is no <c>forward</c>.</summary>
    internal IReadOnlyList<ForwardParameter> Parameters =>
        _forward?.GetParameters().Select(ForwardParameter.Of).ToArray() ?? _overloads?.Parameters ?? [];

    internal static HostedCall Of(Type module) => Known.TryGetValue(module, out var found) ? found : Known[module] = new(module);

    /// <summary>Returns whether, for these arguments, <see cref="Invoke"/> runs <c>call</c>, which runs hooks and is recorded.</summary>
    internal bool RunsCall(object?[] given, DictOfValues named) =>
        _call is not null && (_overloads is null || _overloads.FitsCall(given, named));

    /// <summary>Calls a module. The arguments and the result are plain values (see <see cref="Tuples"/>).</summary>
    /// <exception cref="InvalidCastException">The arguments do not fit.</exception>
    /// <exception cref="NotSupportedException">The module cannot be called.</exception>
    internal object? Invoke(object module, object?[] given, DictOfValues named)
    {
        if (!RunsCall(given, named))
        {
            return (_overloads ?? throw new NotSupportedException($"{_module} has no forward and cannot be called."))
                .Invoke(module, given, named);
        }

        var (_, values) = ForwardOverloads.Bind([_forward!], module, given, named);
        return Tuples.Unpack(_call!.Invoke(module, BindingFlags.DoNotWrapExceptions, null, values, null));
    }
}
