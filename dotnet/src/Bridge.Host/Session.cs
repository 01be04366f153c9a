using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>What this process keeps from one request to the next.</summary>
/// <param name="parent">The process that started this one, whose memory tensors cross in.</param>
/// <param name="lines">Where progress is written.</param>
internal sealed class Session(int parent, Lines lines) : IDisposable
{
    /// <summary>The number of the request that is answered.</summary>
    internal long Request { get; set; }

    /// <summary>Where its result is written.</summary>
    internal ArrayBufferWriter<byte> Result { get; } = new();

    /// <summary>Memory that Python shares.</summary>
    internal SharedMemory Memory { get; } = new(parent);

    /// <summary>What models run on here; null before it is chosen.</summary>
    internal ModelLibrary? Library { get; private set; }

    /// <summary>The models by the numbers that Python knows them by.</summary>
    internal Dictionary<long, HostedModel> Models { get; } = [];

    /// <summary>Runs a hook program; null before the first.</summary>
    internal Func<string, string, IReadOnlyCollection<string>, string, string>? Programs { get; set; }

    /// <summary>What a call gave and had no room for.</summary>
    internal Outgoing Outgoing { get; } = new();

    /// <summary>What models run on here from now on.</summary>
    /// <exception cref="InvalidOperationException">It is chosen already: two would be two libtorch.</exception>
    internal void Use(ModelLibrary library) =>
        Library = Library is null ? library : throw new InvalidOperationException($"This process runs models on {Library.Title}, and on nothing else.");

    /// <summary>A model by its number.</summary>
    /// <exception cref="ArgumentException">There is none.</exception>
    internal HostedModel Model(long number) =>
        Models.TryGetValue(number, out var model) ? model : throw new ArgumentException($"There is no model {number} in this process.");

    /// <summary>Forgets the models whose numbers a request gives as <c>drop</c>: Python has none of them any more.</summary>
    internal void Forget(JsonElement given)
    {
        if (!given.TryGetProperty("drop", out var numbers)) return;
        // The last answer may have been one of them.
        Outgoing.Clear();
        NativeMemoryUse.Dropped(Removed(numbers));
    }

    /// <summary>Says, while a request is answered, how far it is.</summary>
    internal void Progress(Action<Utf8JsonWriter> content) => lines.Write(json =>
    {
        json.WriteNumber("id", Request);
        json.WriteStartObject("progress");
        content(json);
        json.WriteEndObject();
    });

    // In a frame of its own: none of them is on the stack when memory is collected.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private long Removed(JsonElement numbers)
    {
        var bytes = 0L;
        foreach (var number in numbers.EnumerateArray())
            if (Models.Remove(number.GetInt64(), out var model)) bytes += model.Bytes;
        return bytes;
    }

    public void Dispose() => Memory.Dispose();
}
