namespace TorchSharp;

public static partial class torch
{
    public static partial class optim
    {
        public static partial class lr_scheduler
        {
            /// <summary>The scheduler classes, which the functions of torch.optim.lr_scheduler create.</summary>
            public static partial class impl
            {
                /// <summary>A scheduler that multiplies the initial rate by a function of the epoch.</summary>
                public class LambdaLR : LRScheduler
                {
                    private readonly List<Func<int, double>> _lambdas;

                    /// <inheritdoc cref="lr_scheduler.LambdaLR"/>
                    public LambdaLR(Optimizer optimizer, Func<int, double> lr_lambda, int last_epoch = -1, bool verbose = false)
                        : this(optimizer, optimizer.ParamGroups.Select(_ => lr_lambda), last_epoch, verbose)
                    {
                    }

                    /// <summary>Creates a scheduler that multiplies the initial rates by each group's function of the epoch.</summary>
                    /// <param name="optimizer">The optimizer whose learning rates change.</param>
                    /// <param name="lr_lambdas">For each group, the function that returns the factor for an epoch, from 0.</param>
                    /// <param name="last_epoch">The last completed epoch; -1 at the start.</param>
                    /// <param name="verbose">Whether to print changes of the learning rates.</param>
                    /// <exception cref="ArgumentException">The number of functions differs from the number of groups.</exception>
                    public LambdaLR(Optimizer optimizer, IEnumerable<Func<int, double>> lr_lambdas, int last_epoch = -1,
                        bool verbose = false) : base(optimizer, last_epoch, verbose)
                    {
                        _lambdas = OnePerGroup(optimizer, lr_lambdas);
                        MakeFirstStep();
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr() =>
                        _base_lrs.Zip(_lambdas, (rate, factor) => rate * factor(_last_epoch));
                }

                /// <summary>A scheduler that multiplies the previous rate by a function of the epoch.</summary>
                public class MultiplicativeLR : LRScheduler
                {
                    private readonly List<Func<int, double>> _lambdas;

                    /// <summary>Creates a scheduler that multiplies the previous rates by each group's function of the epoch.</summary>
                    /// <param name="optimizer">The optimizer whose learning rates change.</param>
                    /// <param name="lr_lambdas">For each group, the function that returns the factor for an epoch, from 0.</param>
                    /// <param name="last_epoch">The last completed epoch; -1 at the start.</param>
                    /// <param name="verbose">Whether to print changes of the learning rates.</param>
                    /// <exception cref="ArgumentException">The number of functions differs from the number of groups.</exception>
                    public MultiplicativeLR(Optimizer optimizer, IEnumerable<Func<int, double>> lr_lambdas, int last_epoch = -1,
                        bool verbose = false) : base(optimizer, last_epoch, verbose)
                    {
                        _lambdas = OnePerGroup(optimizer, lr_lambdas);
                        MakeFirstStep();
                    }

                    /// <inheritdoc cref="lr_scheduler.MultiplicativeLR"/>
                    public MultiplicativeLR(Optimizer optimizer, Func<int, double> lr_lambda, int last_epoch = -1, bool verbose = false)
                        : this(optimizer, optimizer.ParamGroups.Select(_ => lr_lambda), last_epoch, verbose)
                    {
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr() =>
                        IsFirst ? Rates() : Rates().Zip(_lambdas, (rate, factor) => rate * factor(_last_epoch));
                }

                /// <summary>A scheduler that multiplies the rate by <c>gamma</c> every <c>step_size</c> epochs.</summary>
                public class StepLR : LRScheduler
                {
                    private readonly int _size;
                    private readonly double _gamma;

                    /// <inheritdoc cref="lr_scheduler.StepLR"/>
                    public StepLR(Optimizer optimizer, int step_size, double gamma = 0.1, int last_epoch = -1, bool verbose = false)
                        : base(optimizer, last_epoch, verbose)
                    {
                        (_size, _gamma) = (step_size, gamma);
                        MakeFirstStep();
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr() =>
                        _last_epoch == 0 || _last_epoch % _size != 0 ? Rates() : Each(rate => rate * _gamma);

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_closed_form_lr() =>
                        _base_lrs.Select(rate => rate * Math.Pow(_gamma, _last_epoch / _size));
                }

                /// <summary>A scheduler that multiplies the rate by <c>gamma</c> at each milestone, twice if it is listed twice.</summary>
                public class MultiStepLR : LRScheduler
                {
                    private readonly List<int> _milestones;
                    private readonly double _gamma;

                    /// <inheritdoc cref="lr_scheduler.MultiStepLR"/>
                    public MultiStepLR(Optimizer optimizer, IList<int> milestones, double gamma = 0.1, int last_epoch = -1,
                        bool verbose = false) : base(optimizer, last_epoch, verbose)
                    {
                        (_milestones, _gamma) = ([.. milestones], gamma);
                        MakeFirstStep();
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr() =>
                        _milestones.Count(milestone => milestone == _last_epoch) is var times && times == 0
                            ? Rates() : Each(rate => rate * Math.Pow(_gamma, times));

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_closed_form_lr() =>
                        _base_lrs.Select(rate => rate * Math.Pow(_gamma, _milestones.Count(milestone => milestone <= _last_epoch)));
                }

                /// <summary>A scheduler with polynomial decay to 0 in <c>total_iters</c> epochs.</summary>
                public partial class PolynomialLR : LRScheduler
                {
                    private readonly int _total;
                    private readonly double _power;

