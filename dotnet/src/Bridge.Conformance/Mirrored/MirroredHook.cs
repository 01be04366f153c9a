using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Conformance.Modules;
using Bridge.Torch;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Conformance.Mirrored;

/// <summary>
/// A C# hook in a hook program (<see cref="MirroredRun"/>). A call of the hook records an event and runs the hook's actions. The
/// last action <c>return</c> or <c>add</c>, if any, gives the result of the hook.
/// </summary>
internal sealed class MirroredHook : IProgramHook
{
    private readonly MirroredRun _run;
    private readonly string _name;
    private readonly string _kind;
    private readonly (JsonProperty Kind, JsonElement Action)[] _actions;
    private readonly int[] _calls;

    internal MirroredHook(MirroredRun run, JsonElement registration)
    {
        _run = run;
        _name = registration.NeedText("hook");
        _kind = registration.NeedText("kind");
        _actions = registration.Items("actions").Select(item => (item.First(), item)).ToArray();
        _calls = new int[_actions.Length];
    }

    /// <summary>Registers the hook by the method for its kind, such as <c>register_forward_hook</c>.</summary>
    /// <param name="module">The module; null for a global hook or a tensor's hook.</param>
    /// <param name="tensor">The tensor of a tensor's hook; null for other hooks.</param>
    /// <param name="fields">
    /// The options of the registration. With <c>typed</c>, a pre hook or forward hook of a module becomes a delegate with the module's
    /// argument and result types.
    /// </param>
    internal HookRemover Register(nn.Module? module, Tensor? tensor, JsonElement fields)
    {
        var (prepend, kwargs, always) = (fields.Flag("prepend"), fields.Flag("with_kwargs"), fields.Flag("always_call"));
        return (_kind, module) switch
        {
            ("tensor", _) => tensor!.register_hook(Gradient),
            ("accumulated", _) => tensor!.register_post_accumulate_grad_hook(Accumulated),
            ("pre", null) => nn.register_module_forward_pre_hook(Pre),
            ("forward", null) => kwargs
                ? nn.register_module_forward_hook(Forward, with_kwargs: true, always)
                : nn.register_module_forward_hook(Forward, always),
            ("backward_pre", null) => nn.register_module_full_backward_pre_hook(BackwardPre),
            ("backward", null) => nn.register_module_full_backward_hook(Backward),
            ("legacy", null) => nn.register_module_backward_hook(Backward),
            ("pre" or "forward", _) when fields.Flag("typed") => TypedHooks.Register(this, module, _kind == "pre", prepend, always),
            ("pre", _) => kwargs
                ? module.register_forward_pre_hook(Pre, with_kwargs: true, prepend)
                : module.register_forward_pre_hook(Pre, prepend),
            ("forward", _) => kwargs
                ? module.register_forward_hook(Forward, with_kwargs: true, prepend, always)
                : module.register_forward_hook(Forward, prepend, always),
            ("backward_pre", _) => module.register_full_backward_pre_hook(BackwardPre, prepend),
            ("backward", _) => module.register_full_backward_hook(Backward, prepend),
            ("legacy", _) => module.register_backward_hook(Backward),
            _ => throw new DefectException($"unknown hook kind '{_kind}'"),
        };
    }

    object?[]? IProgramHook.Pre(object module, object?[] args) => Pre((nn.Module)module, args);

    object? IProgramHook.Forward(object module, object?[] args, object? output) => Forward((nn.Module)module, args, output);

    private object?[]? Pre(nn.Module module, object?[] args)
    {
        _run.Record(_kind, _name, module, ("args", args));
        return Positional(RunActions(n => AddNumber(args, n), () => args[0]));
    }

    private (object?[], IDictionary<string, object?>)? Pre(nn.Module module, object?[] args, IDictionary<string, object?> kwargs)
    {
        _run.Record(_kind, _name, module, ("args", args), ("kwargs", kwargs));
        return RunActions(n => new ProgramTuple(AddNumber(args, n), kwargs), () => args[0], kwargs) switch
        {
            null => null,
            ITuple { Length: 2 } both when both[1] is IDictionary<string, object?> named => (Positional(both[0])!, named),
            var other => throw new DefectException($"a hook with kwargs returned {other}"),
        };
    }

