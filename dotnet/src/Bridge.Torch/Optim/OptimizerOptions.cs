using Bridge.Torch;

namespace Bridge.Torch
{
    /// <summary>Visits the settings of an optimizer in the order of TorchSharp's files.</summary>
    internal sealed class OptionPass(Func<double?, double?> number, Func<bool?, bool?> truth)
    {
        internal void Next(ref double? value) => value = number(value);

        internal void Next(ref bool? value) => value = truth(value);
    }
}

namespace TorchSharp.Modules
{
    /// <summary>The settings of a group of parameters.</summary>
    public class OptimizerOptions
    {
        public double? LearningRate { get; set; }

        public double InitialLearningRate { get; set; }

        /// <summary>Visits all settings except the learning rates.</summary>
        internal virtual void Pass(OptionPass pass)
        {
        }

        /// <exception cref="InvalidOperationException">A setting is null: the group was not added to an optimizer.</exception>
        public virtual void SaveStateDict(BinaryWriter writer)
        {
            writer.Write(InitialLearningRate);
            writer.Write(LearningRate!.Value);
            Pass(new(
                number =>
                {
                    writer.Write(number!.Value);
                    return number;
                },
                truth =>
                {
                    writer.Write(truth!.Value);
                    return truth;
                }));
        }

        /// <exception cref="EndOfStreamException">The file ends within the settings.</exception>
        public virtual void LoadStateDict(BinaryReader reader)
        {
            InitialLearningRate = reader.ReadDouble();
            LearningRate = reader.ReadDouble();
            Pass(new(_ => reader.ReadDouble(), _ => reader.ReadBoolean()));
        }

        /// <summary>Copies the settings of another optimizer's group.</summary>
        /// <exception cref="ArgumentException">The settings belong to another kind of optimizer.</exception>
        public virtual void LoadStateDict(OptimizerOptions source)
        {
            InitialLearningRate = source.InitialLearningRate;
            LearningRate = source.LearningRate;
            Take(source, all: true);
        }

        /// <summary>Replaces settings that are null by those of <paramref name="defaults"/>.</summary>
        internal void Complete(OptimizerOptions defaults)
        {
            LearningRate ??= defaults.LearningRate;
            Take(defaults, all: false);
            InitialLearningRate = LearningRate!.Value;
        }

        private void Take(OptimizerOptions source, bool all)
        {
            if (!GetType().IsInstanceOfType(source))
                throw new ArgumentException(
                    $"Settings of {source.GetType().DeclaringType?.Name ?? source.GetType().Name} given to "
                    + $"{GetType().DeclaringType?.Name ?? GetType().Name}.", nameof(source));
            Queue<double?> numbers = [];
            Queue<bool?> truths = [];
            source.Pass(new(
                number =>
                {
                    numbers.Enqueue(number);
                    return number;
                },
                truth =>
                {
                    truths.Enqueue(truth);
                    return truth;
                }));
            Pass(new(
                number => numbers.Dequeue() is var theirs && (all || number is null) ? theirs : number,
                truth => truths.Dequeue() is var theirs && (all || truth is null) ? theirs : truth));
        }
    }
}
