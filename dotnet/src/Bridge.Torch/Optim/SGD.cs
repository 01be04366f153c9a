using Bridge.Torch;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;

namespace TorchSharp.Modules;

/// <summary>The optimizer SGD: stochastic gradient descent, with momentum if <c>momentum</c> is not 0.</summary>
/// <remarks>
/// With <c>maximize</c>, the weight decay is added after the gradient is negated, as in PyTorch; TorchSharp adds the decay before.
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html">torch.optim.SGD</see>.
/// </remarks>
[Optimizer("momentum, dampening, weight_decay, nesterov, maximize", "momentum_buffer?")]
public partial class SGD : OptimizerHelper, IMomentum
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
        group =>
        {
            var options = group.Options;
            var momentum = options.momentum!.Value;
            foreach (var (parameter, rawGradient, state) in WithGradients<State>(group, options.maximize!.Value))
            {
                var gradient = AddDecay(rawGradient, parameter, options.weight_decay!.Value);
                if (momentum != 0)
                {
                    if (state.momentum_buffer is null) state.momentum_buffer = gradient.detach().clone().DetachFromDisposeScope();
                    else state.momentum_buffer.mul_(momentum).add_(gradient, 1 - options.dampening!.Value);
                    gradient = options.nesterov!.Value ? gradient.add(state.momentum_buffer, momentum) : state.momentum_buffer;
                }

                parameter.add_(gradient, -options.LearningRate!.Value);
            }
        },
        closure);

    public partial class Options
    {
        internal override void Check()
        {
            base.Check();
            Require(momentum >= 0, "momentum value", momentum);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
            if (nesterov == true && (momentum <= 0 || dampening != 0))
                throw new ArgumentException("Nesterov momentum requires a momentum and zero dampening");
        }
    }

    public partial class State
    {
        /// <inheritdoc/>
        public override void Initialize(OptimizerOptions options)
        {
            Release();
            momentum_buffer = null;
        }
    }
}
