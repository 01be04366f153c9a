using Bridge.Torch;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;

namespace TorchSharp.Modules;

/// <summary>The optimizer AdamW: Adam whose weight decay shrinks the parameters directly instead of changing their gradients.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html">torch.optim.AdamW</see>.</remarks>
[Optimizer("beta1, beta2, eps, weight_decay, amsgrad, maximize", "step, exp_avg, exp_avg_sq, max_exp_avg_sq?")]
public partial class AdamW : OptimizerHelper, IBetas
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
        group =>
        {
            var options = group.Options;
            var (lr, decay) = (options.LearningRate!.Value, options.weight_decay!.Value);
            foreach (var (parameter, gradient, state) in WithGradients<State>(group, options.maximize!.Value))
            {
                if (decay != 0) parameter.mul_(1 - lr * decay);
                AdamStep.Run(
                    Real(parameter), Real(gradient), Real(state.exp_avg), Real(state.exp_avg_sq), options.amsgrad!.Value
                        ? Real(state.max_exp_avg_sq!) : null,
                    ++state.step, lr, options.beta1!.Value, options.beta2!.Value, options.eps!.Value);
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
