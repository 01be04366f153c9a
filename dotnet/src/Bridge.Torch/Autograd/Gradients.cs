using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    [Aten("bridge::set_anomaly", "mode, check_nan")] internal static partial void SetAnomaly(bool mode, bool check_nan);
    [Aten("bridge::anomaly", "")] internal static partial long Anomaly();

    /// <summary>The functions of torch.autograd. Gradients and anomaly mode need Python in the process.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/autograd.html">torch.autograd</see>.</remarks>
    public static partial class autograd
    {
        [Aten("bridge::autograd_grad", "outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused")]
        private static partial Tensor[] Gradients(Tensor[] outputs, Tensor[] inputs, Tensor?[] grad_outputs, bool retain_graph,
            bool create_graph, bool allow_unused);
        [Aten("bridge::autograd_backward", "tensors, grad_tensors, retain_graph, create_graph, inputs")]
        private static partial void Backward(Tensor[] tensors, Tensor?[] grad_tensors, bool retain_graph, bool create_graph,
            Tensor[] inputs);

        /// <summary>
        /// Returns the gradients of the sum of <paramref name="outputs"/> with respect to each input. No tensor's <c>grad</c> changes.
        /// </summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html">torch.autograd.grad</see>.
        /// </remarks>
        /// <param name="outputs">The tensors to differentiate.</param>
        /// <param name="inputs">The tensors with respect to which gradients are computed.</param>
        /// <param name="grad_outputs">The gradients of the outputs; null if each output has one element.</param>
        /// <param name="retain_graph">Whether to keep the graph. It is also kept if <paramref name="create_graph"/> is true.</param>
        /// <param name="create_graph">Whether the gradients can be differentiated.</param>
        /// <param name="allow_unused">
        /// Whether the gradient of an input that the outputs do not depend on is null. If false, such an input is an error.
        /// </param>
        public static IList<Tensor> grad(IList<Tensor> outputs, IList<Tensor> inputs, IList<Tensor>? grad_outputs = null,
            bool retain_graph = false, bool create_graph = false, bool allow_unused = false)
        {
            var found = new Queue<Tensor>(Gradients([.. outputs], [.. inputs], [.. grad_outputs ?? []], retain_graph
                || create_graph, create_graph, allow_unused));
            // The first tensor is a mask of the inputs that have gradients.
            using var mask = found.Dequeue();
            return [.. mask.data<bool>().ToArray().Select(used => used ? found.Dequeue() : null!)];
        }

        /// <summary>
        /// Computes the gradients of the sum of <paramref name="tensors"/> and adds them to the <c>grad</c> of all leaves, or only of
        /// <paramref name="inputs"/> if these are given.
        /// </summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.autograd.backward.html">torch.autograd.backward</see>.
        /// </remarks>
        /// <param name="tensors">The tensors to differentiate.</param>
        /// <param name="grad_tensors">The gradients of the tensors; null if each tensor has one element.</param>
        /// <param name="retain_graph">
        /// Whether to keep the graph for another backward pass; null for the value of <paramref name="create_graph"/>.
        /// </param>
        /// <param name="create_graph">Whether the gradients can be differentiated.</param>
        /// <param name="inputs">The leaves whose <c>grad</c> changes; null for all leaves.</param>
        public static void backward(IList<Tensor> tensors, IList<Tensor>? grad_tensors = null, bool? retain_graph = null,
            bool create_graph = false, IList<Tensor>? inputs = null) =>
            Backward([.. tensors], [.. grad_tensors ?? []], retain_graph ?? create_graph, create_graph, [.. inputs ?? []]);

        /// <summary>Computes the gradients of one tensor and adds them to the <c>grad</c> of the leaves.</summary>
        /// <param name="tensor">The tensor to differentiate.</param>
        /// <param name="grad_tensors">A list with the gradient of the tensor; null if the tensor has one element.</param>
        /// <param name="retain_graph">
        /// Whether to keep the graph for another backward pass; null for the value of <paramref name="create_graph"/>.
        /// </param>
        /// <param name="create_graph">Whether the gradients can be differentiated.</param>
        /// <param name="inputs">The leaves whose <c>grad</c> changes; null for all leaves.</param>
        public static void backward(Tensor tensor, IList<Tensor>? grad_tensors = null, bool? retain_graph = null, bool create_graph = false,
            IList<Tensor>? inputs = null) =>
            backward([tensor], grad_tensors, retain_graph, create_graph, inputs);

        /// <summary>
        /// Computes the gradients of one tensor, whose own gradient is given, and adds them to the <c>grad</c> of the leaves.
        /// </summary>
        /// <param name="tensor">The tensor to differentiate.</param>
        /// <param name="grad_tensor">The gradient of the tensor, of the tensor's shape.</param>
        /// <param name="retain_graph">
        /// Whether to keep the graph for another backward pass; null for the value of <paramref name="create_graph"/>.
        /// </param>
        /// <param name="create_graph">Whether the gradients can be differentiated.</param>
        /// <param name="inputs">The leaves whose <c>grad</c> changes; null for all leaves.</param>
        public static void backward(Tensor tensor, Tensor grad_tensor, bool? retain_graph = null, bool create_graph = false,
            IList<Tensor>? inputs = null) =>
            backward([tensor], [grad_tensor], retain_graph, create_graph, inputs);

        /// <summary>
        /// Turns anomaly mode on until the result is disposed. An error in a backward pass is then reported with the forward call that
        /// caused it. If <paramref name="check_nan"/> is true, NaN in a gradient is an error.
        /// </summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.detect_anomaly">
        /// torch.autograd.detect_anomaly</see>.
        /// </remarks>
        /// <param name="check_nan">Whether NaN in a gradient is an error.</param>
        /// <returns>The setting. Its disposal restores the mode from before.</returns>
        public static AnomalyMode detect_anomaly(bool check_nan = true) => new(true, check_nan);

        /// <summary>Turns anomaly mode on or off until the result is disposed.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.set_detect_anomaly">
        /// torch.autograd.set_detect_anomaly</see>.
        /// </remarks>
        /// <param name="mode">Whether to turn the mode on.</param>
        /// <param name="check_nan">Whether NaN in a gradient is an error in this mode.</param>
        /// <returns>The setting. Its disposal restores the mode from before.</returns>
        public static AnomalyMode set_detect_anomaly(bool mode, bool check_nan = true) => new(mode, check_nan);
    }
}

