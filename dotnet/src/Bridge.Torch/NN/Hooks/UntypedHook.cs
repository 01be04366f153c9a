using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>A hook that gets the values that PyTorch passes to a hook of its kind, with tuples as arrays.</summary>
/// <param name="kind">The kind of the hook.</param>
/// <param name="target">The user's delegate.</param>
/// <param name="run">Runs the hook: see <see cref="RegisteredHook.Invoke"/>.</param>
/// <param name="prepend">Whether to run the hook before the existing hooks of its kind (O-2).</param>
/// <param name="alwaysCall">Whether the hook also runs when the call fails (A-1).</param>
/// <param name="withKwargs">Whether the hook also gets the keyword arguments.</param>
/// <param name="readsValues">Whether the code of the hook reads the module's arguments or result, and so may keep their tensors.</param>
internal sealed class UntypedHook(
    HookKind kind, Delegate target, Func<nn.Module, object?[], object?> run, bool prepend = false, bool alwaysCall = false,
        bool withKwargs = false, bool readsValues = true)
    : RegisteredHook(kind, prepend, alwaysCall)
{
    internal override bool WithKwargs => withKwargs;

    internal override Delegate Target => target;

    internal override Func<nn.Module, object?[], object?, object?>? ValueFreeDelegate { get; } =
        readsValues ? null : target as Func<nn.Module, object?[], object?, object?>;

    internal override bool ReadsValues => readsValues;

    /// <inheritdoc/>
    internal override object? Invoke(nn.Module? module, object?[] values) => run(module!, values);

    internal static UntypedHook Pre(Func<nn.Module, object?[], object?[]?> hook, bool prepend = false) =>
        new(HookKind.Pre, hook, (module, values) =>
            Unpack(hook(module, ToArguments(values[0]))), prepend, readsValues: HookCode.ReadsValues(hook));

    internal static UntypedHook Pre(Func<nn.Module, object?[],
        IDictionary<string, object?>, (object?[], IDictionary<string, object?>)?> hook, bool prepend) =>
        new(HookKind.Pre, hook, (module, values) =>
            OnKwargs(values, kwargs => hook(module, ToArguments(values[0]), kwargs) is var (args, named)
            ? [Unpack(args), ReferenceEquals(named, kwargs) ? null : Tuples.Unpack(named)]
            : [null, null]), prepend, withKwargs: true);

    internal static UntypedHook Forward(Func<nn.Module, object?[], object?, object?> hook, bool prepend = false, bool alwaysCall = false) =>
        new(HookKind.Forward, hook, (module, values) =>
            Tuples.Unpack(hook(module, ToArguments(values[0]), Tuples.Box(values[1]))), prepend, alwaysCall,
            readsValues: HookCode.ReadsValues(hook));

    internal static UntypedHook Forward(Func<nn.Module, object?[], IDictionary<string, object?>, object?, object?> hook, bool prepend,
        bool alwaysCall) =>
        new(HookKind.Forward, hook, (module, values) =>
            OnKwargs(values, kwargs => [Tuples.Unpack(hook(module, ToArguments(values[0]), kwargs, Tuples.Box(values[2]))), null]),
            prepend, alwaysCall, withKwargs: true);

    internal static UntypedHook BackwardPre(Func<nn.Module, Tensor?[], Tensor?[]?> hook, bool prepend = false) =>
        new(HookKind.BackwardPre, hook, (module, values) => ToValues(hook(module, Gradients(values[0]))), prepend);

    /// <summary>Creates a full or legacy backward hook.</summary>
    internal static UntypedHook Backward(Func<nn.Module, Tensor?[], Tensor?[], Tensor?[]?> hook, bool prepend = false,
        bool legacy = false) =>
        new(legacy ? HookKind.Legacy : HookKind.Backward, hook, (module, values) =>
            ToValues(hook(module, Gradients(values[0]), Gradients(values[1]))), prepend);

    /// <summary>Creates a hook on a tensor's gradient. The hook gets null for an undefined gradient (T-4).</summary>
    internal static UntypedHook OnTensor(Func<Tensor, Tensor?> hook) => new(HookKind.Tensor, hook, (_, values) => hook((Tensor)values[0]!));

    /// <summary>Creates a hook that runs after the gradient of a leaf is accumulated (Q-2).</summary>
    internal static UntypedHook PostAccumulate(Action<Tensor> hook) => new(HookKind.Accumulated, hook, (_, values) =>
    {
        hook((Tensor)values[0]!);
        return null;
    });

    /// <summary>
    /// Converts arguments to an array. An earlier hook with kwargs may have returned a list, or a tensor, which is split along its first
    /// dimension (P-4).
    /// </summary>
    /// <exception cref="InvalidCastException">The arguments are neither a tuple, a list nor a tensor with dimensions.</exception>
    internal static object?[] ToArguments(object? args) => args switch
    {
        object?[] { Length: 0 } => [],
        object?[] items => Array.ConvertAll(items, Tuples.Box),
        ListOfValues list => list.Items.Select(Tuples.Box).ToArray(),
        Tensor tensor when tensor.dim() > 0 => tensor.unbind(),
        _ =>
            throw new InvalidCastException(
                $"A hook's arguments or gradients must be a tuple, not {args?.GetType().Name ?? "None"} (F-2: types in .NET are fixed)."),
    };

    internal static Dictionary<string, object?> ToKwargs(object? kwargs) =>
        kwargs is DictOfValues map ? map.Items.ToDictionary(item => item.Key, item => Tuples.Box(item.Value)) : [];

    /// <summary>
    /// Converts gradients to tensors; a missing gradient is null. An earlier hook may have returned a list, or a tensor, which is split
    /// along its first dimension (B-12).
    /// </summary>
    /// <exception cref="InvalidCastException">An earlier hook returned values other than tensors.</exception>
    internal static Tensor?[] Gradients(object? values) => ToArguments(values).Select(value => value is null or Tensor
        ? (Tensor?)value : throw new InvalidCastException(
            $"A gradient must be a Tensor, not {value.GetType().Name} (F-2: types in .NET are fixed).")).ToArray();

    /// <summary>
    /// Runs a hook on the keyword arguments. If the hook changes them in place, stores them in <c>values[1]</c>, even if the hook throws.
    /// </summary>
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

    // Returns the keyword arguments if they were changed; otherwise null.
    private static object? ChangedKwargs(Dictionary<string, object?> kwargs, KeyValuePair<string, object?>[] before) =>
        kwargs.Count == before.Length && before.All(item => kwargs.TryGetValue(item.Key, out var now) && Tuples.IsSame(now, item.Value))
            ? null : Tuples.Unpack(kwargs);

    private static object?[]? Unpack(object?[]? args) => args?.Select(Tuples.Unpack).ToArray();

    private static object?[]? ToValues(Tensor?[]? gradients) => gradients is null ? null : [.. gradients];
}
