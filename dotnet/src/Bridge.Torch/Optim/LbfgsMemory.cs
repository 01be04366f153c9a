using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>The factor of the direction in a step: a number, or a tensor where PyTorch uses a tensor.</summary>
internal readonly struct LbfgsLength
{
    internal LbfgsLength(double number) => Number = number;

    internal LbfgsLength(Tensor tensor) => (Tensor, Number) = (tensor, tensor.ToDouble());

    internal double Number { get; }

    internal Tensor? Tensor { get; }

    internal Tensor Times(Tensor direction) => Tensor is null ? direction.mul(Number) : direction.mul(Tensor);
}

/// <summary>The state of L-BFGS between iterations, and its approximation of the inverse Hessian.</summary>
internal sealed class LbfgsMemory : IDisposable
{
    private readonly List<(Tensor Change, Tensor Step, Tensor Inverse)> _history = [];
    private Tensor? _scale;

    /// <summary>Gets or sets the number of iterations so far.</summary>
    internal long Steps { get; set; }

    internal Tensor? Direction { get; set; }

    /// <summary>Gets or sets the gradient of the previous iteration.</summary>
    internal Tensor? LastGradient { get; set; }

    internal LbfgsLength Length { get; set; }

    private IEnumerable<Tensor> All => _history.SelectMany(entry => new[] { entry.Change, entry.Step, entry.Inverse })
        .Concat(new[] { Direction, LastGradient, Length.Tensor, _scale }.OfType<Tensor>());

    /// <summary>
    /// Computes the next <see cref="Direction"/>. Before that, adds the last step and the change of the gradient to the history if their
    /// dot product is greater than 1e-10.
    /// </summary>
    /// <param name="gradient">The gradient after the last step.</param>
    /// <param name="size">The maximum number of entries in the history.</param>
    internal void UpdateDirection(Tensor gradient, long size)
    {
        var change = gradient.sub(LastGradient!);
        var step = Length.Times(Direction!);
        var curvature = change.dot(step);
        if (curvature.gt(1e-10).ToBoolean())
        {
            if (_history.Count == size)
            {
                foreach (var old in new[] { _history[0].Change, _history[0].Step, _history[0].Inverse }) old.Dispose();
                _history.RemoveAt(0);
            }

            _history.Add((change, step, curvature.reciprocal()));
            _scale = curvature.div(change.dot(change));
        }

        var shares = new Tensor[_history.Count];
        var rest = gradient.neg();
        for (var i = _history.Count - 1; i >= 0; i--)
        {
            shares[i] = _history[i].Step.dot(rest).mul(_history[i].Inverse);
            rest.add_(_history[i].Change, -shares[i].ToDouble());
        }

        var direction = _scale is null ? rest.mul(1) : rest.mul(_scale);
        for (var i = 0; i < _history.Count; i++)
        {
            var share = _history[i].Change.dot(direction).mul(_history[i].Inverse);
            direction.add_(_history[i].Step, shares[i].sub(share).ToDouble());
        }

        Direction = direction;
    }

    /// <summary>Returns whether the last step changed no parameter by more than <paramref name="change"/>.</summary>
    internal bool IsShort(double change)
    {
        using var scope = NewDisposeScope();
        return Length.Times(Direction!).abs().max().le(change).ToBoolean();
    }

    internal void DetachFromScope()
    {
        foreach (var tensor in All) tensor.DetachFromDisposeScope();
    }

    public void Dispose()
    {
        foreach (var tensor in All) tensor.Dispose();
    }
}
