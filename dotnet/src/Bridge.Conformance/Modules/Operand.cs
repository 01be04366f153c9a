using TorchSharp;

namespace Bridge.Conformance.Modules;

/// <summary>The arithmetic of Python's operators on tensors and numbers.</summary>
internal static class Operand
{
    internal static torch.Tensor Times(object? x, torch.Tensor k) => x switch
    {
        torch.Tensor tensor => tensor * k,
        long integer => k * integer,
        double real => k * real,
        _ => throw Unfit(x),
    };

    internal static object Times(object? x, object? k) => (x, k) switch
    {
        (_, torch.Tensor tensor) => Times(x, tensor),
        (torch.Tensor, _) => Times(k, (torch.Tensor)x),
        (long a, long b) => (object)(a * b), // Without the cast, every arm would be converted to Tensor.
        _ => Number(x) * Number(k),
    };

    internal static object Plus(object? x, object? c) => (x, c) switch
    {
        (torch.Tensor a, torch.Tensor b) => a + b,
        (torch.Tensor a, long b) => a + b,
        (torch.Tensor a, double b) => a + b,
        (long or double, torch.Tensor b) => Plus(b, x),
        (long a, long b) => (object)(a + b),
        _ => Number(x) + Number(c),
    };

    internal static torch.Tensor Tensor(object? x) => x as torch.Tensor ?? throw Unfit(x);

    private static double Number(object? x) => x switch
    {
        long integer => integer,
        double real => real,
        _ => throw Unfit(x),
    };

    private static InvalidCastException Unfit(object? x) =>
        new($"The module computes with tensors and numbers, and was given {x?.GetType().Name ?? "None"}.");
}
