using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The optimizer L-BFGS, without a line search: approximates the curvature of the loss from the last changes.</summary>
/// <remarks>
/// Numbers that PyTorch keeps in tensors are tensors here, too, because a tensor rounds them to the parameters' type. Unlike in
/// TorchSharp, a scheduler can change the learning rate.
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.optim.LBFGS.html">torch.optim.LBFGS</see>.
/// </remarks>
public class LBFGS : torch.optim.Optimizer, torch.optim.ILearningRateController
{
    /// <summary>The learning rate of an optimizer without parameters.</summary>
    public double _rate;
    private readonly List<Parameter> _parameters = [];
    private readonly long _maxIterations;
    private readonly long _maxEvaluations;
    private readonly double _gradientTolerance;
    private readonly double _changeTolerance;
    private readonly long _historySize;
    private readonly LbfgsMemory _memory = new();

    /// <summary>Creates an L-BFGS without parameters, which exists only to compile.</summary>
    /// <param name="handle">Zero: Bridge.Torch has no optimizers in native code.</param>
    /// <param name="lr">The learning rate.</param>
    /// <exception cref="NotSupportedException"><paramref name="handle"/> is not zero.</exception>
    public LBFGS(IntPtr handle, double lr) : base(handle) => _rate = lr;

    internal LBFGS(IEnumerable<(string name, Parameter parameter)> parameters, double lr, long max_iter, long? max_eval,
        double tolerange_grad, double tolerance_change, long history_size)
        : this(parameters.Select(named => named.parameter), lr, max_iter, max_eval, tolerange_grad, tolerance_change, history_size)
    {
    }

    internal LBFGS(IEnumerable<Parameter> parameters, double lr, long max_iter, long? max_eval, double tolerange_grad,
        double tolerance_change, long history_size) : this(IntPtr.Zero, lr)
    {
        if (lr < 0) throw new ArgumentException($"Invalid learning rate: {lr}", nameof(lr));
        _parameters = [.. parameters];
        (_maxIterations, _maxEvaluations) = (max_iter, max_eval ?? max_iter * 5 / 4);
        (_gradientTolerance, _changeTolerance, _historySize) = (tolerange_grad, tolerance_change, history_size);
        _parameter_groups.Add(new() { Parameters = _parameters, Options = new() { LearningRate = lr, InitialLearningRate = lr } });
    }

    /// <inheritdoc/>
    public double LearningRate
    {
        get => _parameter_groups is [var group] ? group.LearningRate : _rate;
        set
        {
            _rate = value;
            foreach (var group in _parameter_groups) group.LearningRate = value;
        }
    }

    /// <inheritdoc/>
    public double InitialLearningRate
    {
        get => _parameter_groups is [var group] ? group.InitialLearningRate : _rate;
        set
        {
            foreach (var group in _parameter_groups) group.InitialLearningRate = value;
        }
    }

    /// <inheritdoc/>
    public override IEnumerable<torch.optim.ILearningRateController> ParamGroups => _parameter_groups;

    /// <summary>Updates the parameters in up to <c>max_iter</c> iterations, each of which evaluates the loss.</summary>
    /// <param name="closure">Computes the loss and its gradients; it runs several times.</param>
    /// <returns>The loss before the update.</returns>
    /// <exception cref="ArgumentNullException">There is no closure: a step evaluates the loss several times.</exception>
    public override Tensor step(Func<Tensor>? closure)
    {
        ArgumentNullException.ThrowIfNull(closure);
        using var off = no_grad();
        var loss = Evaluate(closure);
        Iterate(closure, loss.ToDouble());
        return loss;
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing) _memory.Dispose();
        base.Dispose(disposing);
    }

    private static Tensor Evaluate(Func<Tensor> closure)
    {
        using var on = enable_grad();
        return closure();
    }

    // Opens no scope around the closure: the closure's tensors belong to the caller's scope.
    private void Iterate(Func<Tensor> closure, double loss)
    {
        var gradient = Gradient();
        var evaluations = 1L;
        for (var iteration = 1L; iteration <= _maxIterations && !Within(gradient, _gradientTolerance); iteration++)
        {
            if (!Advance(gradient) || iteration == _maxIterations) break;
            var before = loss;
            using (var again = Evaluate(closure)) loss = again.ToDouble();
            gradient.Dispose();
            gradient = Gradient();
            if (++evaluations >= _maxEvaluations || _memory.IsShort(_changeTolerance) || Math.Abs(loss - before) < _changeTolerance)
                break;
        }

        gradient.Dispose();
    }

    /// <summary>
    /// Computes the next direction and updates the parameters. Returns false, without an update, if the loss decreases too slowly in
    /// that direction.
    /// </summary>
    private bool Advance(Tensor gradient)
    {
        using var scope = NewDisposeScope();
        var first = _memory.Steps++ == 0;
        if (first) _memory.Direction = gradient.neg();
        else _memory.UpdateDirection(gradient, _historySize);
        _memory.LastGradient = gradient.clone();
        _memory.Length = first ? FirstLength(gradient) : new(LearningRate);
        _memory.DetachFromScope();
        if (gradient.dot(_memory.Direction!).gt(-_changeTolerance).ToBoolean()) return false;
        Add(_memory.Direction!, _memory.Length.Number);
        return true;
    }

    /// <summary>Returns the length of the first step: the learning rate, divided by the gradient's L1 norm if that exceeds 1.</summary>
    private LbfgsLength FirstLength(Tensor gradient)
    {
        var inverse = gradient.abs().sum().reciprocal();
        return inverse.lt(1).ToBoolean() ? new(inverse.mul(LearningRate)) : new(LearningRate);
    }

    /// <summary>Returns whether the absolute value of every element is at most <paramref name="limit"/>.</summary>
    private static bool Within(Tensor tensor, double limit)
    {
        using var scope = NewDisposeScope();
        return tensor.abs().max().le(limit).ToBoolean();
    }

    /// <summary>Returns the gradients of all parameters as one vector.</summary>
    private Tensor Gradient()
    {
        using var scope = NewDisposeScope();
        return cat(_parameters.Select(Flat).ToArray(), 0).DetachFromDisposeScope();

        static Tensor Flat(Parameter parameter)
        {
            var view = parameter.grad is { } gradient ? gradient.view(-1) : parameter.zeros_like().view(-1);
            return view.is_complex() ? view.view_as_real().view(-1) : view;
        }
    }

    private void Add(Tensor direction, double length)
    {
        var offset = 0L;
        foreach (var parameter in _parameters)
        {
            var target = parameter.is_complex() ? parameter.view_as_real() : parameter;
            var count = target.numel();
            target.add_(direction.narrow(0, offset, count).view(target.Sizes), length);
            offset += count;
        }
    }
}
