namespace TorchSharp;

public static partial class torch
{
    public static partial class optim
    {
        public static partial class lr_scheduler
        {
            public static partial class impl
            {
                /// <summary>
                /// A scheduler that moves the rate from <c>base_lr</c> to <c>max_lr</c> and back, and the momentum the other way.
                /// </summary>
                /// <remarks>
                /// As in PyTorch, the momentum starts at <c>max_momentum</c> and falls. For an optimizer with betas, the first beta takes
                /// the place of the momentum. <see cref="Mode.ExpRange"/> counts iterations. In TorchSharp, the momentum rises, optimizers
                /// with betas are refused, and ExpRange counts cycles.
                /// </remarks>
                public class CyclicLR : LRScheduler
                {
                    private readonly List<double> _minRates;
                    private readonly List<double> _maxRates;
                    private readonly List<double> _minMomentum = [];
                    private readonly List<double> _maxMomentum = [];
                    private readonly double _size;
                    private readonly double _ratio;
                    private readonly Func<double, double> _scale;
                    private readonly bool _perCycle;
                    private readonly bool _cyclesMomentum;

                    /// <inheritdoc cref="lr_scheduler.CyclicLR(Optimizer, double, double, int, int, Mode, double, Func{double, double},
                    /// ScaleMode, bool, double, double, int, bool)"/>
                    public CyclicLR(Optimizer optimizer, double base_lr, double max_lr, int step_size_up = 2000, int step_size_down = -1,
                        Mode mode = Mode.Triangular, double gamma = 1, Func<double, double>? scale_fn = null,
                        ScaleMode scale_mode = ScaleMode.Cycle, bool cycle_momentum = true, double base_momentum = 0.8,
                        double max_momentum = 0.9, int last_epoch = -1, bool verbose = false)
                        : this(optimizer, optimizer.ParamGroups.Select(_ => base_lr), optimizer.ParamGroups.Select(_ => max_lr),
                            step_size_up, step_size_down, mode, gamma, scale_fn, scale_mode, cycle_momentum,
                            optimizer.ParamGroups.Select(_ => base_momentum), optimizer.ParamGroups.Select(_ => max_momentum), last_epoch,
                            verbose)
                    {
                    }

                    /// <inheritdoc cref="lr_scheduler.CyclicLR(Optimizer, IEnumerable{double}, IEnumerable{double}, int, int, Mode, double,
                    /// Func{double, double}, ScaleMode, bool, IEnumerable{double}, IEnumerable{double}, int, bool)"/>
                    /// <exception cref="ArgumentException">
                    /// The optimizer has no momentum to cycle, or a list does not have one value per group.
                    /// </exception>
                    public CyclicLR(Optimizer optimizer, IEnumerable<double> base_lr, IEnumerable<double> max_lr, int step_size_up = 2000,
                        int step_size_down = -1, Mode mode = Mode.Triangular, double gamma = 1, Func<double, double>? scale_fn = null,
                        ScaleMode scale_mode = ScaleMode.Cycle, bool cycle_momentum = true, IEnumerable<double>? base_momentum = null,
                        IEnumerable<double>? max_momentum = null, int last_epoch = -1, bool verbose = false)
                        : base(optimizer, last_epoch, verbose)
                    {
                        (_minRates, _maxRates) = (PerGroup(base_lr, nameof(base_lr)), PerGroup(max_lr, nameof(max_lr)));
                        if (last_epoch == -1) foreach (var (i, group) in Numbered) group.LearningRate = _minRates[i];
                        _size = step_size_up + (step_size_down == -1 ? step_size_up : step_size_down);
                        _ratio = step_size_up / _size;
                        _scale = scale_fn ?? (mode switch
                        {
                            Mode.Triangular => _ => 1,
                            Mode.Triangular2 => cycle => 1 / Math.Pow(2, cycle - 1),
                            _ => iteration => Math.Pow(gamma, iteration),
                        });
                        _perCycle = scale_fn is null ? mode != Mode.ExpRange : scale_mode == ScaleMode.Cycle;
                        _cyclesMomentum = cycle_momentum;
                        if (_cyclesMomentum)
                        {
                            RequireMomentum(optimizer);
                            _minMomentum = base_momentum is null ? PerGroup(0.8) : PerGroup(base_momentum, nameof(base_momentum));
                            _maxMomentum = max_momentum is null ? PerGroup(0.9) : PerGroup(max_momentum, nameof(max_momentum));
                        }

                        MakeFirstStep();
                        _base_lrs = _minRates;
                    }

