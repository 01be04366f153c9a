using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A model whose C# code registers hooks of every kind and keeps what they saw.</summary>
public sealed class Backward : Module<Tensor, Tensor>
{
    private readonly Linear child = Linear(2, 2);
    private readonly List<Bridge.Torch.HookRemover> handles = [];
    private readonly string how;

    public Backward(string how) : base(nameof(Backward))
    {
        this.how = how;
        RegisterComponents();
        if (how == "constructor") Register();
        if (how == "mixed")
        {
            child.register_full_backward_hook((_, _, _) => null);
            child.register_backward_hook((_, _, _) => null);
        }
    }

    private void Register()
    {
        handles.Add(child.register_full_backward_hook((module, input, output) => [input[0]! * 2]));
        handles.Add(child.register_full_backward_pre_hook((module, output) => [output[0]! * 3]));
        handles.Add(child.register_full_backward_pre_hook((module, output) => [output[0]! + 1], prepend: true));
    }

    public override Tensor forward(Tensor input)
    {
        if (how == "forward" && handles.Count == 0) Register();
        if (how == "legacy" && handles.Count == 0) handles.Add(child.register_backward_hook((module, gradInput, gradOutput) => null));
        if (how == "remove")
        {
            handles.ForEach(handle => handle.remove());
            handles.Clear();
            Register();
        }

        if (how == "loose")
        {
            var loose = Linear(2, 2); // in no field: the model that Python has does not know it
            loose.register_full_backward_hook((_, _, _) => null);
            return loose.call(input);
        }

        if (how == "throws") child.register_full_backward_hook((_, _, _) => throw new InvalidOperationException("from the hook"));
        return child.call(input);
    }
}

/// <summary>Registers hooks on tensors that its forward makes, as Grad-CAM does.</summary>
public sealed class OnTensors : Module<Tensor, Tensor>
{
    private readonly Linear child = Linear(2, 2);
    private readonly string how;

    public OnTensors(string how) : base(nameof(OnTensors))
    {
        this.how = how;
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        var hidden = child.call(input);
        var factor = hidden.detach() * 0 + 5; // captured below: it survives this call
        Tensor? later = null;
        switch (how)
        {
            case "scale": hidden.register_hook(grad => grad * factor); break;
            case "later": hidden.register_hook(grad => grad * later!); later = hidden.detach() * 0 + 7; break;
            case "look": hidden.register_hook(grad => null); break;
            case "remove": using (hidden.register_hook(grad => grad * 100)) { } break;
            case "throw": hidden.register_hook(grad => throw new InvalidOperationException("from the tensor's hook")); break;
            case "parameter": child.weight!.register_hook(grad => grad * 0); break;
            case "accumulated": child.weight!.register_post_accumulate_grad_hook(weight => weight.grad!.mul_(10)); break;
            case "not a leaf": hidden.register_post_accumulate_grad_hook(_ => { }); break;
            case "calls": hidden.register_hook(grad => child.call(grad)); break;
            case "captures itself": Capture(hidden); break;
        }

        return hidden * 2;
    }

    // In a method of its own: C# keeps all that the lambdas of one method capture in one object.
    private static void Capture(Tensor hidden) => hidden.register_hook(grad => grad + hidden.detach() * 0);
}

/// <summary>Registers hooks of any module through its base class, with kwargs, and for all modules.</summary>
public sealed class Untyped : Module<Tensor, Tensor, Tensor?, Tensor>
{
    public static readonly List<string> Log = [];
    private readonly List<Bridge.Torch.HookRemover> handles = [];

    public Untyped(string how) : base(nameof(Untyped))
    {
        nn.Module self = this;
        if (how == "plain")
        {
            self.register_forward_pre_hook((_, args) => [(Tensor)args[0]! + 1, .. args[1..]], prepend: true);
            self.register_forward_hook((_, args, output) => (Tensor)output! * args.Length);
        }

        if (how == "kwargs")
        {
            self.register_forward_pre_hook((_, args, kwargs) =>
            {
                if (kwargs.ContainsKey("plus")) kwargs["plus"] = (Tensor)kwargs["plus"]! * 10;
                return null;
            }, with_kwargs: true);
            self.register_forward_pre_hook((_, args, kwargs) => ([(Tensor)args[0]! * 2, .. args[1..]], kwargs), with_kwargs: true);
            self.register_forward_hook((_, args, kwargs, output) => (Tensor)output! + 1000 * kwargs.Count, with_kwargs: true);
        }

        if (how == "global")
        {
            handles.Add(register_module_forward_pre_hook((module, args) => { Log.Add("pre " + module.GetName()); return null; }));
            handles.Add(register_module_forward_hook((module, args, output) => { Log.Add("forward " + module.GetName()); return null; }));
            handles.Add(register_module_full_backward_hook(
                (module, input, output) => { Log.Add("backward " + module.GetName()); return null; }));
        }

        if (how == "remove") Log.Clear();
    }

    public override Tensor forward(Tensor input, Tensor times, Tensor? plus = null)
    {
        var result = input * times;
        if (plus is not null) result = result + plus;
        if (handles.Count > 0) result = result + 0 * Log.Count;
        if (handles.Count > 0 && plus is not null) handles.ForEach(handle => handle.remove());
        return result;
    }
}
