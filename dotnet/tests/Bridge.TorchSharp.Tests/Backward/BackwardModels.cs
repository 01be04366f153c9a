using System.Globalization;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>A model of a module with two arguments, one with two results and a layer with the weights 1 and 2.</summary>
public sealed class Branched : nn.Module<Tensor, Tensor, Tensor>
{
    public readonly Given<Tensor, Tensor, Tensor> a = new((x, y) => (x * 2) + (y * 3));
    public readonly Given<Tensor, (Tensor, Tensor)> b = new(x => (x * x, x + 1));
    public readonly Linear c = nn.Linear(2, 1);

    public Branched()
        : base(nameof(Branched))
    {
        using var _ = no_grad();
        c.weight!.copy_(tensor([1f, 2f]).view(1, 2));
        c.bias!.fill_(0.5f);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x, Tensor y) => c.call(b.call(a.call(x, y)).Item1);
}

/// <summary>Notes what backward hooks get.</summary>
internal sealed class BackwardLog
{
    internal List<string> Lines { get; } = [];

    internal static string Text(Tensor? tensor)
    {
        if (tensor is null) return "null";
        var elements = tensor.detach().to(float64).flatten().data<double>();
        return $"[{string.Join(" ", elements.Select(element => element.ToString("G4", CultureInfo.InvariantCulture)))}]";
    }

    internal static string Text(IEnumerable<Tensor?> tensors) => $"({string.Join(", ", tensors.Select(Text))})";

    internal static (Tensor X, Tensor Y) Inputs(bool x = true, bool y = true) =>
        (tensor([1f, 2f], requires_grad: x), tensor([3f, 4f], requires_grad: y));

    internal BackwardHook Full(string name, Func<IReadOnlyList<Tensor?>, IReadOnlyList<Tensor?>?>? replace = null) =>
        (module, gradInput, gradOutput) =>
        {
            Lines.Add($"{name} in={Text(gradInput)} out={Text(gradOutput)}");
            return replace?.Invoke(gradInput);
        };

    internal BackwardPreHook Pre(string name, Func<IReadOnlyList<Tensor?>, IReadOnlyList<Tensor?>?>? replace = null) =>
        (module, gradOutput) =>
        {
            Lines.Add($"{name} out={Text(gradOutput)}");
            return replace?.Invoke(gradOutput);
        };
}
