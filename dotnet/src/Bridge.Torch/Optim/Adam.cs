using Bridge.Torch;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;

namespace TorchSharp.Modules;

/// <summary>The optimizer Adam: scales each element's step by running averages of its gradient and of the gradient's square.</summary>
/// <remarks>
/// With <c>amsgrad</c>, the divisor uses the largest average of squares so far.
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html">torch.optim.Adam</see>.
/// </remarks>
[Optimizer("beta1, beta2, eps, weight_decay, amsgrad, maximize", "step, exp_avg, exp_avg_sq, max_exp_avg_sq?")]
public partial class Adam : OptimizerHelper, IBetas
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
        group =>
        {
            var options = group.Options;
            foreach (var (parameter, gradient, state) in WithGradients<State>(group, options.maximize!.Value))
            {
                AdamStep.Run(
                    Real(parameter), Real(AddDecay(gradient, parameter, options.weight_decay!.Value)), Real(state.exp_avg),
                        Real(state.exp_avg_sq),
                    options.amsgrad!.Value ? Real(state.max_exp_avg_sq!) : null, ++state.step,
                    options.LearningRate!.Value, options.beta1!.Value, options.beta2!.Value, options.eps!.Value);
            }
        },
        closure);

    public partial class Options
    {
        internal override void Check()
        {
            base.Check();
            Require(eps >= 0, "eps value", eps);
            Require(beta1 is >= 0 and < 1, "beta1", beta1);
            Require(beta2 is >= 0 and < 1, "beta2", beta2);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
        }
    }

    public partial class State
    {
        /// <inheritdoc/>
        public override void Initialize(OptimizerOptions options)
        {
            Release();
            (step, exp_avg, exp_avg_sq) = (0, Zeros(), Zeros());
            max_exp_avg_sq = ((Options)options).amsgrad!.Value ? Zeros() : null;
        }
    }
}
