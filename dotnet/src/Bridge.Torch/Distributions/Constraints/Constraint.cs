#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>A region of values.</summary>
            public abstract class Constraint
            {
                protected Constraint(bool is_discrete, int event_dim) => (_isDiscrete, _eventDim) = (is_discrete, event_dim);

                protected Constraint() { }

                private bool _isDiscrete;
                private int _eventDim;

                /// <summary>Returns for each event whether it is in the region.</summary>
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

                public override string ToString() => Described("");

                /// <summary>Returns the class's name and its arguments, as TorchSharp does.</summary>
                private protected string Described(string arguments) => $"{GetType().Name}({arguments})";
            }
        }
    }
}
