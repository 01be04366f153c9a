using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Commands;

/// <summary>Runs the command that the arguments name, and reports its errors.</summary>
internal static class CommandLine
{
    internal const int Same = 0;
    internal const int Different = 1;
    internal const int CannotRun = 2;

    private const string Usage =
        """
        torchsharp-trace reads the traces of PyTorch and TorchSharp models.

          torchsharp-trace diff A.jsonl B.jsonl [--rtol N] [--atol N] [--json OUT]
              Compare two traces, and report the first difference. Numbers x and y are
              equal if |x - y| <= atol + rtol * max(|x|, |y|). OUT may be -.
              Exit code 0: the traces agree. 1: they differ, or one is incomplete.
              2: they cannot be compared.

          torchsharp-trace show FILE [--path PATH]
              Print the calls of a trace as a tree: module, class, arguments, results.
              With --path, only the calls of a module and of everything inside it.

          torchsharp-trace doctor [PATH]
              Tell which TorchSharp, native libraries and recorder an assembly or a
              folder has, and what is missing. PATH is the current folder by default.
              Exit code 0: models can run and be recorded. 1: something is missing.

        """;

    internal static int Run(ReadOnlySpan<string> args, TextWriter output, TextWriter errors)
    {
        try
        {
            switch (args)
            {
                case ["diff", ..]: return DiffCommand.Run(args[1..], output);
                case ["show", ..]: return ShowCommand.Run(args[1..], output, errors);
                case ["doctor", ..]: return DoctorCommand.Run(args[1..], output);
                case ["--version"]:
                    output.WriteLine(typeof(CommandLine).Assembly.GetName().Version!.ToString(3));
                    return Same;
                case ["--help" or "-h" or "help"]:
                    output.Write(Usage);
                    return Same;
                case []: throw new UsageException("a command is expected: diff, show or doctor.");
                default: throw new UsageException($"the command '{args[0]}' is unknown: use diff, show or doctor.");
            }
        }
        catch (Exception error) when (error is TraceFileException or UsageException)
        {
            errors.WriteLine($"cannot run: {error.Message}");
            if (error is UsageException) errors.WriteLine("torchsharp-trace --help lists commands and options.");
            return CannotRun;
        }
    }
}
