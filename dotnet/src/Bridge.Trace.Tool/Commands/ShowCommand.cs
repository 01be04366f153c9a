using Bridge.Trace.Tool.Comparison;
using Bridge.Trace.Tool.Printing;
using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Commands;

/// <summary>Prints the calls of a trace as a tree.</summary>
internal static class ShowCommand
{
    /// <exception cref="TraceFileException">The file cannot be read.</exception>
    /// <exception cref="UsageException">The arguments are invalid.</exception>
    internal static int Run(ReadOnlySpan<string> args, TextWriter output, TextWriter errors)
    {
        var arguments = new Arguments("show", args, "--path");
        if (arguments.Files is not [var file]) throw new UsageException("show reads one file: torchsharp-trace show FILE");
        var trace = TraceReader.ReadTruncated(file, out var truncated);
        var path = arguments.Get("--path");
        if (path is not null && trace.Events.All(item => item.Path != path))
            throw new UsageException($"{file} has no event of the module '{path}'.");
        foreach (var line in TraceTree.Lines(trace, path)) output.WriteLine(line);
        if (truncated is null) return CommandLine.Same;
        // The events that were read are right: a process that was killed leaves such a file.
        errors.WriteLine($"{truncated.Message}.");
        return CommandLine.CannotRun;
    }
}
