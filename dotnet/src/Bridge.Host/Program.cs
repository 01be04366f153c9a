using System.Globalization;
using System.Text;
using Bridge.Host.Systems;

namespace Bridge.Host;

/// <summary>Runs models for Python: reads requests from one pipe and writes answers to another, each a line of JSON.</summary>
/// <remarks>
/// The pipes are separate from standard output, which is redirected to standard error. So the output of a model cannot be mistaken for an
/// answer. Python starts this program (<c>bridge.torchsharp.process</c>), whose <c>host.schema.json</c> describes the lines.
/// </remarks>
internal static class Program
{
    /// <summary>The version of the protocol. Python refuses versions that it does not know.</summary>
    internal const int Protocol = 4;

    // The arguments are the file descriptors of the pipes of requests and answers (on Windows, handles), and the id of the parent process.
    private static int Main(string[] args)
    {
        var invariant = CultureInfo.InvariantCulture;
        if (args.Length != 3
            || !nint.TryParse(args[0], invariant, out var requests)
            || !nint.TryParse(args[1], invariant, out var answers)
            || !int.TryParse(args[2], invariant, out var parent))
        {
            Console.Error.WriteLine("Bridge.Host is started by Python's bridge.load(..., runtime=\"torchsharp\").");
            return 2;
        }

        HostSystem.Current.EndWithParent(requests, parent);
        HostSystem.Current.KeepFreedMemory();
        // Python reads UTF-8, which is not what Windows writes by default.
        if (OperatingSystem.IsWindows())
            Console.SetError(new StreamWriter(Console.OpenStandardError(), new UTF8Encoding(false)) { AutoFlush = true });
        Console.SetOut(Console.Error);
        using var pipes = new MessagePipes(requests, answers);
        using var session = new HostSession(parent);
        pipes.WriteHello();
        while (pipes.Read() is { } line)
            if (!RequestHandler.Handle(line, pipes, session)) return 0;
        return 0;
    }
}
