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
            /// <summary>Adam; with <paramref name="amsgrad"/>, the divisor uses the largest second moment so far.</summary>
            public static Adam Adam(IEnumerable<Parameter> parameters, double lr = 0.001, double beta1 = 0.9, double beta2 = 0.999,
                double eps = 1e-8, double weight_decay = 0, bool amsgrad = false, bool maximize = false) =>
                new(parameters, lr, beta1, beta2, eps, weight_decay, amsgrad, maximize);

            public static Adam Adam(IEnumerable<(string name, Parameter parameter)> parameters, double lr = 0.001, double beta1 = 0.9,
                double beta2 = 0.999, double eps = 1e-8, double weight_decay = 0, bool amsgrad = false, bool maximize = false) =>
                new(parameters.Select(named => named.parameter), lr, beta1, beta2, eps, weight_decay, amsgrad, maximize);

            public static Adam Adam(IEnumerable<Adam.ParamGroup> parameters, double lr = 0.001, double beta1 = 0.9, double beta2 = 0.999,
                double eps = 1e-8, double weight_decay = 0, bool amsgrad = false, bool maximize = false) =>
                new(parameters, lr, beta1, beta2, eps, weight_decay, amsgrad, maximize);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <inheritdoc cref="torch.optim.Adam(IEnumerable{Parameter}, double, double, double, double, double, bool, bool)"/>
    public class Adam : OptimizerHelper, IBetas
    {
        public Adam(IEnumerable<Parameter> parameters, double lr = 0.001, double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8,
            double weight_decay = 0, bool amsgrad = false, bool maximize = false)
            : this([new ParamGroup { Parameters = parameters }], lr, beta1, beta2, eps, weight_decay, amsgrad, maximize)
        {
        }

        /// <exception cref="ArgumentException">A setting is out of its range.</exception>
        public Adam(IEnumerable<ParamGroup> parameters, double lr = 0.001, double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8,
            double weight_decay = 0, bool amsgrad = false, bool maximize = false)
        {
            Require(lr >= 0, "learning rate", lr);
            Require(eps >= 0, "eps value", eps);
            Require(beta1 is >= 0 and < 1, "beta1", beta1);
            Require(beta2 is >= 0 and < 1, "beta2", beta2);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
            AddGroups(new Options
            {
                LearningRate = lr,
                InitialLearningRate = lr,
                beta1 = beta1,
                beta2 = beta2,
                eps = eps,
                weight_decay = weight_decay,
                amsgrad = amsgrad,
                maximize = maximize
            }, parameters);
        }

        /// <summary>Gets or sets the decay rates of the two moments for groups that are added later.</summary>
        public (double, double) Betas
        {
            get => (((Options)_defaults).beta1!.Value, ((Options)_defaults).beta2!.Value);
            set => (((Options)_defaults).beta1, ((Options)_defaults).beta2) = value;
        }

        private protected override OptimizerOptions NewOptions => new Options();

        private protected override OptimizerState CreateState(Parameter parameter) => new State(parameter);

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

        public sealed class State(Parameter parameter) : OptimizerState(parameter), IDisposable
        {
            public long step;
            public Tensor exp_avg = null!;
            public Tensor exp_avg_sq = null!;
            public Tensor? max_exp_avg_sq;

            public void Dispose() => Release();

            public override void Initialize(OptimizerOptions options)
            {
                Release();
                (step, exp_avg, exp_avg_sq) = (0, Zeros(), Zeros());
                max_exp_avg_sq = ((Options)options).amsgrad!.Value ? Zeros() : null;
            }

            internal override void Visit(StateVisitor visitor)
            {
                visitor.Next(ref step);
                visitor.Next(ref exp_avg);
                visitor.Next(ref exp_avg_sq);
                visitor.Optional(ref max_exp_avg_sq);
            }
        }

        public class Options : OptimizerOptions
        {
            public double? beta1;
            public double? beta2;
            public double? eps;
            public double? weight_decay;
            public bool? amsgrad;
            public bool? maximize;

            internal override void Visit(OptionVisitor visitor)
            {
                visitor.Next(ref beta1);
                visitor.Next(ref beta2);
                visitor.Next(ref eps);
                visitor.Next(ref weight_decay);
                visitor.Next(ref amsgrad);
                visitor.Next(ref maximize);
            }
        }

        public class ParamGroup : ParamGroup<Options>, IBetas
        {
            public ParamGroup()
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, Options options) : base(parameters, options)
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, double lr = 0.001, double beta1 = 0.9, double beta2 = 0.999,
                double eps = 1e-8, double weight_decay = 0, bool amsgrad = false, bool maximize = false)
                : base(parameters, new()
                {
                    LearningRate = lr,
                    beta1 = beta1,
                    beta2 = beta2,
                    eps = eps,
                    weight_decay = weight_decay,
                    amsgrad = amsgrad,
                    maximize = maximize
                })
            {
            }

            public (double, double) Betas
            {
                get => (Options.beta1!.Value, Options.beta2!.Value);
                set => (Options.beta1, Options.beta2) = value;
            }
        }
    }
}
