using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>The update of Adam and AdamW.</summary>
internal static class AdamStep
{
    /// <summary>Updates the moments with the gradient, and the parameter with their ratio.</summary>
    /// <param name="parameter">The parameter.</param>
    /// <param name="gradient">Its gradient.</param>
    /// <param name="mean">The first moment.</param>
    /// <param name="square">The second moment.</param>
    /// <param name="largest">The largest second moment so far; null without amsgrad.</param>
    /// <param name="step">The number of the step, from 1.</param>
    /// <param name="lr">The learning rate.</param>
    /// <param name="beta1">The decay of the first moment.</param>
    /// <param name="beta2">The decay of the second moment.</param>
    /// <param name="eps">The number added to the divisor.</param>
    /// <remarks>
    /// Updates the first moment by <c>lerp_</c>, as PyTorch does. TorchSharp calls <c>mul_</c> and <c>add_</c>, which round differently.
    /// </remarks>
    internal static void Run(Tensor parameter, Tensor gradient, Tensor mean, Tensor square, Tensor? largest, long step, double lr,
        double beta1, double beta2, double eps)
    {
        mean.Lerp_(gradient, 1 - beta1);
        square.mul_(beta2).addcmul_(gradient, gradient, 1 - beta2);
        var rate = lr / (1 - Math.Pow(beta1, step));
        var correction = Math.Pow(1 - Math.Pow(beta2, step), 0.5);
        largest?.copy_(largest.maximum(square));
        parameter.addcdiv_(mean, (largest ?? square).sqrt().div(correction).add_(eps), -rate);
    }
}
