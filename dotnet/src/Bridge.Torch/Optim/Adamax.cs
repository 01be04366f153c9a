using Bridge.Torch;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;

namespace TorchSharp.Modules;

/// <summary>The optimizer Adamax: Adam with the largest decayed gradient, the infinity norm, in place of the average of squares.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.Adamax.html">torch.optim.Adamax</see>.</remarks>
[Optimizer("beta1, beta2, eps, weight_decay", "step, exp_avg, exp_inf")]
public partial class Adamax : OptimizerHelper, IBetas
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
        group =>
        {
            var options = group.Options;
            var beta1 = options.beta1!.Value;
            foreach (var (parameter, rawGradient, state) in WithGradients<State>(group))
            {
                state.step++;
                var gradient = Real(AddDecay(rawGradient, parameter, options.weight_decay!.Value));
                var (mean, largest) = (Real(state.exp_avg), Real(state.exp_inf));
                mean.Lerp_(gradient, 1 - beta1);
                largest.copy_(largest.mul_(options.beta2!.Value).maximum(gradient.abs().add_(options.eps!.Value)));
                Real(parameter).addcdiv_(mean, largest, -(options.LearningRate!.Value / (1 - Math.Pow(beta1, state.step))));
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
            (step, exp_avg, exp_inf) = (0, Zeros(), Zeros());
        }
    }
}
