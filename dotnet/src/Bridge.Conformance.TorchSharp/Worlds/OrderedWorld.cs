using Bridge.Conformance.Modules;
using Bridge.Hooks;
using Bridge.TorchSharp;
using TorchSharp;

namespace Bridge.Conformance.Worlds;

/// <summary>
/// Runs hook programs on TorchSharp with the hooks of a <see cref="HookRegistry"/>, which follow PyTorch's rules as far as C#'s types
/// allow.
/// </summary>
internal sealed class OrderedWorld : TorchSharpWorld
{
    private readonly GlobalHookScope _globalHooks;
    private HookRegistry? _registry;

    internal OrderedWorld(bool typed)
        : base(typed) => _globalHooks = new(warning => Session?.RecordWarning(warning.Module, warning.Message));

    public override void Dispose()
    {
        _registry?.Dispose();
        _globalHooks.Dispose();
    }

    public override object? Call(object module, object?[] args) => _registry!.Run(() => base.Call(module, args));

    public override object? Forward(object module, object?[] args) => _registry!.Run(() => base.Forward(module, args));

    public override IDisposable Register(object? module, ProgramHook hook, bool prepend, bool alwaysCall)
    {
        if (module is null)
            return hook.IsForward ? _globalHooks.Add(After, prepend, alwaysCall) : _globalHooks.Add(Before, prepend, alwaysCall);
        if (Signature.Types(module.GetType()) is null) throw new NotSupportedException($"{module.GetType().Name} has no hooks");
        var hooks = _registry!.Of(module);
        if (alwaysCall && !hook.IsForward) throw new ArgumentException("Pre hooks have no always_call (A-1).");
        return hook.IsForward ? hooks.register_forward_hook(After, prepend, alwaysCall) : hooks.register_forward_pre_hook(Before, prepend);

        void Before(object module, ref object?[] args)
        {
            if (hook.Pre(module, TypeConversion.WithoutOmitted(args)) is not { } changed) return;
            changed = args.Length == 1 ? [TypeConversion.Single(changed)] : TypeConversion.PadToThree(changed, args[1] is null);
            args = changed.Zip(Signature.Types(module.GetType())!, (value, type) => TypeConversion.To(type, value)).ToArray();
        }

        void After(object module, in object?[] args, ref object? output)
        {
            if (hook.Forward(module, TypeConversion.WithoutOmitted(args), output) is not { } changed) return;
            output = TypeConversion.To(Signature.Types(module.GetType())![^1], changed);
        }
    }

    public override long Id(IDisposable handle) => ((HookHandle)handle).Id;

    protected override void OnBuilt(torch.nn.Module root) => _registry = HookRegistry.Attach(root);
}