                    /// <summary>How the amplitude of the cycles changes.</summary>
                    public enum Mode
                    {
                        /// <summary>The amplitude stays the same.</summary>
                        Triangular,

                        /// <summary>The amplitude halves with each cycle.</summary>
                        Triangular2,

                        /// <summary>The amplitude is multiplied by <c>gamma</c> with each iteration.</summary>
                        ExpRange,
                    }

                    /// <summary>The argument of <c>scale_fn</c>.</summary>
                    public enum ScaleMode
                    {
                        /// <summary>The number of the cycle, from 1.</summary>
                        Cycle,

                        /// <summary>The number of steps.</summary>
                        Iterations,
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr()
                    {
                        var cycle = Math.Floor(1 + _last_epoch / _size);
                        var x = 1.0 + _last_epoch / _size - cycle;
                        var factor = x <= _ratio ? x / _ratio : (x - 1) / (_ratio - 1);
                        var at = _perCycle ? cycle : _last_epoch;
                        var rates = _minRates.Select((rate, i) => rate + (_maxRates[i] - rate) * factor * _scale(at)).ToList();
                        if (_cyclesMomentum)
                            foreach (var (i, group) in Numbered)
                                SetMomentum(group, _maxMomentum[i] - (_maxMomentum[i] - _minMomentum[i]) * factor * _scale(at));
                        return rates;
                    }
                }

                /// <summary>A scheduler of one cycle: up to <c>max_lr</c>, then down to far below the initial rate.</summary>
                public class OneCycleLR : LRScheduler
                {
                    private readonly int _total;
                    private readonly Func<double, double, double, double> _anneal;
                    private readonly bool _cyclesMomentum;
                    private readonly List<double> _maxRates;
                    private readonly List<double> _minMomentum = [];
                    private readonly List<double> _maxMomentum = [];
                    private readonly List<double> _firstRates;
                    private readonly List<double> _lastRates;
                    private readonly (double End, List<double> From, List<double> To, List<double> FromMomentum,
                        List<double> ToMomentum)[] _phases;

                    /// <inheritdoc cref="lr_scheduler.OneCycleLR(Optimizer, double, int, int, int, double, AnnealStrategy, bool, double,
                    /// double, double, double, bool, int, bool)"/>
                    public OneCycleLR(Optimizer optimizer, double max_lr, int total_steps = -1, int epochs = -1, int steps_per_epoch = -1,
                        double pct_start = 0.3, AnnealStrategy anneal_strategy = AnnealStrategy.Cos, bool cycle_momentum = true,
                        double base_momentum = 0.85, double max_momentum = 0.95, double div_factor = 25, double final_div_factor = 10000,
                        bool three_phase = false, int last_epoch = -1, bool verbose = false)
                        : this(optimizer, optimizer.ParamGroups.Select(_ => max_lr), total_steps, epochs, steps_per_epoch, pct_start,
                            anneal_strategy, cycle_momentum, optimizer.ParamGroups.Select(_ => base_momentum),
                            optimizer.ParamGroups.Select(_ => max_momentum), div_factor, final_div_factor, three_phase, last_epoch, verbose)
                    {
                    }

