using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class optim
    {
        /// <summary>The functions that create learning rate schedulers.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/optim.html">torch.optim</see>.</remarks>
        public static partial class lr_scheduler
        {
            /// <summary>The base class of schedulers: each step sets the learning rates of an optimizer's groups.</summary>
            /// <remarks>
            /// The rates equal those of PyTorch's scheduler of the same name, bit for bit. The initial rates are in
            /// <see cref="ILearningRateController.InitialLearningRate"/>.
            /// </remarks>
            public abstract class LRScheduler
            {
                /// <summary>The number of steps so far, with the one of the constructor.</summary>
                protected int _step_count;
                internal Optimizer _optimizer = null!;
                internal int _last_epoch = -1;
                internal IList<double> _base_lrs = [];
                internal IList<double> _last_lrs = [];
                private readonly bool _verbose;

                /// <summary>Creates a scheduler whose derived class sets the optimizer.</summary>
                protected LRScheduler()
                {
                }

                /// <summary>Creates a scheduler; the derived class makes the first step.</summary>
                /// <param name="optimizer">The optimizer.</param>
                /// <param name="last_epoch">The last completed epoch; -1 at the start.</param>
                /// <param name="verbose">Whether to print changes of the learning rates.</param>
                protected LRScheduler(Optimizer optimizer, int last_epoch = -1, bool verbose = false)
                {
                    ArgumentNullException.ThrowIfNull(optimizer);
                    (_optimizer, _last_epoch, _verbose) = (optimizer, last_epoch, verbose);
                    _base_lrs = [.. optimizer.ParamGroups.Select(group => group.InitialLearningRate)];
                    _last_lrs = Rates();
                }

                /// <summary>Gets whether <see cref="MakeFirstStep"/> is running.</summary>
                private protected bool IsFirst { get; private set; }

                private protected List<ILearningRateController> Groups => [.. _optimizer.ParamGroups];

                private protected IEnumerable<(int Index, ILearningRateController Group)> Numbered =>
                    Groups.Select((group, i) => (i, group));

                /// <summary>Advances to the next epoch and sets its learning rates.</summary>
                public virtual void step() => step(null);

                /// <summary>Moves to an epoch, or to the next one if null, and sets its learning rates.</summary>
                /// <param name="epoch">The epoch, from 0, or null.</param>
                public virtual void step(int? epoch)
                {
                    _step_count++;
                    Update(epoch);
                }

                /// <summary>Moves to an epoch; <c>ReduceLROnPlateau</c> also uses the value <paramref name="current"/>.</summary>
                /// <param name="current">The value, such as the loss.</param>
                /// <param name="epoch">The epoch, from 0, or null for the next one.</param>
                public virtual void step(double current, int? epoch = null) => step(epoch);

                /// <summary>Returns the learning rates that the last step set.</summary>
                /// <returns>The rates, one for each group.</returns>
                public IEnumerable<double> get_last_lr() => _last_lrs;

                /// <summary>Returns the learning rates of the current epoch, one for each group.</summary>
                /// <returns>The rates, in the order of the groups.</returns>
                protected virtual IEnumerable<double> get_lr() => Rates();

                /// <summary>
                /// Returns the learning rates after a move to a given epoch. Most schedulers compute these from the epoch's number alone;
                /// by default, they are those of <see cref="get_lr"/>.
                /// </summary>
                /// <returns>The rates, in the order of the groups.</returns>
                protected virtual IEnumerable<double> get_closed_form_lr() => get_lr();

                /// <summary>
                /// Moves to the given epoch, or to the next epoch if the argument is null, and sets the learning rates of that epoch. Does
                /// not count a step.
                /// </summary>
                internal virtual void Update(int? epoch)
                {
                    _last_epoch = epoch ?? _last_epoch + 1;
                    Set([.. epoch is null ? get_lr() : get_closed_form_lr()]);
                }

                /// <summary>Makes the step of a constructor, which sets the rates of the first epoch.</summary>
                internal void MakeFirstStep()
                {
                    _step_count = 0;
                    IsFirst = true;
                    step();
                    IsFirst = false;
                }

                /// <summary>Undoes the constructor's advance to the first epoch. The rates stay.</summary>
                internal virtual void Undo() => _last_epoch--;

                private protected List<double> Rates() => [.. _optimizer.ParamGroups.Select(group => group.LearningRate)];

                /// <summary>Returns the result of <paramref name="next"/> for each group's current rate.</summary>
                private protected IEnumerable<double> Each(Func<double, double> next) => Rates().Select(next);

                private protected void Set(IReadOnlyList<double> rates)
                {
                    var groups = Groups;
                    if (rates.Count != groups.Count)
                        throw new InvalidOperationException(
                            $"{GetType().Name} gives {Phrases.Plural(rates.Count, "learning rate")}, where the optimizer has "
                            + $"{Phrases.Plural(groups.Count, "parameter group")}.");
                    for (var i = 0; i < groups.Count; i++)
                    {
                        groups[i].LearningRate = rates[i];
                        if (_verbose && i < _last_lrs.Count && _last_lrs[i] != rates[i])
                            Console.WriteLine($"Adjusting learning rate to {rates[i]}");
                    }

                    _last_lrs = [.. rates];
                }

                private protected void PrintIfVerbose(string line)
                {
                    if (_verbose) Console.WriteLine(line);
                }

                /// <summary>Returns the values as a list.</summary>
                /// <exception cref="ArgumentException">There is not one value per group.</exception>
                private protected List<double> PerGroup(IEnumerable<double> values, string name)
                {
                    List<double> given = [.. values];
                    var count = _optimizer.ParamGroups.Count();
                    return given.Count == count ? given : throw new ArgumentException(
                        $"{name} has {Phrases.Plural(given.Count, "value")}, where the optimizer has "
                        + $"{Phrases.Plural(count, "parameter group")}.", name);
                }

                private protected List<double> PerGroup(double value) => [.. Enumerable.Repeat(value, _optimizer.ParamGroups.Count())];

                /// <summary>Sets a group's momentum, or its beta1.</summary>
                private protected static void SetMomentum(ILearningRateController group, double value)
                {
                    if (group is IBetas moments) moments.Betas = (value, moments.Betas.Item2);
                    else if (group is IMomentum momentum) momentum.Momentum = value;
                }

                private protected static void RequireMomentum(Optimizer optimizer)
                {
                    if (optimizer is not (IMomentum or IBetas))
                        throw new ArgumentException("optimizer must support momentum or beta1 with `cycle_momentum` option enabled",
                            nameof(optimizer));
                }
            }
        }
    }
}
