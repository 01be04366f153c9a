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
            /// <summary>Adam with Nesterov momentum.</summary>
            public static NAdam NAdam(IEnumerable<Parameter> named_parameters, double lr = 0.002, double beta1 = 0.9, double beta2 = 0.999,
                double eps = 1e-8, double weight_decay = 0, double momentum_decay = 0.004) =>
                new(named_parameters, lr, beta1, beta2, eps, weight_decay, momentum_decay);

            public static NAdam NAdam(IEnumerable<(string name, Parameter parameter)> named_parameters, double lr = 0.002,
                double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8, double weight_decay = 0, double momentum_decay = 0.004) =>
                new(named_parameters.Select(named => named.parameter), lr, beta1, beta2, eps, weight_decay, momentum_decay);

            public static NAdam NAdam(IEnumerable<NAdam.ParamGroup> parameters, double lr = 0.002, double beta1 = 0.9, double beta2 = 0.999,
                double eps = 1e-8, double weight_decay = 0, double momentum_decay = 0.004) =>
                new(parameters, lr, beta1, beta2, eps, weight_decay, momentum_decay);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <inheritdoc cref="torch.optim.NAdam(IEnumerable{Parameter}, double, double, double, double, double, double)"/>
    public class NAdam : OptimizerHelper, IBetas
    {
        public NAdam(IEnumerable<Parameter> parameters, double lr, double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8,
            double weight_decay = 0, double momentum_decay = 0.004)
            : this([new ParamGroup { Parameters = parameters }], lr, beta1, beta2, eps, weight_decay, momentum_decay)
        {
        }

        /// <exception cref="ArgumentException">A setting is out of its range.</exception>
        public NAdam(IEnumerable<ParamGroup> parameters, double lr = 0.002, double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8,
            double weight_decay = 0, double momentum_decay = 0.004)
        {
            Require(lr >= 0, "learning rate", lr);
            Require(beta1 is >= 0 and <= 1, "beta1 value", beta1);
            Require(beta2 is >= 0 and <= 1, "beta2 value", beta2);
            Require(eps >= 0, "eps value", eps);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
            Require(momentum_decay >= 0, "momentum decay value", momentum_decay);
            AddGroups(new Options
            {
                LearningRate = lr,
                InitialLearningRate = lr,
                beta1 = beta1,
                beta2 = beta2,
                eps = eps,
                weight_decay = weight_decay,
                momentum_decay = momentum_decay
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

        public sealed class State(Parameter parameter) : OptimizerState(parameter), IDisposable
        {
            public long step;
            public double mu_product;
            public Tensor exp_avg = null!;
            public Tensor exp_avg_sq = null!;

            public void Dispose() => Release();

            public override void Initialize(OptimizerOptions options)
            {
                Release();
                (step, mu_product, exp_avg, exp_avg_sq) = (0, 1, Zeros(), Zeros());
            }

            internal override void Visit(StateVisitor visitor)
            {
                visitor.Next(ref step);
                visitor.Next(ref mu_product);
                visitor.Next(ref exp_avg);
                visitor.Next(ref exp_avg_sq);
            }
        }

        public class Options : OptimizerOptions
        {
            public double? beta1;
            public double? beta2;
            public double? eps;
            public double? weight_decay;
            public double? momentum_decay;

            internal override void Visit(OptionVisitor visitor)
            {
                visitor.Next(ref beta1);
                visitor.Next(ref beta2);
                visitor.Next(ref eps);
                visitor.Next(ref weight_decay);
                visitor.Next(ref momentum_decay);
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

            public ParamGroup(IEnumerable<Parameter> parameters, double lr = 1, double beta1 = 0.9, double beta2 = 0.999, double eps = 1e-8,
                double weight_decay = 0, double momentum_decay = 0.004)
                : base(parameters, new()
                {
                    LearningRate = lr,
                    beta1 = beta1,
                    beta2 = beta2,
                    eps = eps,
                    weight_decay = weight_decay,
                    momentum_decay = momentum_decay
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
