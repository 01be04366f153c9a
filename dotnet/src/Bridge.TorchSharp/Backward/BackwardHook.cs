using TorchSharp;

namespace Bridge.TorchSharp;

/// <summary>
/// A full backward hook (clauses B-1 and B-12 of docs/contract.md). It runs in the backward pass, when the gradients of a call's arguments
/// are known, and may replace them.
/// </summary>
/// <param name="module">The module that was called.</param>
/// <param name="gradInput">
/// The gradients of the arguments, one for each argument that was given. Null for a value that is no tensor; zeros for a tensor without a
/// gradient, if another one has a gradient.
/// </param>
/// <param name="gradOutput">The gradients of the result, one for each element of a tuple. Null for a tensor that was not used.</param>
/// <returns>As many gradients in the place of <paramref name="gradInput"/>, where null drops a gradient; null for no change.</returns>
public delegate IReadOnlyList<torch.Tensor?>? BackwardHook(
    object module, IReadOnlyList<torch.Tensor?> gradInput, IReadOnlyList<torch.Tensor?> gradOutput);

/// <summary>
/// A backward pre hook (B-1, B-13). It runs in the backward pass, when the gradients of a call's result are known, and may replace them.
/// </summary>
/// <param name="module">The module that was called.</param>
/// <param name="gradOutput">The gradients of the result, as in <see cref="BackwardHook"/>.</param>
/// <returns>As many gradients in the place of <paramref name="gradOutput"/>; null for no change.</returns>
public delegate IReadOnlyList<torch.Tensor?>? BackwardPreHook(object module, IReadOnlyList<torch.Tensor?> gradOutput);
