using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>The state that this process keeps between requests.</summary>
/// <param name="parent">The id of the parent process, which owns the shared memory.</param>
internal sealed class HostSession(int parent) : IDisposable
{
    private ValueEncoder? _encoder;

    /// <summary>Gets the buffer of the current request's result.</summary>
    internal ArrayBufferWriter<byte> Result { get; } = new();

    internal SharedMemory Memory { get; } = new(parent);

    /// <summary>Gets the library that models run on; null before one is chosen.</summary>
    internal ModelLibrary? Library { get; private set; }

    /// <summary>Gets the models by the numbers that Python gave them.</summary>
    internal Dictionary<long, HostedModel> Models { get; } = [];

    /// <summary>Gets the .NET objects that Python holds.</summary>
    internal HostedObjects Objects { get; } = new();

    /// <summary>Gets or sets the function that runs a hook program (docs/programs.md); null before the first program.</summary>
    internal Func<string, string, IReadOnlyCollection<string>, string, string>? RunProgram { get; set; }

    /// <summary>
    /// Gets the encoder of results. If the tensors of a result do not fit into the block of shared memory, the encoder keeps them for the
    /// request that fetches them.
    /// </summary>
    internal ValueEncoder Encoder => _encoder ??= new(this);

    /// <summary>Sets the library that models run on.</summary>
    /// <exception cref="InvalidOperationException">A library is set already. Another one would load a second libtorch.</exception>
    internal void SetLibrary(ModelLibrary library) =>
        Library = Library is null ? library : throw new InvalidOperationException($"This process already runs models on {Library.Title}.");

    /// <summary>Returns a model by its number.</summary>
    /// <exception cref="ArgumentException">There is no such model.</exception>
    internal HostedModel Model(long number) =>
        Models.TryGetValue(number, out var model) ? model : throw new ArgumentException($"There is no model {number} in this process.");

    /// <summary>Returns the number of a module's model, and the module's path; null for a module that no loaded model has.</summary>
    internal (long Model, string Path)? Find(object module)
    {
        foreach (var (number, model) in Models)
            if (model.PathOf(module) is { } path) return (number, path);
        return null;
    }

    /// <summary>
    /// Drops the models that a request lists in <c>drop</c>, and the objects in <c>release</c>: their Python objects were collected.
    /// </summary>
    internal void Drop(JsonElement given)
    {
        if (given.TryGetProperty("release", out var objects))
            foreach (var number in objects.EnumerateArray()) Objects.Remove(number.GetInt64());
        if (!given.TryGetProperty("drop", out var numbers)) return;
        // The encoder may hold tensors of these models.
        Encoder.Clear();
        NativeMemoryUse.CollectAfterDrop(RemoveModels(numbers));
    }

    // Not inlined, so that no model is on the stack during the collection.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private long RemoveModels(JsonElement numbers)
    {
        var bytes = 0L;
        foreach (var number in numbers.EnumerateArray())
            if (Models.Remove(number.GetInt64(), out var model)) bytes += model.Bytes;
        return bytes;
    }

    public void Dispose() => Memory.Dispose();
}
