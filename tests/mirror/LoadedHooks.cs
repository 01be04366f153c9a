using TorchSharp;
using static TorchSharp.torch;

namespace Loaded;

/// <summary>One hook of each kind, each in a class of its own, and several in one.</summary>
public sealed class Scale(double by)
{
    public Tensor? OnOutput(nn.Module module, object[] args, Tensor output) => output * by;
}

public sealed class ScaleInput(double by)
{
    public object[] OnInput(nn.Module module, object[] args) => [(Tensor)args[0] * by, .. args[1..]];
}

public sealed class GradCam
{
    private Tensor? activations;

    public Tensor? Heatmap { get; private set; }

    public int Calls;

    public string? Seen { get; private set; }

    public void OnForward(nn.Module module, object[] args, Tensor output)
    {
        activations = output.detach();
        Calls++;
        Seen = module.GetName() + ": " + string.Join(", ",
            module.named_parameters().Select(item => $"{item.name}[{string.Join("x", item.parameter.shape)}]"));
    }

    public void OnBackward(nn.Module module, Tensor?[] gradInput, Tensor?[] gradOutput) => Heatmap = activations! * gradOutput[0]!;
}

public sealed class ScaleGradients(double by)
{
    public Tensor?[] OnGradients(nn.Module module, Tensor?[] gradInput, Tensor?[] gradOutput) =>
        gradInput.Select(grad => grad is null ? null : grad * by).ToArray();
}

public sealed class ScaleOutputGradients(double by)
{
    public Tensor?[] OnGradients(nn.Module module, Tensor?[] gradOutput) =>
        gradOutput.Select(grad => grad is null ? null : grad * by).ToArray();
}

public sealed class Named
{
    public Tensor? OnOutput(nn.Module module, object[] args, IDictionary<string, object> kwargs, Tensor output) => output + kwargs.Count;
}

public sealed class Writing(bool crosses)
{
    public void OnArguments(nn.Module module, object[] args, IDictionary<string, object> kwargs)
    {
        var disposed = torch.ones(1);
        disposed.Dispose();
        kwargs["written"] = crosses ? 1L : disposed;
        throw new InvalidOperationException("after it wrote");
    }
}

public static class Functions
{
    public static Tensor Double(Tensor grad) => grad * 2;

    public static void DoubleInPlace(Tensor parameter) => parameter.grad!.mul_(2);

    public static Tensor Throw(Tensor grad) => throw new InvalidOperationException("from a loaded hook");

    public static int Nothing(int x) => x;
}

public sealed class Walker
{
    public string? Seen { get; private set; }

    public string? Weight { get; private set; }

    public string? Buffers { get; private set; }

    public bool Same { get; private set; }

    private nn.Module? last;

    public void Look(nn.Module module, object[] args, object output)
    {
        Same = ReferenceEquals(last, module);
        last = module;
        Seen = string.Join(" ", module.named_modules().Select(item => $"{item.name}={item.module.GetName()}"))
            + $" training={module.training}";
        Weight = module.get_parameter("0.weight")?.sum().item<float>().ToString("0.0");
        Buffers = string.Join("; ",
            new[] { module.named_buffers(), module.named_buffers(include_nonpersistent: false), module.named_buffers(false, false) }
                .Select(found => string.Join(" ", found.Select(item => item.name))));
    }
}

public sealed class Looks
{
    public void Look(nn.Module module, object[] args, Tensor output)
    {
    }
}

public sealed class Nope
{
    public int Count { get; set; }

    public string Greet(string name) => name;
}
