using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class optim
        {
            /// <summary>Resilient backpropagation: an element's step grows while the sign of its gradient stays the same.</summary>
            public static Rprop Rprop(IEnumerable<Parameter> parameters, double lr = 0.01, double etaminus = 0.5, double etaplus = 1.2,
                double min_step = 1e-6, double max_step = 50, bool maximize = false) =>
                new(parameters, lr, etaminus, etaplus, min_step, max_step, maximize);

            public static Rprop Rprop(IEnumerable<(string name, Parameter parameter)> parameters, double lr = 0.01, double etaminus = 0.5,
                double etaplus = 1.2, double min_step = 1e-6, double max_step = 50, bool maximize = false) =>
                new(parameters.Select(named => named.parameter), lr, etaminus, etaplus, min_step, max_step, maximize);

            public static Rprop Rprop(IEnumerable<Rprop.ParamGroup> parameters, double lr = 0.01, double etaminus = 0.5,
                double etaplus = 1.2, double min_step = 1e-6, double max_step = 50, bool maximize = false) =>
                new(parameters, lr, etaminus, etaplus, min_step, max_step, maximize);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <inheritdoc cref="torch.optim.Rprop(IEnumerable{Parameter}, double, double, double, double, double, bool)"/>
    public class Rprop : OptimizerHelper
    {
        public Rprop(IEnumerable<Parameter> parameters, double lr = 0.01, double etaminus = 0.5, double etaplus = 1.2,
            double min_step = 1e-6, double max_step = 50, bool maximize = false)
            : this([new ParamGroup { Parameters = parameters }], lr, etaminus, etaplus, min_step, max_step, maximize)
        {
        }

        /// <exception cref="ArgumentException">The learning rate is negative.</exception>
        public Rprop(IEnumerable<ParamGroup> parameters, double lr = 0.01, double etaminus = 0.5, double etaplus = 1.2,
            double min_step = 1e-6, double max_step = 50, bool maximize = false)
        {
            Require(lr >= 0, "learning rate", lr);
            AddGroups(new Options
            {
                LearningRate = lr,
                InitialLearningRate = lr,
                maximize = maximize,
                etaminus = etaminus,
                etaplus = etaplus,
                min_step = min_step,
                max_step = max_step
            }, parameters);
        }

        private protected override OptimizerOptions NewOptions => new Options();

        private protected override OptimizerState CreateState(Parameter parameter) => new State(parameter);

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

        public sealed class State(Parameter parameter) : OptimizerState(parameter), IDisposable
        {
            public long step;
            public Tensor prev = null!;
            public Tensor step_size = null!;

            public void Dispose() => Release();

            public override void Initialize(OptimizerOptions options)
            {
                Release();
                (step, prev, step_size) = (0, Zeros(), Zeros());
                using var numbers = Real(step_size).alias();
                numbers.fill_(options.LearningRate!.Value);
            }

            internal override void Visit(StateVisitor visitor)
            {
                visitor.Next(ref step);
                visitor.Next(ref prev);
                visitor.Next(ref step_size);
            }
        }

        public class Options : OptimizerOptions
        {
            public bool? maximize;
            public double? etaminus;
            public double? etaplus;
            public double? min_step;
            public double? max_step;

            internal override void Visit(OptionVisitor visitor)
            {
                visitor.Next(ref maximize);
                visitor.Next(ref etaminus);
                visitor.Next(ref etaplus);
                visitor.Next(ref min_step);
                visitor.Next(ref max_step);
            }
        }

        public class ParamGroup : ParamGroup<Options>
        {
            public ParamGroup()
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, Options options) : base(parameters, options)
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, double lr = 0.01, double etaminus = 0.5, double etaplus = 1.2,
                double min_step = 1e-6, double max_step = 50, bool maximize = false)
                : base(parameters, new()
                {
                    LearningRate = lr,
                    etaminus = etaminus,
                    etaplus = etaplus,
                    min_step = min_step,
                    max_step = max_step,
                    maximize = maximize
                })
            {
            }
        }
    }
}
