#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>The region of another constraint, some of whose batch dimensions count as dimensions of an event.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.independent">
            /// torch.distributions.constraints.independent</see>.
            /// </remarks>
            public class _IndependentConstraint : Constraint
            {
                private readonly int _reinterpreted;

                /// <summary>Creates a constraint that counts batch dimensions of another constraint as dimensions of an event.</summary>
                /// <param name="base_constraint">The other constraint.</param>
                /// <param name="reinterpreted_batch_ndims">The number of the last batch dimensions that count as event dimensions.</param>
                public _IndependentConstraint(Constraint base_constraint, int reinterpreted_batch_ndims) =>
                    (this.base_constraint, _reinterpreted) = (base_constraint, reinterpreted_batch_ndims);

                /// <summary>Gets the constraint whose batch dimensions count as dimensions of an event.</summary>
                public Constraint base_constraint { get; }

                /// <inheritdoc/>
                public override bool is_discrete => base_constraint.is_discrete;

                /// <inheritdoc/>
                public override int event_dim => base_constraint.event_dim + _reinterpreted;

                /// <inheritdoc/>
                /// <exception cref="ArgumentException">The value has too few dimensions.</exception>
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                {
                    var result = base_constraint.check(value);
                    if (result.dim() < _reinterpreted)
                        throw new ArgumentException($"Expected at least {event_dim} dimensions, but got {value.dim()}.");
                    return result.reshape([.. result.shape[..^_reinterpreted], -1]).all(-1);
                });
            }

            /// <summary>A constraint for each of several parts of a dimension.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.cat">
            /// torch.distributions.constraints.cat</see>.
            /// </remarks>
            public class _Cat : Constraint
            {
                private readonly IList<Constraint> _parts;
                private readonly IList<long> _lengths;
                private readonly long _dim;

                /// <summary>Creates a constraint that applies other constraints to consecutive parts of a dimension.</summary>
                /// <param name="cseq">The constraints, one for each part.</param>
                /// <param name="dim">The dimension.</param>
                /// <param name="lengths">The parts' lengths; null for 1 each.</param>
                /// <exception cref="ArgumentException">The numbers of constraints and of lengths differ.</exception>
                public _Cat(IList<Constraint> cseq, long dim = 0, IList<long> lengths = null)
                {
                    (_parts, _dim, _lengths) = (cseq, dim, lengths ?? [.. cseq.Select(_ => 1L)]);
                    if (_lengths.Count != _parts.Count)
                        throw new ArgumentException("There must be a length for each constraint.", nameof(lengths));
                }

                /// <inheritdoc/>
                public override bool is_discrete => _parts.Any(part => part.is_discrete);

                /// <inheritdoc/>
                public override int event_dim => _parts.Max(part => part.event_dim);

                /// <inheritdoc/>
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                {
                    var (checks, start) = (new List<Tensor>(), 0L);
                    foreach (var (part, length) in _parts.Zip(_lengths))
                    {
                        checks.Add(part.check(value.narrow(_dim, start, length)));
                        start += length;
                    }

                    return torch.cat(checks, _dim);
                });
            }

            /// <summary>A constraint for each index of a dimension.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.stack">
            /// torch.distributions.constraints.stack</see>.
            /// </remarks>
            public class _Stack : Constraint
            {
                private readonly IList<Constraint> _parts;
                private readonly int _dim;

                /// <summary>Creates a constraint that applies other constraints to the indices of a dimension.</summary>
                /// <param name="cseq">The constraints, one for each index.</param>
                /// <param name="dim">The dimension.</param>
                public _Stack(IList<Constraint> cseq, int dim = 0) => (_parts, _dim) = (cseq, dim);

                /// <inheritdoc/>
                public override bool is_discrete => _parts.Any(part => part.is_discrete);

                /// <inheritdoc/>
                public override int event_dim
                {
                    get
                    {
                        var most = _parts.Max(part => part.event_dim);
                        return _dim + most < 0 ? most + 1 : most;
                    }
                }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() =>
                    torch.stack(_parts.Select((part, index) => part.check(value.select(_dim, index))), _dim));
            }
        }
    }
}
