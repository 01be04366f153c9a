using Bridge.Trace.Tool.Inspection;
using Bridge.Trace.Tool.Printing;

namespace Bridge.Trace.Tool.Commands;

/// <summary>Checks whether the models of a program or an assembly can run and be recorded.</summary>
internal static class DoctorCommand
{
    private const int Width = 80;
    private const int NameWidth = 17;

    /// <exception cref="UsageException">The arguments are invalid.</exception>
    internal static int Run(ReadOnlySpan<string> args, TextWriter output)
    {
        var arguments = new Arguments("doctor", args);
        if (arguments.Files.Count > 1) throw new UsageException("doctor checks one assembly or folder: torchsharp-trace doctor PATH");
        var path = arguments.Files.FirstOrDefault(".");
        if (!File.Exists(path) && !Directory.Exists(path)) throw new UsageException($"{path} does not exist.");
        if (path.EndsWith("proj", StringComparison.OrdinalIgnoreCase))
            throw new UsageException($"{path} is a project: build it, and name the assembly or the folder with its output.");
        List<Check> checks = [.. new ProgramFolder(path).Checks()];
        foreach (var check in checks) Print(check, output);
        var ready = checks.TrueForAll(check => check.State != CheckState.Problem);
        output.WriteLine();
        output.WriteLine(ready ? "Ready." : "Not ready: fix each PROBLEM above.");
        return ready ? CommandLine.Same : CommandLine.Different;
    }

    private static void Print(Check check, TextWriter output)
    {
        var mark = check.State switch { CheckState.Ok => "ok", CheckState.Note => "note", _ => "PROBLEM" };
        var start = $"{mark,-7}  {check.Name,-NameWidth}  ";
        foreach (var words in new[] { check.Text, check.Fix.Length > 0 ? $"fix: {check.Fix}" : "" })
        {
            foreach (var line in Lines(PythonText.Printable(words), Width - start.Length))
            {
                output.WriteLine(start + line);
                start = new string(' ', start.Length);
            }
        }
    }

    // The words in lines of a limited length. A longer word, such as a path, has a line of its own.
    private static IEnumerable<string> Lines(string words, int width)
    {
        var line = "";
        foreach (var word in words.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > width)
            {
                yield return line;
                line = "";
            }

            line += line.Length > 0 ? $" {word}" : word;
        }

        if (line.Length > 0) yield return line;
    }
}