                    /// <inheritdoc cref="lr_scheduler.PolynomialLR(Optimizer, int, double, int, bool)"/>
                    public PolynomialLR(Optimizer optimizer, int total_iters = 5, double power = 1, int last_epoch = -1,
                        bool verbose = false) : base(optimizer, last_epoch, verbose)
                    {
                        (_total, _power) = (total_iters, power);
                        MakeFirstStep();
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr()
                    {
                        if (IsFirst || _last_epoch > _total) return Rates();
                        var factor = Math.Pow((1 - (double)_last_epoch / _total) / (1 - (double)(_last_epoch - 1) / _total), _power);
                        return Each(rate => rate * factor);
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_closed_form_lr() =>
                        _base_lrs.Select(rate => rate * Math.Pow(1 - (double)Math.Min(_total, _last_epoch) / _total, _power));
                }

                /// <summary>A scheduler that multiplies the rate by <c>gamma</c> every epoch.</summary>
                public class ExponentialLR : LRScheduler
                {
                    private readonly double _gamma;

                    /// <inheritdoc cref="lr_scheduler.ExponentialLR"/>
                    public ExponentialLR(Optimizer optimizer, double gamma = 0.1, int last_epoch = -1, bool verbose = false)
                        : base(optimizer, last_epoch, verbose)
                    {
                        _gamma = gamma;
                        MakeFirstStep();
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr() => IsFirst ? Rates() : Each(rate => rate * _gamma);

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_closed_form_lr() =>
                        _base_lrs.Select(rate => rate * Math.Pow(_gamma, _last_epoch));
                }

                /// <summary>A scheduler that multiplies the rate by <c>factor</c> until epoch <c>total_iters</c>.</summary>
                public class ConstantLR : LRScheduler
                {
                    private readonly double _factor;
                    private readonly int _total;

                    /// <inheritdoc cref="lr_scheduler.ConstantLR"/>
                    public ConstantLR(Optimizer optimizer, double factor = 1.0 / 3, int total_iters = 5, int last_epoch = -1,
                        bool verbose = false) : base(optimizer, last_epoch, verbose)
                    {
                        (_factor, _total) = (factor, total_iters);
                        MakeFirstStep();
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr() =>
                        _last_epoch == 0 ? Each(rate => rate * _factor) : _last_epoch == _total ? Each(rate => rate * (1 / _factor))
                            : Rates();

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_closed_form_lr() =>
                        _base_lrs.Select(rate => rate * (_factor + (_last_epoch >= _total ? 1 : 0) * (1 - _factor)));
                }

                /// <summary>A scheduler that multiplies the rate by a factor that changes linearly in <c>total_iters</c> epochs.</summary>
                public class LinearLR : LRScheduler
                {
                    private readonly double _start;
                    private readonly double _end;
                    private readonly int _total;

                    /// <inheritdoc cref="lr_scheduler.LinearLR"/>
                    public LinearLR(Optimizer optimizer, double start_factor = 1.0 / 3, double end_factor = 1, int total_iters = 5,
                        int last_epoch = -1, bool verbose = false) : base(optimizer, last_epoch, verbose)
                    {
                        (_start, _end, _total) = (start_factor, end_factor, total_iters);
                        MakeFirstStep();
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr()
                    {
                        if (_last_epoch == 0) return Each(rate => rate * _start);
                        if (IsFirst || _last_epoch > _total) return Rates();
                        return Each(rate => rate * (1 + (_end - _start) / (_total * _start + (_last_epoch - 1) * (_end - _start))));
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_closed_form_lr() =>
                        _base_lrs.Select(rate => rate * (_start + (_end - _start) * Math.Min(_total, _last_epoch) / _total));
                }

                /// <summary>A scheduler that moves the rate along a cosine to <c>eta_min</c> in <c>T_max</c> epochs, and back.</summary>
                public class CosineAnnealingLR : LRScheduler
                {
                    private readonly double _tMax;
                    private readonly double _etaMin;

                    /// <inheritdoc cref="lr_scheduler.CosineAnnealingLR"/>
                    public CosineAnnealingLR(Optimizer optimizer, double T_max, double eta_min = 0, int last_epoch = -1,
                        bool verbose = false) : base(optimizer, last_epoch, verbose)
                    {
                        (_tMax, _etaMin) = (T_max, eta_min);
                        MakeFirstStep();
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr()
                    {
                        if (IsFirst) return Rates();
                        if (_step_count == 1 && _last_epoch > 0)
                            return _base_lrs.Select(rate => _etaMin + (rate - _etaMin) * (1 + Math.Cos(_last_epoch * Math.PI / _tMax)) / 2);
                        if (IsMultiple(_last_epoch - 1 - _tMax))
                            return Rates().Zip(_base_lrs, (rate, first) => rate + (first - _etaMin) * (1 - Math.Cos(Math.PI / _tMax)) / 2);
                        return Each(rate => (1 + Math.Cos(Math.PI * _last_epoch / _tMax)) / (1
                            + Math.Cos(Math.PI * (_last_epoch - 1) / _tMax)) * (rate - _etaMin) + _etaMin);
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_closed_form_lr() =>
                        _base_lrs.Select(rate => _etaMin + (rate - _etaMin) * (1 + Math.Cos(Math.PI * _last_epoch / _tMax)) / 2);

                    private bool IsMultiple(double epochs) => epochs % (2 * _tMax) == 0;
                }

                private static List<Func<int, double>> OnePerGroup(Optimizer optimizer, IEnumerable<Func<int, double>> lambdas)
                {
                    List<Func<int, double>> given = [.. lambdas];
                    var count = optimizer.ParamGroups.Count();
                    return given.Count == count ? given : throw new ArgumentException($"Expected {count} lr_lambdas, but got {given.Count}",
                        nameof(lambdas));
                }
            }
        }
    }
}
