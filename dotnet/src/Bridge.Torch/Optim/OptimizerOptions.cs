using Bridge.Torch;

namespace Bridge.Torch
{
    /// <summary>
    /// A visitor of a group's settings, in the order of TorchSharp's files. It calls a function on each setting's value, and the setting
    /// gets the result.
    /// </summary>
    internal sealed class OptionVisitor(Func<double?, double?> number, Func<bool?, bool?> flag)
    {
        internal void Next(ref double? value) => value = number(value);

        internal void Next(ref bool? value) => value = flag(value);
    }
}

namespace TorchSharp.Modules
{
    /// <summary>The settings of a group of parameters.</summary>
    public class OptimizerOptions
    {
        /// <summary>Gets or sets the learning rate of the group; null for that of the optimizer.</summary>
        public double? LearningRate { get; set; }

        /// <summary>Gets or sets the learning rate from which schedulers of the group start.</summary>
        public double InitialLearningRate { get; set; }

        /// <summary>Visits all settings except the learning rates.</summary>
        internal virtual void Visit(OptionVisitor visitor)
        {
        }

        /// <summary>Writes the settings in TorchSharp's format.</summary>
        /// <exception cref="InvalidOperationException">A setting is null: the group was not added to an optimizer.</exception>
        /// <param name="writer">The writer.</param>
        public virtual void SaveStateDict(BinaryWriter writer)
        {
            writer.Write(InitialLearningRate);
            writer.Write(LearningRate!.Value);
            Visit(new(
                number =>
                {
                    writer.Write(number!.Value);
                    return number;
                },
                flag =>
                {
                    writer.Write(flag!.Value);
                    return flag;
                }));
        }

        /// <summary>Reads the settings that <see cref="SaveStateDict"/> wrote.</summary>
        /// <exception cref="EndOfStreamException">The file ends within the settings.</exception>
        /// <param name="reader">The reader.</param>
        public virtual void LoadStateDict(BinaryReader reader)
        {
            InitialLearningRate = reader.ReadDouble();
            LearningRate = reader.ReadDouble();
            Visit(new(_ => reader.ReadDouble(), _ => reader.ReadBoolean()));
        }

        /// <summary>Copies the settings of another optimizer's group.</summary>
        /// <exception cref="ArgumentException">The settings belong to another kind of optimizer.</exception>
        /// <param name="source">The settings to copy.</param>
        public virtual void LoadStateDict(OptimizerOptions source)
        {
            InitialLearningRate = source.InitialLearningRate;
            LearningRate = source.LearningRate;
            CopyFrom(source, all: true);
        }

        /// <summary>
        /// Replaces settings that are null by those of <paramref name="defaults"/>, and the initial learning rate by the learning rate.
        /// </summary>
        internal void Complete(OptimizerOptions defaults)
        {
            LearningRate ??= defaults.LearningRate;
            CopyFrom(defaults, all: false);
            InitialLearningRate = LearningRate!.Value;
        }

        /// <summary>Checks that the settings are in their ranges, as those of an optimizer's constructor must be.</summary>
        /// <exception cref="ArgumentException">A setting is out of its range.</exception>
        internal virtual void Check() => Require(LearningRate >= 0, "learning rate", LearningRate);

        /// <exception cref="ArgumentException"><paramref name="valid"/> is false.</exception>
        private protected static void Require(bool valid, string what, double? value)
        {
            if (!valid) throw new ArgumentException($"Invalid {what}: {value}");
        }

        /// <summary>Checks the settings that Adamax, NAdam and RAdam have in common.</summary>
        private protected static void RequireMoments(double? beta1, double? beta2, double? eps, double? weight_decay)
        {
            Require(beta1 is >= 0 and <= 1, "beta1 value", beta1);
            Require(beta2 is >= 0 and <= 1, "beta2 value", beta2);
            Require(eps >= 0, "eps value", eps);
            Require(weight_decay >= 0, "weight decay value", weight_decay);
        }

        private void CopyFrom(OptimizerOptions source, bool all)
        {
            if (!GetType().IsInstanceOfType(source))
                throw new ArgumentException(
                    $"The settings of {source.GetType().DeclaringType?.Name ?? source.GetType().Name} cannot be those of "
                    + $"{GetType().DeclaringType?.Name ?? GetType().Name}.", nameof(source));
            Queue<double?> numbers = [];
            Queue<bool?> flags = [];
            source.Visit(new(
                number =>
                {
                    numbers.Enqueue(number);
                    return number;
                },
                flag =>
                {
                    flags.Enqueue(flag);
                    return flag;
                }));
            Visit(new(
                number => numbers.Dequeue() is var theirs && (all || number is null) ? theirs : number,
                flag => flags.Dequeue() is var theirs && (all || flag is null) ? theirs : flag));
        }
    }
}
