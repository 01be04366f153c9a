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
            /// <summary>RMSprop: divides the gradient by the square root of the average squared gradient.</summary>
            public static RMSProp RMSProp(IEnumerable<Parameter> parameters, double lr = 0.01, double alpha = 0.99, double eps = 1e-8,
                double weight_decay = 0, double momentum = 0, bool centered = false, bool maximize = false) =>
                new(parameters, lr, alpha, eps, weight_decay, momentum, centered, maximize);

            public static RMSProp RMSProp(IEnumerable<(string name, Parameter parameter)> parameters, double lr = 0.01, double alpha = 0.99,
                double eps = 1e-8, double weight_decay = 0, double momentum = 0, bool centered = false, bool maximize = false) =>
                new(parameters.Select(named => named.parameter), lr, alpha, eps, weight_decay, momentum, centered, maximize);

            public static RMSProp RMSProp(IEnumerable<RMSProp.ParamGroup> parameters, double lr = 0.01, double alpha = 0.99,
                double eps = 1e-8, double weight_decay = 0, double momentum = 0, bool centered = false, bool maximize = false) =>
                new(parameters, lr, alpha, eps, weight_decay, momentum, centered, maximize);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <inheritdoc cref="torch.optim.RMSProp(IEnumerable{Parameter}, double, double, double, double, double, bool, bool)"/>
    public class RMSProp : OptimizerHelper, IMomentum
    {
        public RMSProp(IEnumerable<Parameter> parameters, double lr = 0.001, double alpha = 0.99, double eps = 1e-8,
            double weight_decay = 0, double momentum = 0, bool centered = false, bool maximize = false)
            : this([new ParamGroup { Parameters = parameters }], lr, alpha, eps, weight_decay, momentum, centered, maximize)
        {
        }

        /// <exception cref="ArgumentException">A setting is out of its range.</exception>
        public RMSProp(IEnumerable<ParamGroup> parameters, double lr = 0.001, double alpha = 0.99, double eps = 1e-8,
            double weight_decay = 0, double momentum = 0, bool centered = false, bool maximize = false)
        {
            Require(lr >= 0, "learning rate", lr);
            Require(eps >= 0, "eps value", eps);
            Require(alpha >= 0, "alpha value", alpha);
            Require(momentum >= 0, "momentum value", momentum);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
            AddGroups(new Options
            {
                LearningRate = lr,
                InitialLearningRate = lr,
                maximize = maximize,
                momentum = momentum,
                alpha = alpha,
                eps = eps,
                weight_decay = weight_decay,
                centered = centered
            }, parameters);
        }

        /// <summary>Gets or sets the momentum of groups that are added later.</summary>
        public double Momentum
        {
            get => ((Options)_defaults).momentum!.Value;
            set => ((Options)_defaults).momentum = value;
        }

        private protected override OptimizerOptions NewOptions => new Options();

        private protected override OptimizerState CreateState(Parameter parameter) => new State(parameter);

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

        public sealed class State(Parameter parameter) : OptimizerState(parameter), IDisposable
        {
            public long step;
            public Tensor square_avg = null!;
            public Tensor? momentum_buffer;
            public Tensor? grad_avg;

            public void Dispose() => Release();

            public override void Initialize(OptimizerOptions options)
            {
                Release();
                (step, square_avg, momentum_buffer, grad_avg) = (0, Zeros(), Zeros(), Zeros());
            }

            internal override void Visit(StateVisitor visitor)
            {
                visitor.Next(ref step);
                visitor.Next(ref square_avg);
                visitor.Optional(ref momentum_buffer);
                visitor.Optional(ref grad_avg);
            }
        }

        public class Options : OptimizerOptions
        {
            public bool? maximize;
            public double? momentum;
            public double? alpha;
            public double? eps;
            public double? weight_decay;
            public bool? centered;

            internal override void Visit(OptionVisitor visitor)
            {
                visitor.Next(ref maximize);
                visitor.Next(ref momentum);
                visitor.Next(ref alpha);
                visitor.Next(ref eps);
                visitor.Next(ref weight_decay);
                visitor.Next(ref centered);
            }
        }

        public class ParamGroup : ParamGroup<Options>, IMomentum
        {
            public ParamGroup()
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, Options options) : base(parameters, options)
            {
            }

            public ParamGroup(IEnumerable<Parameter> parameters, double lr = 0.001, double eps = 1e-8, double alpha = 0.99,
                double weight_decay = 0, double momentum = 0, bool centered = false)
                : base(parameters, new()
                {
                    LearningRate = lr,
                    eps = eps,
                    alpha = alpha,
                    weight_decay = weight_decay,
                    momentum = momentum,
                    centered = centered
                })
            {
            }

            public double Momentum
            {
                get => Options.momentum!.Value;
                set => Options.momentum = value;
            }
        }
    }
}
