using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Conformance.Modules;
using Bridge.Torch;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Conformance.Mirrored;

/// <summary>A program's hook as C# code: it records its event, does its actions, and gives what the last of them says.</summary>
internal sealed class ProgramHook : IHook
{
    private readonly Run _run;
    private readonly string _name;
    private readonly string _kind;
    private readonly (JsonProperty Does, JsonElement All)[] _actions;
    private readonly int[] _calls;

    internal ProgramHook(Run run, JsonElement registration)
    {
        _run = run;
        _name = registration.NeedText("hook");
        _kind = registration.NeedText("kind");
        _actions = registration.Items("actions").Select(item => (item.First(), item)).ToArray();
        _calls = new int[_actions.Length];
    }

    /// <summary>Registers it, by the method that PyTorch has for its kind.</summary>
    /// <param name="module">On which module; null for all modules, or for a tensor's hook.</param>
    /// <param name="tensor">On which tensor.</param>
    /// <param name="fields">The registration: its options; with <c>typed</c> it is a hook of the module's own types.</param>
    internal HookRemover Register(nn.Module? module, Tensor? tensor, JsonElement fields)
    {
        var (prepend, kwargs, always) = (fields.Flag("prepend"), fields.Flag("with_kwargs"), fields.Flag("always_call"));
        return (_kind, module) switch
        {
            ("tensor", _) => tensor!.register_hook(Gradient),
            ("accumulated", _) => tensor!.register_post_accumulate_grad_hook(Accumulated),
            ("pre", null) => nn.register_module_forward_pre_hook(Pre),
            ("forward", null) => kwargs ? nn.register_module_forward_hook(Forward, with_kwargs: true, always) : nn.register_module_forward_hook(Forward, always),
            ("backward_pre", null) => nn.register_module_full_backward_pre_hook(BackwardPre),
            ("backward", null) => nn.register_module_full_backward_hook(Backward),
            ("legacy", null) => nn.register_module_backward_hook(Backward),
            ("pre" or "forward", _) when fields.Flag("typed") => Placing.Place(this, module, _kind == "pre", prepend, always),
            ("pre", _) => kwargs ? module.register_forward_pre_hook(Pre, with_kwargs: true, prepend) : module.register_forward_pre_hook(Pre, prepend),
            ("forward", _) => kwargs ? module.register_forward_hook(Forward, with_kwargs: true, prepend, always) : module.register_forward_hook(Forward, prepend, always),
            ("backward_pre", _) => module.register_full_backward_pre_hook(BackwardPre, prepend),
            ("backward", _) => module.register_full_backward_hook(Backward, prepend),
            ("legacy", _) => module.register_backward_hook(Backward),
            _ => throw new Defect($"a hook of kind '{_kind}'"),
        };
    }

    object?[]? IHook.Pre(object module, object?[] args) => Pre((nn.Module)module, args);

    object? IHook.Forward(object module, object?[] args, object? output) => Forward((nn.Module)module, args, output);

    private object?[]? Pre(nn.Module module, object?[] args)
    {
        _run.Record(_kind, _name, module, ("args", args));
        return Positional(Act(n => Added(args, n), () => args[0]));
    }

    private (object?[], IDictionary<string, object?>)? Pre(nn.Module module, object?[] args, IDictionary<string, object?> kwargs)
    {
        _run.Record(_kind, _name, module, ("args", args), ("kwargs", kwargs));
        return Act(n => new TupleOf(Added(args, n), kwargs), () => args[0], kwargs) switch
        {
            null => null,
            ITuple { Length: 2 } both when both[1] is IDictionary<string, object?> named => (Positional(both[0])!, named),
            var other => throw new Defect($"a hook with kwargs gives {other}"),
        };
    }

    private object? Forward(nn.Module module, object?[] args, object? output)
    {
        _run.Record(_kind, _name, module, ("args", args), ("output", output));
        return Act(n => Values.Plus(output, value => Operand.Plus(value, n)), () => output);
    }

    private object? Forward(nn.Module module, object?[] args, IDictionary<string, object?> kwargs, object? output)
    {
        _run.Record(_kind, _name, module, ("args", args), ("kwargs", kwargs), ("output", output));
        return Act(n => Values.Plus(output, value => Operand.Plus(value, n)), () => output, kwargs);
    }

    private Tensor?[]? BackwardPre(nn.Module module, Tensor?[] output)
    {
        _run.Record(_kind, _name, module, ("grad_output", output));
        return Gradients(Act(n => Added(output, n), () => null));
    }

    private Tensor?[]? Backward(nn.Module module, Tensor?[] input, Tensor?[] output)
    {
        _run.Record(_kind, _name, module, ("grad_input", input), ("grad_output", output));
        return Gradients(Act(n => Added(input, n), () => null));
    }

    private Tensor? Gradient(Tensor grad)
    {
        _run.Record(_kind, _name, null, ("grad", grad));
        return (Tensor?)Act(n => Operand.Plus(grad, n), () => grad);
    }

    private void Accumulated(Tensor tensor)
    {
        var grad = tensor.grad;
        _run.Record(_kind, _name, null, ("value", tensor), ("grad", grad));
        Act(n => Operand.Plus(grad, n), () => grad);
    }

    private static TupleOf Added(object?[] args, object n) => new([Operand.Plus(args[0], n), .. args[1..]]);

    private static TupleOf Added(Tensor?[] gradients, object n) => new(gradients.Select(grad => grad is null ? null : Operand.Plus(grad, n)).ToArray());

    private static object?[]? Positional(object? made) => made switch
    {
        null => null,
        object?[] args => args,
        ITuple tuple => Values.Items(tuple),
        var single => [single],
    };

    private static Tensor?[]? Gradients(object? made) => made is null ? null : Values.Items((ITuple)made).Cast<Tensor?>().ToArray();

    private object? Act(Func<object, object?> added, Func<object?> first, IDictionary<string, object?>? kwargs = null)
    {
        object? result = null;
        for (var number = 0; number < _actions.Length; number++)
        {
            var (does, all) = _actions[number];
            switch (does.Name)
            {
                case "return": result = Made(does.Value); break;
                case "add": result = added(does.Value.TryGetInt64(out var integer) ? integer : does.Value.GetDouble()); break;
                case "add_": Operand.Tensor(first()).add_(does.Value.GetDouble()); break;
                case "raise": throw Errors.Make(does.Value.GetString()!, all.Text("message") ?? _name);
                case "register" or "remove" or "read": _run.Ask(does.Name, does.Value.GetRawText()); break;
                case "call": Call(number, does.Value); break;
                case "kwargs":
                    foreach (var item in does.Value.EnumerateObject()) kwargs![item.Name] = Made(item.Value);
                    break;
                default: throw new NotSupportedException($"A C# hook cannot do '{does.Name}'.");
            }
        }

        return result;
    }

    // C# does not know what Python has saved under a name; such a hook is Python's.
    private object? Made(JsonElement value) => Values.Make(value, _run.Numbers, name => throw new Defect($"the name '{name}'"));

    private void Call(int number, JsonElement call)
    {
        if (Interlocked.Increment(ref _calls[number]) > call.Integer("limit", 1)) return;
        var args = call.Items("args").Select(Made).ToArray();
        Child.Of(Run.Module(call.GetProperty("module").GetInt64()), byForward: false)!.Run(args);
    }
}
