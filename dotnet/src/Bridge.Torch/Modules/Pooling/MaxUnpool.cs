using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The inverse of MaxPool1d: each element is put at its index, with zeros elsewhere.</summary>
[Settings]
public sealed partial class MaxUnpool1d : ParameterLessModule<Tensor, Tensor, long[]?, Tensor>
{
    internal MaxUnpool1d(long kernel_size, long? stride, long? padding) : base(nameof(MaxUnpool1d)) =>
        (this.kernel_size, this.stride, this.padding) = (kernel_size, stride, padding);

    /// <param name="tensor">The result of MaxPool1d.</param>
    /// <param name="indices">The index of each element in MaxPool1d's input.</param>
    /// <param name="output_size">The size of MaxPool1d's input; null for (length - 1) * stride + kernel_size - 2 * padding.</param>
    public override Tensor forward(Tensor tensor, Tensor indices, long[]? output_size = null)
    {
        if (RunsInPython) return ForwardInPython((tensor, indices, output_size));
        using var scope = NewDisposeScope();
        var size = Unpooled.Size(tensor, output_size, [kernel_size], [stride ?? kernel_size], [padding ?? 0]);
        return Kernels.MaxUnpool2d(tensor.unsqueeze(-1), indices.unsqueeze(-1), [.. size, 1]).squeeze(-1).MoveToOuterDisposeScope();
    }

    public new Tensor call(Tensor tensor, Tensor indices, long[]? output_size = null) => base.call(tensor, indices, output_size);
}

/// <summary>The inverse of MaxPool2d: each element is put at its index, with zeros elsewhere.</summary>
[Settings]
public sealed partial class MaxUnpool2d : ParameterLessModule<Tensor, Tensor, long[]?, Tensor>
{
    internal MaxUnpool2d(long[] kernel_size, long[]? stride, long[]? padding) : base(nameof(MaxUnpool2d)) =>
        (this.kernel_size, this.stride, this.padding) = (kernel_size, stride ?? kernel_size, padding ?? [0, 0]);

    public override Tensor forward(Tensor tensor, Tensor indices, long[]? output_size = null) =>
        RunsInPython ? ForwardInPython((tensor, indices, output_size))
            : Kernels.MaxUnpool2d(tensor, indices, Unpooled.Size(tensor, output_size, kernel_size, stride, padding));

    public new Tensor call(Tensor tensor, Tensor indices, long[]? output_size = null) => base.call(tensor, indices, output_size);
}

/// <summary>The inverse of MaxPool3d: each element is put at its index, with zeros elsewhere.</summary>
[Settings]
public sealed partial class MaxUnpool3d : ParameterLessModule<Tensor, Tensor, long[]?, Tensor>
{
    internal MaxUnpool3d(long[] kernel_size, long[]? stride, long[]? padding) : base(nameof(MaxUnpool3d)) =>
        (this.kernel_size, this.stride, this.padding) = (kernel_size, stride ?? kernel_size, padding ?? [0, 0, 0]);

    public override Tensor forward(Tensor tensor, Tensor indices, long[]? output_size = null) =>
        RunsInPython ? ForwardInPython((tensor, indices, output_size))
            : Kernels.MaxUnpool3d(tensor, indices, Unpooled.Size(tensor, output_size, kernel_size, stride, padding), stride, padding);

    public new Tensor call(Tensor tensor, Tensor indices, long[]? output_size = null) => base.call(tensor, indices, output_size);
}

internal static class Unpooled
{
    /// <exception cref="ArgumentException"><paramref name="wanted"/> is not possible for the input.</exception>
    internal static long[] Size(Tensor input, long[]? wanted, long[] kernel, long[] stride, long[] padding)
    {
        var leading = (int)input.dim() - kernel.Length;
        var standard = kernel.Select((width, i) => (input.size(leading + i) - 1) * stride[i] + width - 2 * padding[i]).ToArray();
        if (wanted is null) return standard;
        var size = wanted.Length == kernel.Length + 2 ? wanted[2..] : wanted;
        if (size.Length != kernel.Length)
            throw new ArgumentException(
                $"output_size has {wanted.Length} numbers, it must have {kernel.Length} or {kernel.Length + 2}.", nameof(wanted));
        for (var i = 0; i < size.Length; i++)
            if (size[i] <= standard[i] - stride[i] || size[i] >= standard[i] + stride[i])
                throw new ArgumentException(
                    $"output_size [{string.Join(", ", size.Select(size => $"{size}"))}] is not possible: number {i} must be greater "
                    + $"than {standard[i] - stride[i]} and less than {standard[i] + stride[i]}.", nameof(wanted));
        return size;
    }
}
