using Bridge.Conformance.Modules;
using Bridge.Hooks;
using Bridge.TorchSharp;
using TorchSharp;

namespace Bridge.Conformance.Worlds;

/// <summary>TorchSharp with the hooks of a <see cref="HookRegistry"/>: PyTorch's, as far as types allow.</summary>
internal sealed class OrderedWorld : TorchSharpWorld
{
    private readonly ProcessHooks _process;
    private HookRegistry? _registry;

    internal OrderedWorld(bool typed)
        : base(typed) => _process = new(warning => Session?.Warned(warning.Module, warning.Message));

    public override void Dispose()
    {
        _registry?.Dispose();
        _process.Dispose();
    }

    public override object? Call(object module, object?[] args) => _registry!.Run(() => base.Call(module, args));

    public override object? Forward(object module, object?[] args) => _registry!.Run(() => base.Forward(module, args));

    public override IDisposable Register(object? module, Hook hook, bool prepend, bool alwaysCall)
    {
        if (module is null) return hook.IsForward ? _process.Add(After, prepend, alwaysCall) : _process.Add(Before, prepend, alwaysCall);
        if (Signature.Arguments(module.GetType()) is null) throw new NotSupportedException($"{module.GetType().Name} has no hooks (rule 6)");
        var hooks = _registry!.Of(module);
        if (alwaysCall && !hook.IsForward) throw new ArgumentException("Pre hooks have no always_call (A-1)."); // nor has the method
        return hook.IsForward ? hooks.register_forward_hook(After, prepend, alwaysCall) : hooks.register_forward_pre_hook(Before, prepend);

        void Before(object module, ref object?[] args)
        {
            if (hook.Pre(module, Fitting.Given(args)) is not { } changed) return;
            changed = args.Length == 1 ? [Fitting.Only(changed)] : Fitting.Several(changed, args[1] is null);
            args = changed.Zip(Signature.Arguments(module.GetType())!, (value, type) => Fitting.To(type, value)).ToArray();
        }

        void After(object module, in object?[] args, ref object? output)
        {
            if (hook.Forward(module, Fitting.Given(args), output) is { } changed) output = Fitting.To(Signature.Arguments(module.GetType())![^1], changed);
        }
    }

    public override long Id(IDisposable handle) => ((HookHandle)handle).Id;

    protected override void Built(torch.nn.Module root) => _registry = HookRegistry.Attach(root);
}
