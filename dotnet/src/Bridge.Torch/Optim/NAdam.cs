using Bridge.Torch;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;

namespace TorchSharp.Modules;

/// <summary>The optimizer NAdam: Adam with Nesterov momentum.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.NAdam.html">torch.optim.NAdam</see>.</remarks>
[Optimizer("beta1, beta2, eps, weight_decay, momentum_decay", "step, mu_product, exp_avg, exp_avg_sq")]
public partial class NAdam : OptimizerHelper, IBetas
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
        group =>
        {
            var options = group.Options;
            var (lr, beta1, beta2, decay) = (options.LearningRate!.Value, options.beta1!.Value, options.beta2!.Value,
                options.momentum_decay!.Value);
            foreach (var (parameter, rawGradient, state) in WithGradients<State>(group))
            {
                state.step++;
                var (target, mean, square) = (Real(parameter), Real(state.exp_avg), Real(state.exp_avg_sq));
                var gradient = AddDecay(Real(rawGradient), target, options.weight_decay!.Value);
                var mu = beta1 * (1 - 0.5 * Math.Pow(0.96, state.step * decay));
                var next = beta1 * (1 - 0.5 * Math.Pow(0.96, (state.step + 1) * decay));
                state.mu_product = RoundToDefault(RoundToDefault(state.mu_product) * RoundToDefault(mu));
                mean.Lerp_(gradient, 1 - beta1);
                square.mul_(beta2).addcmul_(gradient, gradient, 1 - beta2);
                var root = square.div(1 - Math.Pow(beta2, state.step)).sqrt().add_(options.eps!.Value);
                target.addcdiv_(gradient, root, -lr * (1 - mu) / (1 - state.mu_product));
                target.addcdiv_(mean, root, -lr * next / (1 - state.mu_product * next));
            }
        },
        closure);

    public partial class Options
    {
        internal override void Check()
        {
            base.Check();
            RequireMoments(beta1, beta2, eps, weight_decay);
            Require(momentum_decay >= 0, "momentum decay value", momentum_decay);
        }
    }

    public partial class State
    {
        /// <inheritdoc/>
        public override void Initialize(OptimizerOptions options)
        {
            Release();
            (step, mu_product, exp_avg, exp_avg_sq) = (0, 1, Zeros(), Zeros());
        }
    }
}
