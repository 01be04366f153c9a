namespace TorchSharp;

public static partial class torch
{
    public static partial class optim
    {
        public static partial class lr_scheduler
        {
            public static partial class impl
            {
                /// <summary>A scheduler that reduces the rate after more than <c>patience</c> epochs without improvement.</summary>
                public class ReduceLROnPlateau : LRScheduler
                {
                    private readonly bool _min;
                    private readonly bool _relative;
                    private readonly double _factor;
                    private readonly int _patience;
                    private readonly double _threshold;
                    private readonly int _cooldown;
                    private readonly List<double> _minRates;
                    private readonly double _eps;
                    private double _best;
                    private int _epochsWithoutImprovement;
                    private int _cooldownLeft;

                    /// <inheritdoc cref="lr_scheduler.ReduceLROnPlateau"/>
                    /// <exception cref="ArgumentException">
                    /// A mode is unknown, the factor is not below 1, or <c>min_lr</c> has several values, but not one per group.
                    /// </exception>
                    public ReduceLROnPlateau(Optimizer optimizer, string mode = "min", double factor = 0.1, int patience = 10,
                        double threshold = 1e-4, string threshold_mode = "rel", int cooldown = 0, IList<double>? min_lr = null,
                        double eps = 1e-8, bool verbose = false)
                        : base(optimizer, 0, verbose)
                    {
                        if (factor >= 1) throw new ArgumentException("Factor should be < 1.0.", nameof(factor));
                        if (mode is not ("min" or "max")) throw new ArgumentException($"mode {mode} is unknown!", nameof(mode));
                        if (threshold_mode is not ("rel" or "abs"))
                            throw new ArgumentException($"threshold mode {threshold_mode} is unknown!", nameof(threshold_mode));
                        (_min, _relative, _factor, _patience, _threshold, _cooldown, _eps) =
                            (mode == "min", threshold_mode == "rel", factor, patience, threshold, cooldown, eps);
                        _minRates = min_lr is null or [] ? PerGroup(0) : min_lr is [var single] ? PerGroup(single)
                            : PerGroup(min_lr, nameof(min_lr));
                        _best = _min ? double.PositiveInfinity : double.NegativeInfinity;
                    }

                    /// <inheritdoc/>
                    public override void step(double current, int? epoch = null)
                    {
                        _last_epoch = epoch ?? _last_epoch + 1;
                        if (IsBetter(current)) (_best, _epochsWithoutImprovement) = (current, 0);
                        else _epochsWithoutImprovement++;
                        if (_cooldownLeft > 0) (_cooldownLeft, _epochsWithoutImprovement) = (_cooldownLeft - 1, 0);
                        if (_epochsWithoutImprovement > _patience)
                        {
                            Reduce();
                            (_cooldownLeft, _epochsWithoutImprovement) = (_cooldown, 0);
                        }

                        _last_lrs = Rates();
                    }

                    /// <inheritdoc/>
                    /// <exception cref="InvalidOperationException">Always: a step needs a value.</exception>
                    public override void step() =>
                        throw new InvalidOperationException(
                            "step() should not be used with the ReduceLROnPlateau scheduler. Use step(double, int?), instead.");

                    /// <inheritdoc/>
                    /// <exception cref="InvalidOperationException">Always: a step needs a value.</exception>
                    public override void step(int? epoch) =>
                        throw new InvalidOperationException(
                            "step(int?) should not be used with the ReduceLROnPlateau scheduler. Use step(double, int?), instead.");

                    private bool IsBetter(double value) => (_min, _relative) switch
                    {
                        (true, true) => value < _best * (1 - _threshold),
                        (true, false) => value < _best - _threshold,
                        (false, true) => value > _best * (_threshold + 1),
                        (false, false) => value > _best + _threshold,
                    };

                    private void Reduce()
                    {
                        foreach (var (i, group) in Numbered)
                        {
                            var (old, next) = (group.LearningRate, Math.Max(group.LearningRate * _factor, _minRates[i]));
                            if (old - next <= _eps) continue;
                            group.LearningRate = next;
                            PrintIfVerbose($"Epoch {_last_epoch}: reducing learning rate of group {i} to {next:g4}.");
                        }
                    }
                }
            }
        }
    }
}