                    /// <inheritdoc cref="lr_scheduler.OneCycleLR(Optimizer, IEnumerable{double}, int, int, int, double, AnnealStrategy,
                    /// bool, IEnumerable{double}, IEnumerable{double}, double, double, bool, int, bool)"/>
                    /// <exception cref="ArgumentException">
                    /// The number of steps is missing or not positive, <c>pct_start</c> is not between 0 and 1, the optimizer has no
                    /// momentum to cycle, or a list does not have one value per group.
                    /// </exception>
                    public OneCycleLR(Optimizer optimizer, IEnumerable<double> max_lr, int total_steps = -1, int epochs = -1,
                        int steps_per_epoch = -1, double pct_start = 0.3, AnnealStrategy anneal_strategy = AnnealStrategy.Cos,
                        bool cycle_momentum = true, IEnumerable<double>? base_momentum = null, IEnumerable<double>? max_momentum = null,
                        double div_factor = 25, double final_div_factor = 10000, bool three_phase = false, int last_epoch = -1,
                        bool verbose = false)
                        : base(optimizer, last_epoch, verbose)
                    {
                        _total = Total(total_steps, epochs, steps_per_epoch);
                        if (pct_start is not (>= 0 and <= 1))
                            throw new ArgumentException($"Expected float between 0 and 1 for pct_start, but got {pct_start}",
                                nameof(pct_start));
                        _anneal = anneal_strategy == AnnealStrategy.Cos
                            ? (start, end, share) => end + (start - end) / 2 * (Math.Cos(Math.PI * share) + 1)
                            : (start, end, share) => (end - start) * share + start;
                        _maxRates = PerGroup(max_lr, nameof(max_lr));
                        _firstRates = [.. _maxRates.Select(rate => rate / div_factor)];
                        _lastRates = [.. _firstRates.Select(rate => rate / final_div_factor)];
                        if (last_epoch == -1) foreach (var (i, group) in Numbered) group.InitialLearningRate = _firstRates[i];
                        _cyclesMomentum = cycle_momentum;
                        if (_cyclesMomentum)
                        {
                            RequireMomentum(optimizer);
                            _minMomentum = base_momentum is null ? PerGroup(0.85) : PerGroup(base_momentum, nameof(base_momentum));
                            _maxMomentum = max_momentum is null ? PerGroup(0.95) : PerGroup(max_momentum, nameof(max_momentum));
                        }

                        _phases = three_phase
                            ?
                            [
                                (pct_start * _total - 1, _firstRates, _maxRates, _maxMomentum, _minMomentum),
                                (2 * pct_start * _total - 2, _maxRates, _firstRates, _minMomentum, _maxMomentum),
                                (_total - 1, _firstRates, _lastRates, _maxMomentum, _maxMomentum),
                            ]
                            : [(pct_start * _total - 1, _firstRates, _maxRates, _maxMomentum, _minMomentum),
                                (_total - 1, _maxRates, _lastRates, _minMomentum, _maxMomentum)];
                        _base_lrs = [.. Groups.Select(group => group.InitialLearningRate)];
                        MakeFirstStep();
                    }

                    /// <summary>The curve between two learning rates.</summary>
                    public enum AnnealStrategy
                    {
                        /// <summary>Half a cosine.</summary>
                        Cos,

                        /// <summary>A line.</summary>
                        Linear,
                    }

                    /// <inheritdoc/>
                    /// <exception cref="InvalidOperationException">The scheduler has already made all its steps.</exception>
                    protected override IEnumerable<double> get_lr()
                    {
                        if (_last_epoch > _total)
                            throw new InvalidOperationException(
                                $"Tried to step {_last_epoch} times. The specified number of total steps is {_total}");
                        var index = Array.FindIndex(_phases, phase => _last_epoch <= phase.End);
                        if (index < 0) index = _phases.Length - 1;
                        var (start, now) = (index == 0 ? 0 : _phases[index - 1].End, _phases[index]);
                        var share = (_last_epoch - start) / (now.End - start);
                        if (_cyclesMomentum)
                            foreach (var (i, group) in Numbered) SetMomentum(group, _anneal(now.FromMomentum[i], now.ToMomentum[i], share));
                        return now.From.Select((rate, i) => _anneal(rate, now.To[i], share));
                    }

                    private static int Total(int steps, int epochs, int perEpoch)
                    {
                        if (steps == -1 && epochs == -1 && perEpoch == -1)
                            throw new ArgumentException("You must define either total_steps OR (epochs AND steps_per_epoch)");
                        if (steps == -1) return Positive(epochs, "epochs") * Positive(perEpoch, "steps_per_epoch");
                        return Positive(steps, "total_steps");

                        static int Positive(int value, string name) =>
                            value > 0 ? value : throw new ArgumentException($"Expected positive integer {name}, but got {value}", name);
                    }
                }
            }
        }
    }
}
