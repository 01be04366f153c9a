using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    [Aten("bridge::load_tensor", "location")] private static partial Tensor LoadTensor(string location);

    /// <summary>
    /// Writes a tensor to a file as libtorch's <c>torch::save</c> does: a TorchScript archive, which C++ and TorchSharp read.
    /// </summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.save.html">torch.save</see>.</remarks>
    /// <param name="t">The tensor.</param>
    /// <param name="location">The file's path.</param>
    /// <exception cref="NotSupportedException">There is no Python in this process.</exception>
    public static void save(Tensor t, string location) => t.save(location);

    /// <summary>Reads a tensor that <see cref="save"/>, TorchSharp, C++ or Python's <c>torch.save</c> wrote.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.load.html">torch.load</see>.</remarks>
    /// <param name="location">The file's path.</param>
    /// <returns>The tensor.</returns>
    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    /// <exception cref="NotSupportedException">There is no Python in this process.</exception>
    public static Tensor load(string location) => Tensor.load(location);

    public partial class Tensor
    {
        [Aten("bridge::save_tensor", "self, location")] private partial void SaveTensor(string location);

        /// <inheritdoc cref="torch.load"/>
        public static Tensor load(string location) =>
            File.Exists(location) ? LoadTensor(location) : throw new FileNotFoundException($"There is no file {location}.", location);

        /// <summary>Reads a tensor that <see cref="TensorExtensionMethods.Save(Tensor, BinaryWriter)"/> wrote.</summary>
        /// <param name="reader">The reader.</param>
        /// <returns>The tensor.</returns>
        /// <exception cref="EndOfStreamException">The stream ends within the tensor.</exception>
        public static Tensor Load(BinaryReader reader) => WeightFile.Read(reader);

        /// <summary>Reads a tensor from a stream and closes the stream.</summary>
        /// <param name="stream">The stream.</param>
        /// <returns>The tensor.</returns>
        /// <exception cref="EndOfStreamException">The stream ends within the tensor.</exception>
        public static Tensor Load(Stream stream)
        {
            using var reader = new BinaryReader(stream);
            return Load(reader);
        }

        /// <summary>Reads a tensor from a file in TorchSharp's format.</summary>
        /// <param name="location">The file's path.</param>
        /// <returns>The tensor.</returns>
        /// <exception cref="FileNotFoundException">There is no such file.</exception>
        /// <exception cref="EndOfStreamException">The file ends within the tensor.</exception>
        public static Tensor Load(string location)
        {
            using var stream = File.OpenRead(location);
            return Load(stream);
        }

        /// <inheritdoc cref="torch.save"/>
        public void save(string location) => SaveTensor(location);
    }
}

public static unsafe partial class TensorExtensionMethods
{
    /// <summary>Writes a tensor in TorchSharp's format: element type, number of dimensions, sizes, elements in C order.</summary>
    /// <param name="tensor">The tensor.</param>
    /// <param name="writer">The writer.</param>
    public static void Save(this torch.Tensor tensor, BinaryWriter writer) => WeightFile.Write(writer, tensor);

    /// <summary>Writes a tensor in TorchSharp's format and closes the stream.</summary>
    /// <param name="tensor">The tensor.</param>
    /// <param name="stream">The stream.</param>
    public static void Save(this torch.Tensor tensor, Stream stream)
    {
        using var writer = new BinaryWriter(stream);
        tensor.Save(writer);
    }

    /// <summary>Writes a tensor in TorchSharp's format to a file.</summary>
    /// <param name="tensor">The tensor.</param>
    /// <param name="location">The file's path. An existing file is overwritten.</param>
    public static void Save(this torch.Tensor tensor, string location) => tensor.Save(File.Create(location));

    /// <summary>Overwrites a tensor with a stored tensor, which <see cref="Save(torch.Tensor, BinaryWriter)"/> wrote.</summary>
    /// <param name="tensor">The tensor to overwrite.</param>
    /// <param name="reader">The reader.</param>
    /// <param name="skip">Whether to skip the data and leave <paramref name="tensor"/> unchanged.</param>
    /// <exception cref="ArgumentException">The stored tensor has another type or shape.</exception>
    /// <exception cref="EndOfStreamException">The stream ends within the tensor.</exception>
    public static void Load(this torch.Tensor tensor, BinaryReader reader, bool skip = false)
    {
        if (skip) WeightFile.Skip(reader);
        else WeightFile.Read(reader, null, tensor);
    }

    /// <summary>Reads a new tensor.</summary>
    /// <param name="reader">The reader.</param>
    /// <param name="skip">Whether to skip the data: then the tensor contains zeros.</param>
    /// <returns>The tensor.</returns>
    /// <exception cref="EndOfStreamException">The stream ends within the tensor.</exception>
    public static torch.Tensor Load(BinaryReader reader, bool skip = false)
    {
        torch.Tensor? read = null;
        Load(ref read, reader, skip);
        return read!;
    }

    /// <summary>Overwrites a tensor with a stored tensor, or creates one if <paramref name="tensor"/> is null.</summary>
    /// <param name="tensor">The tensor to overwrite; null to create one.</param>
    /// <param name="reader">The reader.</param>
    /// <param name="skip">Whether to skip the data: then a given tensor stays unchanged, and a new one contains zeros.</param>
    /// <exception cref="ArgumentException">The stored tensor has another type or shape.</exception>
    /// <exception cref="EndOfStreamException">The stream ends within the tensor.</exception>
    public static void Load([System.Diagnostics.CodeAnalysis.NotNull] ref torch.Tensor? tensor, BinaryReader reader, bool skip = false)
    {
        if (tensor is not null) tensor.Load(reader, skip);
        else tensor = WeightFile.Read(reader, skip);
    }
}