    private object? Forward(nn.Module module, object?[] args, object? output)
    {
        _run.Record(_kind, _name, module, ("args", args), ("output", output));
        return RunActions(n => ProgramValues.Plus(output, value => Operand.Plus(value, n)), () => output);
    }

    private object? Forward(nn.Module module, object?[] args, IDictionary<string, object?> kwargs, object? output)
    {
        _run.Record(_kind, _name, module, ("args", args), ("kwargs", kwargs), ("output", output));
        return RunActions(n => ProgramValues.Plus(output, value => Operand.Plus(value, n)), () => output, kwargs);
    }

    private Tensor?[]? BackwardPre(nn.Module module, Tensor?[] output)
    {
        _run.Record(_kind, _name, module, ("grad_output", output));
        return Gradients(RunActions(n => AddNumber(output, n), () => null));
    }

    private Tensor?[]? Backward(nn.Module module, Tensor?[] input, Tensor?[] output)
    {
        _run.Record(_kind, _name, module, ("grad_input", input), ("grad_output", output));
        return Gradients(RunActions(n => AddNumber(input, n), () => null));
    }

    private Tensor? Gradient(Tensor grad)
    {
        _run.Record(_kind, _name, null, ("grad", grad));
        return (Tensor?)RunActions(n => Operand.Plus(grad, n), () => grad);
    }

    private void Accumulated(Tensor tensor)
    {
        var grad = tensor.grad;
        _run.Record(_kind, _name, null, ("value", tensor), ("grad", grad));
        RunActions(n => Operand.Plus(grad, n), () => grad);
    }

    private static ProgramTuple AddNumber(object?[] args, object n) => new([Operand.Plus(args[0], n), .. args[1..]]);

    private static ProgramTuple AddNumber(Tensor?[] gradients, object n) =>
        new(gradients.Select(grad => grad is null ? null : Operand.Plus(grad, n)).ToArray());

    private static object?[]? Positional(object? made) => made switch
    {
        null => null,
        object?[] args => args,
        ITuple tuple => ProgramValues.Items(tuple),
        var single => [single],
    };

    private static Tensor?[]? Gradients(object? made) => made is null ? null : ProgramValues.Items((ITuple)made).Cast<Tensor?>().ToArray();

    private object? RunActions(Func<object, object?> add, Func<object?> addInPlaceTo, IDictionary<string, object?>? kwargs = null)
    {
        object? result = null;
        for (var number = 0; number < _actions.Length; number++)
        {
            var (kind, action) = _actions[number];
            switch (kind.Name)
            {
                case "return": result = CreateValue(kind.Value); break;
                case "add": result = add(kind.Value.TryGetInt64(out var integer) ? integer : kind.Value.GetDouble()); break;
                case "add_": Operand.Tensor(addInPlaceTo()).add_(kind.Value.GetDouble()); break;
                case "raise": throw Errors.Make(kind.Value.GetString()!, action.Text("message") ?? _name);
                case "register" or "remove" or "read": _run.Ask(kind.Name, kind.Value.GetRawText()); break;
                case "call": CallModule(number, kind.Value); break;
                case "kwargs":
                    foreach (var item in kind.Value.EnumerateObject()) kwargs![item.Name] = CreateValue(item.Value);
                    break;
                default: throw new NotSupportedException($"A C# hook has no action '{kind.Name}'.");
            }
        }

        return result;
    }

    // Only Python knows saved values by name, so a hook that uses a saved value is a Python hook.
    private object? CreateValue(JsonElement value) =>
        ProgramValues.Make(value, _run.Numbers, name => throw new DefectException($"a C# hook cannot use the saved value '{name}'"));

    private void CallModule(int number, JsonElement call)
    {
        if (Interlocked.Increment(ref _calls[number]) > call.Integer("limit", 1)) return;
        var args = call.Items("args").Select(CreateValue).ToArray();
        ChildCall.Create(MirroredRun.FindModule(call.GetProperty("module").GetInt64()), byForward: false)!.Invoke(args);
    }
}
