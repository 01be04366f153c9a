using Bridge.Torch;

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
                /// A scheduler that runs schedulers one after another. At each milestone, the next one starts at its epoch 0.
                /// </summary>
                /// <remarks>
                /// The constructor of each scheduler makes a step. As in PyTorch, this class undoes these steps before it starts. In
                /// TorchSharp, the first scheduler makes its first step twice.
                /// </remarks>
                public class SequentialLR : LRScheduler
                {
                    private readonly List<LRScheduler> _schedulers;
                    private readonly List<int> _milestones;

                    /// <inheritdoc cref="lr_scheduler.SequentialLR"/>
                    /// <exception cref="ArgumentException">
                    /// There is no scheduler, the number of milestones is not the number of schedulers minus one, or a scheduler belongs to
                    /// another optimizer or is a <see cref="ReduceLROnPlateau"/>.
                    /// </exception>
                    public SequentialLR(Optimizer optimizer, IEnumerable<LRScheduler> schedulers, IEnumerable<int> milestones,
                        int last_epoch = -1) : base(optimizer, last_epoch + 1)
                    {
                        (_schedulers, _milestones) = (CheckSchedulers(schedulers), [.. milestones]);
                        if (_schedulers.Exists(scheduler => scheduler._optimizer != optimizer))
                            throw new ArgumentException("SequentialLR expects all schedulers to belong to the same optimizer.",
                                nameof(schedulers));
                        if (_milestones.Count != _schedulers.Count - 1)
                            throw new ArgumentException(
                                "SequentialLR expects one milestone less than schedulers, but got "
                                + $"{Phrases.Plural(_schedulers.Count, "scheduler")} and {Phrases.Plural(_milestones.Count, "milestone")}.",
                                nameof(milestones));
                        Set([.. Groups.Select(group => group.InitialLearningRate)]);
                        Undo();
                        var first = _schedulers[_milestones.Count(milestone => milestone <= 0)];
                        first.MakeFirstStep();
                        _last_lrs = [.. first.get_last_lr()];
                    }

                    /// <inheritdoc/>
                    public override void step(int? epoch)
                    {
                        _last_epoch = epoch ?? _last_epoch + 1;
                        var index = _milestones.Count(milestone => milestone <= _last_epoch);
                        if (index > 0 && _milestones[index - 1] == _last_epoch) _schedulers[index].Update(0);
                        else _schedulers[index].step();
                        _last_lrs = [.. _schedulers[index].get_last_lr()];
                    }

                    /// <inheritdoc/>
                    protected override IEnumerable<double> get_lr() => Rates();

                    internal override void Update(int? epoch) => step(epoch);

                    internal override void Undo()
                    {
                        foreach (var scheduler in _schedulers) scheduler.Undo();
                    }
                }

                /// <summary>A scheduler that steps several schedulers at once.</summary>
                public class ChainedLR : LRScheduler
                {
                    private readonly List<LRScheduler> _schedulers;

                    /// <inheritdoc cref="lr_scheduler.ChainedLR"/>
                    /// <exception cref="ArgumentException">There is no scheduler, or one is a <see cref="ReduceLROnPlateau"/>.</exception>
                    public ChainedLR(IEnumerable<LRScheduler> schedulers)
                    {
                        _schedulers = CheckSchedulers(schedulers);
                        _optimizer = _schedulers[0]._optimizer;
                        _last_lrs = Rates();
                    }

                    /// <inheritdoc/>
                    public override void step()
                    {
                        foreach (var scheduler in _schedulers) scheduler.step();
                        _last_lrs = Rates();
                    }

                    internal override void Undo()
                    {
                        foreach (var scheduler in _schedulers) scheduler.Undo();
                    }
                }

                private static List<LRScheduler> CheckSchedulers(IEnumerable<LRScheduler> schedulers)
                {
                    List<LRScheduler> given = [.. schedulers];
                    if (given.Count == 0) throw new ArgumentException("Expected at least one scheduler, but got none.", nameof(schedulers));
                    if (given.Exists(scheduler => scheduler is ReduceLROnPlateau))
                        throw new ArgumentException("ReduceLROnPlateau needs a value in each step and cannot be one of several schedulers.",
                            nameof(schedulers));
                    return given;
                }
            }
        }
    }
}
