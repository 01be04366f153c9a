using System.Globalization;

namespace Bridge.Host;

/// <summary>A process that runs a model for Python: requests come in on one pipe, answers go out on another, a JSON line each.</summary>
/// <remarks>
/// What the model prints goes to standard error, whichever stream it is meant for: the pipes are others, so nothing that is printed can be taken
/// for an answer. Python starts this program (<c>bridge.torchsharp.process</c>); <c>bridge/contract/host.schema.json</c> describes the lines.
/// </remarks>
internal static class Program
{
    /// <summary>The version of the lines; one that Python does not know is refused there.</summary>
    internal const int Protocol = 3;

    /// <param name="args">The descriptors of the pipes of requests and of answers, and the number of the process that started this one.</param>
    private static int Main(string[] args)
    {
        var invariant = CultureInfo.InvariantCulture;
        if (args.Length != 3 || !int.TryParse(args[0], invariant, out var requests) || !int.TryParse(args[1], invariant, out var answers) || !int.TryParse(args[2], invariant, out var parent))
        {
            Console.Error.WriteLine("Bridge.Host is started by Python: bridge.load(..., runtime=\"torchsharp\").");
            return 2;
        }

        Guard.Begin(requests, parent);
        NativeMemoryUse.KeepFreed();
        Console.SetOut(Console.Error);
        using var lines = new Lines(requests, answers);
        using var session = new Session(parent, lines);
        lines.Hello();
        while (lines.Read() is { } line)
            if (!Answering.Answer(line, lines, session)) return 0;
        return 0;
    }
}