/// <summary>A setting of autograd's anomaly mode until disposal. The mode is process-wide and shared with Python.</summary>
public class AnomalyMode : IDisposable
{
    private readonly (bool Enabled, bool Checks) _before = (IsEnabled, ShouldCheckNaN);

    /// <summary>Creates a setting of the anomaly mode, which holds from now on.</summary>
    /// <param name="enabled">Whether to turn the mode on.</param>
    /// <param name="check_nan">Whether NaN in a gradient is an error in this mode.</param>
    public AnomalyMode(bool enabled, bool check_nan = true) => torch.SetAnomaly(enabled, check_nan);

    /// <summary>Gets whether anomaly mode is on in the process.</summary>
    public static bool IsEnabled => (torch.Anomaly() & 1) != 0;

    /// <summary>Gets whether anomaly mode treats NaN in a gradient as an error.</summary>
    public static bool ShouldCheckNaN => (torch.Anomaly() & 2) != 0;

    /// <summary>Restores the anomaly mode from before this setting.</summary>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Restores the anomaly mode if called by <see cref="Dispose()"/>.</summary>
    /// <param name="disposing">Whether <see cref="Dispose()"/> was called; if false, nothing is done.</param>
    protected virtual void Dispose(bool disposing)
    {
        if (disposing) torch.SetAnomaly(_before.Enabled, _before.Checks);
    }
}
