#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>A region of values.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.Constraint">
            /// torch.distributions.constraints.Constraint</see>.
            /// </remarks>
            public abstract class Constraint
            {
                /// <summary>Creates a constraint of the given kind.</summary>
                /// <param name="is_discrete">Whether the region has only whole numbers.</param>
                /// <param name="event_dim">The number of last dimensions that one event has; 0 if each number is an event.</param>
                protected Constraint(bool is_discrete, int event_dim) => (_isDiscrete, _eventDim) = (is_discrete, event_dim);

                /// <summary>Creates a constraint on single numbers, which need not be whole.</summary>
                protected Constraint() { }

                private bool _isDiscrete;
                private int _eventDim;

                /// <summary>Returns for each event whether it is in the region.</summary>
                /// <param name="value">The values; their last <see cref="event_dim"/> dimensions form events.</param>
                /// <returns>The truth values, without the dimensions of an event.</returns>
                public abstract Tensor check(Tensor value);

                /// <summary>Gets whether the region has only whole numbers.</summary>
                public virtual bool is_discrete
                {
                    get => _isDiscrete;
                    protected set => _isDiscrete = value;
                }

                /// <summary>Gets the number of last dimensions that one event has.</summary>
                public virtual int event_dim
                {
                    get => _eventDim;
                    protected set => _eventDim = value;
                }

                /// <inheritdoc/>
                public override string ToString() => Described("");

                /// <summary>Returns the class's name and its arguments, as TorchSharp does.</summary>
                private protected string Described(string arguments) => $"{GetType().Name}({arguments})";
            }
        }
    }
}
