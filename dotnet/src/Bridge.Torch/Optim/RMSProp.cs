using Bridge.Torch;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;

namespace TorchSharp.Modules;

/// <summary>The optimizer RMSprop: divides the gradient by the square root of the average squared gradient.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.RMSprop.html">torch.optim.RMSprop</see>.
/// </remarks>
[Optimizer("maximize, momentum, alpha, eps, weight_decay, centered", "step, square_avg, momentum_buffer?, grad_avg?")]
public partial class RMSProp : OptimizerHelper, IMomentum
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
        group =>
        {
            var options = group.Options;
            var (lr, alpha, momentum) = (options.LearningRate!.Value, options.alpha!.Value, options.momentum!.Value);
            foreach (var (parameter, rawGradient, state) in WithGradients<State>(group, options.maximize!.Value))
            {
                state.step++;
                var gradient = Real(AddDecay(rawGradient, parameter, options.weight_decay!.Value));
                var (target, square) = (Real(parameter), Real(state.square_avg));
                square.mul_(alpha).addcmul_(gradient, gradient, 1 - alpha);
                var root = options.centered!.Value ? CenteredRoot(square, Real(state.grad_avg!), gradient, alpha) : square.sqrt();
                root.add_(options.eps!.Value);
                if (momentum > 0) target.add_(Real(state.momentum_buffer!).mul_(momentum).addcdiv_(gradient, root, 1), -lr);
                else target.addcdiv_(gradient, root, -lr);
            }
        },
        closure);

    private static Tensor CenteredRoot(Tensor square, Tensor average, Tensor gradient, double alpha)
    {
        average.Lerp_(gradient, 1 - alpha);
        return square.addcmul(average, average, -1).sqrt_();
    }

    public partial class Options
    {
        internal override void Check()
        {
            base.Check();
            Require(eps >= 0, "eps value", eps);
            Require(alpha >= 0, "alpha value", alpha);
            Require(momentum >= 0, "momentum value", momentum);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
        }
    }

    public partial class State
    {
        /// <inheritdoc/>
        public override void Initialize(OptimizerOptions options)
        {
            Release();
            (step, square_avg, momentum_buffer, grad_avg) = (0, Zeros(), Zeros(), Zeros());
        }
    }
}
