using Bridge.Torch;
using static TorchSharp.torch;

namespace Bridge.Torch
{
    /// <summary>
    /// A visitor of an optimizer's state for a parameter, in the order of TorchSharp's files. It calls a function on each value, and
    /// replaces the value by the result.
    /// </summary>
    /// <param name="whole">The function that is called on integers.</param>
    /// <param name="number">The function that is called on floating-point numbers.</param>
    /// <param name="tensor">The function that is called on tensors. Its second argument tells whether the tensor may be null.</param>
    internal sealed class StateVisitor(Func<long, long> whole, Func<double, double> number, Func<Tensor?, bool, Tensor?> tensor)
    {
        internal void Next(ref long value) => value = whole(value);

        internal void Next(ref double value) => value = number(value);

        internal void Next(ref Tensor value) => value = tensor(value, false)!;

        internal void Optional(ref Tensor? value) => value = tensor(value, true);
    }
}

namespace TorchSharp.Modules
{
    /// <summary>The state that an optimizer keeps for a parameter.</summary>
    /// <remarks>
    /// TorchSharp's methods are abstract. Here they work for the built-in optimizers; other optimizers override them.
    /// </remarks>
    public abstract class OptimizerState
    {
        /// <summary>The parameter whose state this is.</summary>
        protected Parameter _parameter;

        /// <summary>Creates the state of a parameter; <see cref="Initialize"/> sets its values.</summary>
        /// <param name="parameter">The parameter.</param>
        protected OptimizerState(Parameter parameter) => _parameter = parameter;

        /// <summary>Visits all values of the state.</summary>
        internal virtual void Visit(StateVisitor visitor) =>
            throw new NotSupportedException($"{GetType()} must override the methods of OptimizerState.");

        /// <summary>
        /// Writes the state in TorchSharp's format: numbers in binary form, tensors as
        /// <see cref="TensorExtensionMethods.Save(Tensor, BinaryWriter)"/> does.
        /// </summary>
        /// <param name="writer">The writer.</param>
        public virtual void SaveStateDict(BinaryWriter writer) => Visit(new(
            whole =>
            {
                writer.Write(whole);
                return whole;
            },
            number =>
            {
                writer.Write(number);
                return number;
            },
            (tensor, optional) =>
            {
                if (optional) SaveConditionalStateTensor(writer, tensor);
                else tensor!.Save(writer);
                return tensor;
            }));

        /// <summary>Reads the state that <see cref="SaveStateDict"/> wrote.</summary>
        /// <exception cref="ArgumentException">A tensor has another type or shape in the file.</exception>
        /// <exception cref="EndOfStreamException">The file ends within the state.</exception>
        /// <param name="reader">The reader.</param>
        public virtual void LoadStateDict(BinaryReader reader) => Visit(new(
            _ => reader.ReadInt64(),
            _ => reader.ReadDouble(),
            (tensor, optional) =>
            {
                if (optional) LoadConditionalStateTensor(reader, ref tensor, _parameter.device);
                else tensor!.Load(reader);
                return tensor;
            }));

        /// <summary>Copies the state of a parameter of another optimizer.</summary>
        /// <exception cref="ArgumentException">The state belongs to another kind of optimizer.</exception>
        /// <param name="source">The state to copy.</param>
        public virtual void LoadStateDict(OptimizerState source)
        {
            if (source.GetType() != GetType())
                throw new ArgumentException(
                    $"The state of {source.GetType().DeclaringType?.Name} cannot be that of {GetType().DeclaringType?.Name}.",
                    nameof(source));
            var theirs = new Queue<object?>(source.Values());
            Visit(new(
                _ => (long)theirs.Dequeue()!,
                _ => (double)theirs.Dequeue()!,
                (tensor, _) =>
                {
                    tensor?.Dispose();
                    return ((Tensor?)theirs.Dequeue())?.to(_parameter.device, copy: true).DetachFromDisposeScope();
                }));
        }

        /// <summary>
        /// Returns whether the classes and numbers are equal and the tensors are close. A tensor that is null in this state is
        /// close to any.
        /// </summary>
        /// <param name="other">The state of another parameter or optimizer.</param>
        /// <returns>Whether the states are nearly equal.</returns>
        public virtual bool ApproximatelyEquals(OptimizerState other) =>
            other.GetType() == GetType() && Values().Zip(other.Values()).All(pair => pair switch
        {
            (Tensor first, Tensor second) => first.allclose(second),
            (null, _) => true,
            var (first, second) => first.Equals(second),
        });

        /// <summary>Resets the state to its value before the first step.</summary>
        /// <param name="options">The settings of the parameter's group.</param>
        /// <exception cref="NotSupportedException">The state's class does not override this method.</exception>
        public virtual void Initialize(OptimizerOptions options) =>
            throw new NotSupportedException($"{GetType()} must override Initialize.");

        /// <summary>Moves the tensors of the state to a device.</summary>
        /// <param name="device">The device.</param>
        public virtual void to(Device device) => Visit(new(
            whole => whole,
            number => number,
            (tensor, _) => tensor?.to(device).DetachFromDisposeScope()));

        /// <summary>
        /// Reads a boolean and, if it is true, a tensor. If it is false, disposes <paramref name="result"/> and sets it to null.
        /// </summary>
        /// <param name="reader">The reader.</param>
        /// <param name="result">The tensor to replace, or null.</param>
        /// <param name="device">The device of the new tensor.</param>
        protected static void LoadConditionalStateTensor(BinaryReader reader, ref Tensor? result, Device device)
        {
            if (!reader.ReadBoolean())
            {
                result?.Dispose();
                result = null;
                return;
            }

            TensorExtensionMethods.Load(ref result, reader);
            result = result!.to(device, disposeAfter: true).DetachFromDisposeScope();
        }

        /// <summary>Writes whether there is a tensor and, if so, the tensor.</summary>
        /// <param name="writer">The writer.</param>
        /// <param name="tensor">The tensor, or null.</param>
        protected static void SaveConditionalStateTensor(BinaryWriter writer, Tensor? tensor)
        {
            writer.Write(tensor is not null);
            tensor?.Save(writer);
        }

        /// <summary>Returns zeros like the parameter, in no scope.</summary>
        private protected Tensor Zeros() => _parameter.zeros_like().DetachFromDisposeScope();

        private protected void Release() => Visit(new(
            whole => whole,
            number => number,
            (tensor, _) =>
            {
                tensor?.Dispose();
                return tensor;
            }));

        private List<object?> Values()
        {
            List<object?> values = [];
            Visit(new(
                whole =>
                {
                    values.Add(whole);
                    return whole;
                },
                number =>
                {
                    values.Add(number);
                    return number;
                },
                (tensor, _) =>
                {
                    values.Add(tensor);
                    return tensor;
                }));
            return values;
        }
    }
}
