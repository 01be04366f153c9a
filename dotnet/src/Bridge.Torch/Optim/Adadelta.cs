using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The optimizer Adadelta: scales each step by the root mean square of the previous steps.</summary>
/// <remarks>
/// The state's step count increases, as in PyTorch; in TorchSharp it stays 0.
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.Adadelta.html">torch.optim.Adadelta</see>.
/// </remarks>
[Optimizer("rho, eps, weight_decay, maximize", "step, square_avg, acc_delta")]
public partial class Adadelta : OptimizerHelper
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
        group =>
        {
            var options = group.Options;
            var (rho, eps) = (options.rho!.Value, options.eps!.Value);
            foreach (var (parameter, rawGradient, state) in WithGradients<State>(group, options.maximize!.Value))
            {
                state.step++;
                var gradient = Real(AddDecay(rawGradient, parameter, options.weight_decay!.Value));
                var (square, steps) = (Real(state.square_avg), Real(state.acc_delta));
                var root = square.mul_(rho).addcmul_(gradient, gradient, 1 - rho).add(eps).sqrt_();
                var delta = steps.add(eps).sqrt_().div_(root).mul_(gradient);
                steps.mul_(rho).addcmul_(delta, delta, 1 - rho);
                parameter.add_(parameter.is_complex() ? delta.view_as_complex() : delta, -options.LearningRate!.Value);
            }
        },
        closure);

    public partial class Options
    {
        internal override void Check()
        {
            base.Check();
            Require(rho is >= 0 and <= 1, "rho value", rho);
            Require(eps >= 0, "eps value", eps);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
        }
    }

    public partial class State
    {
        /// <inheritdoc/>
        public override void Initialize(OptimizerOptions options)
        {
            Release();
            (step, square_avg, acc_delta) = (0, Zeros(), Zeros());
        }
    }
}
