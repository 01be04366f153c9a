using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The optimizer ASGD: stochastic gradient descent that also averages the parameters over the steps.</summary>
/// <remarks>
/// As in PyTorch, a step's learning rate and the weight of the average are rounded to the default element type. TorchSharp does
/// not round them.
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.ASGD.html">torch.optim.ASGD</see>.
/// </remarks>
[Optimizer("maximize, lambd, alpha, weight_decay, t0", "step, eta, mu, ax")]
public partial class ASGD : OptimizerHelper
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup<Options>>(
        group =>
        {
            var options = group.Options;
            var (lr, lambd) = (options.LearningRate!.Value, options.lambd!.Value);
            foreach (var (parameter, rawGradient, state) in WithGradients<State>(group, options.maximize!.Value))
            {
                // The first step uses the current learning rate: a scheduler may have changed it since the constructor.
                var rate = RoundToDefault(state.step++ == 0 ? lr : state.eta);
                var (target, average) = (Real(parameter), Real(state.ax));
                var gradient = AddDecay(Real(rawGradient), target, options.weight_decay!.Value);
                target.mul_(1 - lambd * rate);
                target.add_(gradient, -rate);
                if (state.mu != 1) average.add_(target.sub(average).mul_(state.mu));
                else average.copy_(target);
                state.eta = RoundToDefault(lr / Math.Pow(1 + lambd * lr * state.step, options.alpha!.Value));
                state.mu = RoundToDefault(1 / Math.Max(1, state.step - options.t0!.Value));
            }
        },
        closure);

    public partial class State
    {
        /// <inheritdoc/>
        public override void Initialize(OptimizerOptions options)
        {
            Release();
            (step, eta, mu, ax) = (0, options.LearningRate!.Value, 1, Zeros());
        }
    }
}
