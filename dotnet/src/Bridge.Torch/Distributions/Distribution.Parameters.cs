#nullable disable annotations

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public abstract partial class Distribution
        {
            private Tensor[] _parameters = [];
            private IDisposable[] _parts = [];

            /// <summary>Gets a parameter by its position in <see cref="Keep"/>; null if it was not given.</summary>
            private protected Tensor Parameter(int index) => _parameters[index];

            /// <summary>Gets the probabilities: the first parameter, or else computed from the second, the logits.</summary>
            private protected Tensor Probs(bool isBinary) => _parameters[0] ??= Recorded(() => LogitsToProbs(_parameters[1], isBinary));

            /// <summary>Gets the logits: the second parameter, or else computed from the first, the probabilities.</summary>
            private protected Tensor Logits(bool isBinary) => _parameters[1] ??= Recorded(() => ProbsToLogits(_parameters[0], isBinary));

            /// <summary>Holds parameters, whose shapes begin with the batch's.</summary>
            private protected void Keep(IEnumerable<long> batch, IEnumerable<long> @event, params Tensor[] parameters)
            {
                _init(new Size(batch), new Size(@event));
                _parameters = [.. parameters.Select(parameter => parameter?.alias().DetachFromDisposeScope())];
            }

            /// <summary>Broadcasts the parameters of a distribution of single numbers, except null ones, and holds them.</summary>
            private protected void Broadcast(params Tensor[] parameters)
            {
                using var scope = NewDisposeScope();
                var broadcast = new Queue<Tensor>(broadcast_tensors([.. parameters.Where(parameter => parameter is not null)]));
                var shape = broadcast.Peek().shape;
                Keep(shape, [], [.. parameters.Select(parameter => parameter is null ? null : broadcast.Dequeue())]);
            }

            /// <summary>Holds a distribution that this one consists of, and disposes it with this one.</summary>
            private protected T Own<T>(T part) where T : IDisposable
            {
                _parts = [.. _parts, part];
                return part;
            }

            /// <summary>Makes a distribution of expanded parameters, or fills an instance of the same class with them.</summary>
            /// <exception cref="ArgumentException">The instance is of another class.</exception>
            private protected Distribution Expand<T>(Size batch_shape, Distribution instance, Func<Tensor[], T> make) where T : Distribution
            {
                using var scope = NewDisposeScope();
                var skipped = this.batch_shape.Length;
                return Filled(instance, make([.. _parameters.Select(parameter =>
                    parameter?.expand([.. batch_shape, .. parameter.shape.Skip(skipped)]))]));
            }

            /// <summary>Returns a new distribution, or moves its state into an instance of the same class.</summary>
            private protected static Distribution Filled<T>(Distribution instance, T made) where T : Distribution
            {
                if (instance is null) return made;
                if (instance is not T)
                {
                    made.Dispose();
                    throw new ArgumentException($"'instance' must be a {typeof(T).Name} distribution.", nameof(instance));
                }

                instance.DisposeOwn();
                instance.Adopt(made);
                return instance;
            }

            /// <summary>Takes over the state of a distribution of the same class, which nothing else uses.</summary>
            private protected virtual void Adopt(Distribution other)
            {
                _init(other.batch_shape, other.event_shape);
                (_parameters, _parts) = (other._parameters, other._parts);
            }

            /// <summary>Computes a tensor in a scope of its own, so that only the result remains.</summary>
            private protected static Tensor Scoped(Func<Tensor> compute) => WrappedTensorDisposeScope(compute);

            /// <summary>Computes a tensor to be held. Its autograd graph is recorded even in no-grad mode.</summary>
            private static Tensor Recorded(Func<Tensor> compute)
            {
                using var on = enable_grad();
                return compute().DetachFromDisposeScope();
            }

            /// <summary>Returns the probabilities or logits. As in TorchSharp, some classes accept both.</summary>
            /// <exception cref="ArgumentException">None is given, or both where only one may be.</exception>
            private protected static Tensor Either(Tensor probs, Tensor logits, bool both = false) =>
                (probs is null) == (logits is null) && !(both && probs is not null)
                    ? throw new ArgumentException("One and only one of 'probs' and 'logits' must be given.")
                    : probs ?? logits;

            private void DisposeOwn()
            {
                foreach (var parameter in _parameters) parameter?.Dispose();
                foreach (var part in _parts) part.Dispose();
            }
        }
    }
}
