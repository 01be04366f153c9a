using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Writes the events of a recording to a trace file, and the elements of tensors to a file beside it.</summary>
internal static class TraceFile
{
    /// <exception cref="IOException">A file cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">A file cannot be written for lack of permission.</exception>
    internal static void Write(string file, Recording recording)
    {
        var replay = recording.Replay();
        var header = recording.Header with { Inputs = replay.Inputs() };
        if (recording.Elements is { } elements)
        {
            elements.Write(file, Lines);
            return;
        }

        using var output = new AtomicFile(file);
        Lines(output.Stream);
        output.Commit();

        void Lines(Stream stream)
        {
            var decoder = recording.CreateDecoder();
            var names = new RecordedNames(recording.Nodes, decoder, recording.Elements is not null);
            TraceWriter.Write(stream, header, replay.Events(decoder), names);
        }
    }
}
