using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The inverse of MaxPool1d: each element is put at its index, with zeros elsewhere.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxUnpool1d.html">MaxUnpool1d</see>.</remarks>
[Settings]
public sealed partial class MaxUnpool1d : ParameterLessModule<Tensor, Tensor, long[]?, Tensor>
{
    internal MaxUnpool1d(long kernel_size, long? stride, long? padding) : base(nameof(MaxUnpool1d)) =>
        (this.kernel_size, this.stride, this.padding) = (kernel_size, stride, padding);

    /// <summary>Puts elements back at the indices that <c>MaxPool1d</c> returned, with zeros elsewhere.</summary>
    /// <param name="tensor">The result of <c>MaxPool1d</c>.</param>
    /// <param name="indices">The index of each element in the input of <c>MaxPool1d</c>.</param>
    /// <param name="output_size">The sizes of that input; null for (size - 1) * stride + kernel_size - 2 * padding.</param>
    /// <returns>The elements, in a tensor of the given size.</returns>
    /// <exception cref="ArgumentException"><paramref name="output_size"/> is not possible for the input.</exception>
    public override Tensor forward(Tensor tensor, Tensor indices, long[]? output_size = null)
    {
        if (RunsInPython) return ForwardInPython((tensor, indices, output_size));
        using var scope = NewDisposeScope();
        var size = Unpooled.Size(tensor, output_size, [kernel_size], [stride ?? kernel_size], [padding ?? 0]);
        return Kernels.MaxUnpool2d(tensor.unsqueeze(-1), indices.unsqueeze(-1), [.. size, 1]).squeeze(-1).MoveToOuterDisposeScope();
    }

    /// <summary>Runs the hooks of the <c>MaxUnpool1d</c> and its <c>forward</c>.</summary>
    /// <param name="tensor">The result of <c>MaxPool1d</c>.</param>
    /// <param name="indices">The index of each element in the input of <c>MaxPool1d</c>.</param>
    /// <param name="output_size">The sizes of the result; null for those that <c>forward</c> computes.</param>
    /// <returns>The elements, in a tensor of the given size.</returns>
    public new Tensor call(Tensor tensor, Tensor indices, long[]? output_size = null) => base.call(tensor, indices, output_size);
}

/// <summary>The inverse of MaxPool2d: each element is put at its index, with zeros elsewhere.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxUnpool2d.html">MaxUnpool2d</see>.</remarks>
[Settings]
public sealed partial class MaxUnpool2d : ParameterLessModule<Tensor, Tensor, long[]?, Tensor>
{
    internal MaxUnpool2d(long[] kernel_size, long[]? stride, long[]? padding) : base(nameof(MaxUnpool2d)) =>
        (this.kernel_size, this.stride, this.padding) = (kernel_size, stride ?? kernel_size, padding ?? [0, 0]);

    /// <summary>Puts elements back at the indices that <c>MaxPool2d</c> returned, with zeros elsewhere.</summary>
    /// <param name="tensor">The result of <c>MaxPool2d</c>.</param>
    /// <param name="indices">The index of each element in the input of <c>MaxPool2d</c>.</param>
    /// <param name="output_size">The sizes of that input; null for (size - 1) * stride + kernel_size - 2 * padding.</param>
    /// <returns>The elements, in a tensor of the given size.</returns>
    /// <exception cref="ArgumentException"><paramref name="output_size"/> is not possible for the input.</exception>
    public override Tensor forward(Tensor tensor, Tensor indices, long[]? output_size = null) =>
        RunsInPython ? ForwardInPython((tensor, indices, output_size))
            : Kernels.MaxUnpool2d(tensor, indices, Unpooled.Size(tensor, output_size, kernel_size, stride, padding));

    /// <summary>Runs the hooks of the <c>MaxUnpool2d</c> and its <c>forward</c>.</summary>
    /// <param name="tensor">The result of <c>MaxPool2d</c>.</param>
    /// <param name="indices">The index of each element in the input of <c>MaxPool2d</c>.</param>
    /// <param name="output_size">The sizes of the result; null for those that <c>forward</c> computes.</param>
    /// <returns>The elements, in a tensor of the given size.</returns>
    public new Tensor call(Tensor tensor, Tensor indices, long[]? output_size = null) => base.call(tensor, indices, output_size);
}

/// <summary>The inverse of MaxPool3d: each element is put at its index, with zeros elsewhere.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxUnpool3d.html">MaxUnpool3d</see>.</remarks>
[Settings]
public sealed partial class MaxUnpool3d : ParameterLessModule<Tensor, Tensor, long[]?, Tensor>
{
    internal MaxUnpool3d(long[] kernel_size, long[]? stride, long[]? padding) : base(nameof(MaxUnpool3d)) =>
        (this.kernel_size, this.stride, this.padding) = (kernel_size, stride ?? kernel_size, padding ?? [0, 0, 0]);

    /// <summary>Puts elements back at the indices that <c>MaxPool3d</c> returned, with zeros elsewhere.</summary>
    /// <param name="tensor">The result of <c>MaxPool3d</c>.</param>
    /// <param name="indices">The index of each element in the input of <c>MaxPool3d</c>.</param>
    /// <param name="output_size">The sizes of that input; null for (size - 1) * stride + kernel_size - 2 * padding.</param>
    /// <returns>The elements, in a tensor of the given size.</returns>
    /// <exception cref="ArgumentException"><paramref name="output_size"/> is not possible for the input.</exception>
    public override Tensor forward(Tensor tensor, Tensor indices, long[]? output_size = null) =>
        RunsInPython ? ForwardInPython((tensor, indices, output_size))
            : Kernels.MaxUnpool3d(tensor, indices, Unpooled.Size(tensor, output_size, kernel_size, stride, padding), stride, padding);

    /// <summary>Runs the hooks of the <c>MaxUnpool3d</c> and its <c>forward</c>.</summary>
    /// <param name="tensor">The result of <c>MaxPool3d</c>.</param>
    /// <param name="indices">The index of each element in the input of <c>MaxPool3d</c>.</param>
    /// <param name="output_size">The sizes of the result; null for those that <c>forward</c> computes.</param>
    /// <returns>The elements, in a tensor of the given size.</returns>
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
                $"output_size has {Phrases.Plural(wanted.Length, "number")}, it must have {kernel.Length} or {kernel.Length + 2}.",
                nameof(wanted));
        for (var i = 0; i < size.Length; i++)
            if (size[i] <= standard[i] - stride[i] || size[i] >= standard[i] + stride[i])
                throw new ArgumentException(
                    $"output_size [{string.Join(", ", size.Select(size => $"{size}"))}] is not possible: number {i} must be greater "
                    + $"than {standard[i] - stride[i]} and less than {standard[i] + stride[i]}.", nameof(wanted));
        return size;
    }
}
