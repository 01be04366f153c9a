using Bridge.Torch;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;

namespace TorchSharp.Modules;

/// <summary>The optimizer RAdam: Adam that corrects its first steps for the variance of the squares' average.</summary>
/// <remarks>
/// Multiplies by the learning rate once, as PyTorch does. TorchSharp multiplies twice after the first steps.
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.RAdam.html">torch.optim.RAdam</see>.
/// </remarks>
[Optimizer("beta1, beta2, eps, weight_decay", "step, exp_avg, exp_avg_sq")]
public partial class RAdam : OptimizerHelper, IBetas
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
        group =>
        {
            var options = group.Options;
            var (beta1, beta2) = (options.beta1!.Value, options.beta2!.Value);
            var limit = 2 / (1 - beta2) - 1;
            foreach (var (parameter, rawGradient, state) in WithGradients<State>(group))
            {
                var step = ++state.step;
                var (target, mean, square) = (Real(parameter), Real(state.exp_avg), Real(state.exp_avg_sq));
                var gradient = AddDecay(Real(rawGradient), target, options.weight_decay!.Value);
                mean.Lerp_(gradient, 1 - beta1);
                square.mul_(beta2).addcmul_(gradient, gradient, 1 - beta2);
                var correction = 1 - Math.Pow(beta2, step);
                var length = limit - 2 * step * Math.Pow(beta2, step) / correction;
                var change = mean / (1 - Math.Pow(beta1, step)) * options.LearningRate!.Value;
                if (length > 5)
                {
                    var rectified = Math.Pow((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length), 0.5);
                    change = change * (Math.Pow(correction, 0.5) / square.sqrt().add_(options.eps!.Value)) * rectified;
                }

                target.add_(change, -1.0);
            }
        },
        closure);

    public partial class Options
    {
        internal override void Check()
        {
            base.Check();
            RequireMoments(beta1, beta2, eps, weight_decay);
        }
    }

    public partial class State
    {
        /// <inheritdoc/>
        public override void Initialize(OptimizerOptions options)
        {
            Release();
            (step, exp_avg, exp_avg_sq) = (0, Zeros(), Zeros());
        }
    }
}
