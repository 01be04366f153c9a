using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>A hook that gets what PyTorch passes: the arguments as an array, the gradients as arrays, one tensor.</summary>
/// <param name="kind">When it runs.</param>
/// <param name="target">The user's delegate.</param>
/// <param name="run">Runs it.</param>
/// <param name="prepend">Registered in front (O-2).</param>
/// <param name="alwaysCall">Also runs when the call fails (A-1).</param>
/// <param name="withKwargs">It gets the arguments that were given by name too.</param>
/// <param name="readsValues">It may keep the tensors that it is given.</param>
internal sealed class UntypedHook(
    HookKind kind, Delegate target, Func<nn.Module, object?[], object?> run, bool prepend = false, bool alwaysCall = false, bool withKwargs = false, bool readsValues = true)
    : RegisteredHook(kind, prepend, alwaysCall)
{
    internal override bool WithKwargs => withKwargs;

    internal override Delegate Target => target;

    internal override Func<nn.Module, object?[], object?, object?>? ValueFreeDelegate { get; } =
        readsValues ? null : target as Func<nn.Module, object?[], object?, object?>;

    internal override bool ReadsValues => readsValues;

    /// <inheritdoc/>
    internal override object? Invoke(nn.Module? module, object?[] values) => run(module!, values);

    /// <summary>A forward pre hook on the arguments.</summary>
    internal static UntypedHook Pre(Func<nn.Module, object?[], object?[]?> hook, bool prepend = false) =>
        new(HookKind.Pre, hook, (module, values) => Unpack(hook(module, ToArguments(values[0]))), prepend, readsValues: HookCode.ReadsValues(hook));

    /// <summary>A forward pre hook on the arguments, by position and by name.</summary>
    internal static UntypedHook Pre(Func<nn.Module, object?[], IDictionary<string, object?>, (object?[], IDictionary<string, object?>)?> hook, bool prepend) =>
        new(HookKind.Pre, hook, (module, values) => OnKwargs(values, kwargs => hook(module, ToArguments(values[0]), kwargs) is var (args, named)
            ? [Unpack(args), ReferenceEquals(named, kwargs) ? null : Tuples.Unpack(named)]
            : [null, null]), prepend, withKwargs: true);

    /// <summary>A forward hook on the arguments and the result.</summary>
    internal static UntypedHook Forward(Func<nn.Module, object?[], object?, object?> hook, bool prepend = false, bool alwaysCall = false) =>
        new(HookKind.Forward, hook, (module, values) => Tuples.Unpack(hook(module, ToArguments(values[0]), Tuples.Box(values[1]))), prepend, alwaysCall, readsValues: HookCode.ReadsValues(hook));

    /// <summary>A forward hook on the arguments, by position and by name, and the result.</summary>
    internal static UntypedHook Forward(Func<nn.Module, object?[], IDictionary<string, object?>, object?, object?> hook, bool prepend, bool alwaysCall) =>
        new(HookKind.Forward, hook, (module, values) => OnKwargs(values, kwargs => [Tuples.Unpack(hook(module, ToArguments(values[0]), kwargs, Tuples.Box(values[2]))), null]),
            prepend, alwaysCall, withKwargs: true);

    /// <summary>A full backward pre hook.</summary>
    internal static UntypedHook BackwardPre(Func<nn.Module, Tensor?[], Tensor?[]?> hook, bool prepend = false) =>
        new(HookKind.BackwardPre, hook, (module, values) => ToValues(hook(module, Gradients(values[0]))), prepend);

    /// <summary>A full backward hook, or a legacy one.</summary>
    internal static UntypedHook Backward(Func<nn.Module, Tensor?[], Tensor?[], Tensor?[]?> hook, bool prepend = false, bool legacy = false) =>
        new(legacy ? HookKind.Legacy : HookKind.Backward, hook, (module, values) => ToValues(hook(module, Gradients(values[0]), Gradients(values[1]))), prepend);

    /// <summary>A hook on the gradient of a tensor. In some passes there is none (T-4).</summary>
    internal static UntypedHook OnTensor(Func<Tensor, Tensor?> hook) => new(HookKind.Tensor, hook, (_, values) => hook((Tensor)values[0]!));

    /// <summary>A hook on a leaf whose gradient was accumulated.</summary>
    internal static UntypedHook Accumulated(Action<Tensor> hook) => new(HookKind.Accumulated, hook, (_, values) =>
    {
        hook((Tensor)values[0]!);
        return null;
    });

    /// <summary>Arguments as C# has them; a hook with kwargs before this one may have made them a list, or a tensor that is unpacked (P-4).</summary>
    /// <exception cref="InvalidCastException">It made them something else.</exception>
    internal static object?[] ToArguments(object? args) => args switch
    {
        object?[] { Length: 0 } => [],
        object?[] items => Array.ConvertAll(items, Tuples.Box),
        ListOfValues list => list.Items.Select(Tuples.Box).ToArray(),
        Tensor tensor when tensor.dim() > 0 => tensor.unbind(),
        _ => throw new InvalidCastException($"The arguments are a {args?.GetType().Name ?? "None"} (F-2: types in .NET are fixed)."),
    };

    /// <summary>Arguments given by name as C# has them.</summary>
    internal static Dictionary<string, object?> ToKwargs(object? kwargs) => kwargs is DictOfValues map ? map.Items.ToDictionary(item => item.Key, item => Tuples.Box(item.Value)) : [];

    /// <summary>Gradients as C# has them; what is none is null. A hook before this one may have made them a list, or a tensor whose items count (B-12).</summary>
    /// <exception cref="InvalidCastException">One is no tensor: a hook before this one gave it.</exception>
    internal static Tensor?[] Gradients(object? values) => ToArguments(values).Select(value => value is null or Tensor
        ? (Tensor?)value : throw new InvalidCastException($"A gradient is a {value.GetType().Name} (F-2: types in .NET are fixed).")).ToArray();

    /// <summary>Runs a hook on the arguments given by name; what it has changed in place is left among the values, also when it throws.</summary>
    internal static object?[] OnKwargs(object?[] values, Func<Dictionary<string, object?>, object?[]> hook)
    {
        var kwargs = ToKwargs(values[1]);
        var before = kwargs.ToArray();
        try
        {
            return hook(kwargs);
        }
        finally
        {
            values[1] = ChangedKwargs(kwargs, before) ?? values[1];
        }
    }

    // The dictionary, if it is no longer what it was.
    private static object? ChangedKwargs(Dictionary<string, object?> kwargs, KeyValuePair<string, object?>[] before) =>
        kwargs.Count == before.Length && before.All(item => kwargs.TryGetValue(item.Key, out var now) && Tuples.IsSame(now, item.Value)) ? null : Tuples.Unpack(kwargs);

    private static object?[]? Unpack(object?[]? args) => args?.Select(Tuples.Unpack).ToArray();

    private static object?[]? ToValues(Tensor?[]? gradients) => gradients is null ? null : [.. gradients];
}
