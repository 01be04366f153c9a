using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    [Aten("bridge::set_anomaly", "mode, check_nan")] internal static partial void SetAnomaly(bool mode, bool check_nan);
    [Aten("bridge::anomaly", "")] internal static partial long Anomaly();

    /// <summary>torch.autograd. What it does runs in Python, so it needs Python in the process.</summary>
    public static partial class autograd
    {
        [Aten("bridge::autograd_grad", "outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused")]
        private static partial Tensor[] Gradients(Tensor[] outputs, Tensor[] inputs, Tensor?[] grad_outputs, bool retain_graph,
            bool create_graph, bool allow_unused);
        [Aten("bridge::autograd_backward", "tensors, grad_tensors, retain_graph, create_graph, inputs")]
        private static partial void Backward(Tensor[] tensors, Tensor?[] grad_tensors, bool retain_graph, bool create_graph,
            Tensor[] inputs);

        /// <summary>
        /// The gradients of the sum of <paramref name="outputs"/> with respect to each input; <c>grad</c> of the inputs stays as it is.
        /// </summary>
        /// <param name="outputs">What is differentiated.</param>
        /// <param name="inputs">With respect to what.</param>
        /// <param name="grad_outputs">The gradients of the outputs, null for outputs of one element.</param>
        /// <param name="retain_graph">The graph is kept; with <paramref name="create_graph"/> it is in any case.</param>
        /// <param name="create_graph">The gradients can be differentiated.</param>
        /// <param name="allow_unused">
        /// The result has null for an input that the outputs do not depend on; otherwise that is an error.
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

        /// <summary>Adds the gradients of the sum of tensors to <c>grad</c> of the leaves, or of <paramref name="inputs"/> alone.</summary>
        public static void backward(IList<Tensor> tensors, IList<Tensor>? grad_tensors = null, bool? retain_graph = null,
            bool create_graph = false, IList<Tensor>? inputs = null) =>
            Backward([.. tensors], [.. grad_tensors ?? []], retain_graph ?? create_graph, create_graph, [.. inputs ?? []]);

        public static void backward(Tensor tensor, IList<Tensor>? grad_tensors = null, bool? retain_graph = null, bool create_graph = false,
            IList<Tensor>? inputs = null) =>
            backward([tensor], grad_tensors, retain_graph, create_graph, inputs);

        public static void backward(Tensor tensor, Tensor grad_tensor, bool? retain_graph = null, bool create_graph = false,
            IList<Tensor>? inputs = null) =>
            backward([tensor], [grad_tensor], retain_graph, create_graph, inputs);

        /// <summary>
        /// Until the result is disposed, a backward pass that fails, or makes NaN, shows the forward call that it belongs to.
        /// </summary>
        public static AnomalyMode detect_anomaly(bool check_nan = true) => new(true, check_nan);

        /// <summary>The same, or not.</summary>
        public static AnomalyMode set_detect_anomaly(bool mode, bool check_nan = true) => new(mode, check_nan);
    }
}

/// <summary>Sets autograd's anomaly mode, which is one for the process and shared with Python, until it is disposed.</summary>
public class AnomalyMode : IDisposable
{
    private readonly (bool Enabled, bool Checks) _before = (IsEnabled, ShouldCheckNaN);

    public AnomalyMode(bool enabled, bool check_nan = true) => torch.SetAnomaly(enabled, check_nan);

    public static bool IsEnabled => (torch.Anomaly() & 1) != 0;

    public static bool ShouldCheckNaN => (torch.Anomaly() & 2) != 0;

    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    protected virtual void Dispose(bool disposing)
    {
        if (disposing) torch.SetAnomaly(_before.Enabled, _before.Checks);
    }
}
