using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The optimizer Rprop: an element's step grows while its gradient keeps its sign, and shrinks when the sign changes.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.Rprop.html">torch.optim.Rprop</see>.</remarks>
[Optimizer("maximize, etaminus, etaplus, min_step, max_step", "step, prev, step_size")]
public partial class Rprop : OptimizerHelper
{
    /// <inheritdoc/>
    public override Tensor? step(Func<Tensor>? closure = null) => _step<ParamGroup>(
        group =>
        {
            var options = group.Options;
            var (minus, plus) = (options.etaminus!.Value, options.etaplus!.Value);
            foreach (var (parameter, rawGradient, state) in WithGradients<State>(group, options.maximize!.Value))
            {
                var (gradient, before, size) = (Real(rawGradient), Real(state.prev), Real(state.step_size));
                // The first step uses the current learning rate: a scheduler may have changed it since the constructor.
                if (state.step++ == 0) size.fill_(options.LearningRate!.Value);
                var sign = gradient.mul(before).sign();
                sign.masked_fill_(sign.gt(0), plus);
                sign.masked_fill_(sign.lt(0), minus);
                sign.masked_fill_(sign.eq(0), 1);
                size.mul_(sign).clamp_(options.min_step!.Value, options.max_step!.Value);
                gradient = gradient.clone().masked_fill_(sign.eq(minus), 0);
                Real(parameter).addcmul_(gradient.sign(), size, -1);
                before.copy_(gradient);
            }
        },
        closure);

    public partial class State
    {
        /// <inheritdoc/>
        public override void Initialize(OptimizerOptions options)
        {
            Release();
            (step, prev, step_size) = (0, Zeros(), Zeros());
            using var numbers = Real(step_size).alias();
            numbers.fill_(options.LearningRate!.Value);
        }
    }
}
