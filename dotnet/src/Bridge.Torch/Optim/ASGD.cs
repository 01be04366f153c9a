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
            /// <summary>Averaged stochastic gradient descent.</summary>
            /// <remarks>
            /// As in PyTorch, a step's learning rate and the weight of the average are rounded to the default element type. TorchSharp
            /// does not round them.
            /// </remarks>
            public static ASGD ASGD(IEnumerable<Parameter> parameters, double lr = 0.001, double lambd = 0.0001, double alpha = 0.75,
                double t0 = 1e6, double weight_decay = 0, bool maximize = false) =>
                new(parameters, lr, lambd, alpha, t0, weight_decay, maximize);

            public static ASGD ASGD(IEnumerable<(string name, Parameter parameter)> parameters, double lr = 0.001, double lambd = 0.0001,
                double alpha = 0.75, double t0 = 1e6, double weight_decay = 0, bool maximize = false) =>
                new(parameters.Select(named => named.parameter), lr, lambd, alpha, t0, weight_decay, maximize);

            public static ASGD ASGD(IEnumerable<ParamGroup<ASGD.Options>> parameters, double lr = 0.001, double lambd = 0.0001,
                double alpha = 0.75, double t0 = 1e6, double weight_decay = 0, bool maximize = false) =>
                new(parameters, lr, lambd, alpha, t0, weight_decay, maximize);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <inheritdoc cref="torch.optim.ASGD(IEnumerable{Parameter}, double, double, double, double, double, bool)"/>
    public class ASGD : OptimizerHelper
    {
        public ASGD(IEnumerable<Parameter> parameters, double lr = 0.01, double lambd = 0.0001, double alpha = 0.75, double t0 = 1e6,
            double weight_decay = 0, bool maximize = false)
            : this([new ParamGroup { Parameters = parameters }], lr, lambd, alpha, t0, weight_decay, maximize)
        {
        }

        /// <exception cref="ArgumentException">The learning rate is negative.</exception>
        public ASGD(IEnumerable<ParamGroup<Options>> parameters, double lr = 0.01, double lambd = 0.0001, double alpha = 0.75,
            double t0 = 1e6, double weight_decay = 0, bool maximize = false)
        {
            Require(lr >= 0, "learning rate", lr);
            AddGroups(new Options
            {
                LearningRate = lr,
                InitialLearningRate = lr,
                maximize = maximize,
                lambd = lambd,
                alpha = alpha,
                weight_decay = weight_decay,
                t0 = t0
            }, parameters);
        }

        private protected override OptimizerOptions NewOptions => new Options();

        private protected override OptimizerState CreateState(Parameter parameter) => new State(parameter);

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

        public sealed class State(Parameter parameter) : OptimizerState(parameter), IDisposable
        {
            public long step;
            public double eta;
            public double mu;
            public Tensor ax = null!;

            public void Dispose() => Release();

            public override void Initialize(OptimizerOptions options)
            {
                Release();
                (step, eta, mu, ax) = (0, options.LearningRate!.Value, 1, Zeros());
            }

            internal override void Visit(StateVisitor visitor)
            {
                visitor.Next(ref step);
                visitor.Next(ref eta);
                visitor.Next(ref mu);
                visitor.Next(ref ax);
            }
        }

        public class Options : OptimizerOptions
        {
            public bool? maximize;
            public double? lambd;
            public double? alpha;
            public double? weight_decay;
            public double? t0;

            internal override void Visit(OptionVisitor visitor)
            {
                visitor.Next(ref maximize);
                visitor.Next(ref lambd);
                visitor.Next(ref alpha);
                visitor.Next(ref weight_decay);
                visitor.Next(ref t0);
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

            public ParamGroup(IEnumerable<Parameter> parameters, double lr = 0.01, double lambd = 0.0001, double alpha = 0.75,
                double t0 = 1e6, double weight_decay = 0)
                : base(parameters, new() { LearningRate = lr, lambd = lambd, alpha = alpha, t0 = t0, weight_decay = weight_decay })
            {
            }
        }
    }
}
