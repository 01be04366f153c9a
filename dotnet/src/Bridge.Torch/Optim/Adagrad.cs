using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The optimizer Adagrad: divides the gradient by the square root of the sum of all squared gradients.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.Adagrad.html">torch.optim.Adagrad</see>.
/// </remarks>
[Optimizer("lr_decay, initial_accumulator_value, eps, weight_decay", "step, sum")]
public partial class Adagrad : OptimizerHelper
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
        group =>
        {
            var options = group.Options;
            foreach (var (parameter, rawGradient, state) in WithGradients<State>(group))
            {
                state.step++;
                var gradient = Real(AddDecay(rawGradient, parameter, options.weight_decay!.Value));
                var rate = options.LearningRate!.Value / (1 + (state.step - 1) * options.lr_decay!.Value);
                var root = Real(state.sum).addcmul_(gradient, gradient, 1).sqrt().add_(options.eps!.Value);
                Real(parameter).addcdiv_(gradient, root, -rate);
            }
        },
        closure);

    public partial class Options
    {
        internal override void Check()
        {
            base.Check();
            Require(eps >= 0, "eps value", eps);
            Require(lr_decay >= 0, "lr decay value", lr_decay);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
            Require(initial_accumulator_value >= 0, "initial_accumulator_value value", initial_accumulator_value);
        }
    }

    public partial class State
    {
        /// <inheritdoc/>
        public override void Initialize(OptimizerOptions options)
        {
            Release();
            (step, sum) = (0, Zeros());
            using var numbers = Real(sum).alias();
            numbers.fill_(((Options)options).initial_accumulator_value!.Value);
        }
    }
}
