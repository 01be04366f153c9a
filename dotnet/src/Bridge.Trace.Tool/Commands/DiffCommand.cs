using System.Text;
using Bridge.Hooks;
using Bridge.Trace.Tool.Comparison;
using Bridge.Trace.Tool.Printing;
using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Commands;

/// <summary>Compares two trace files, and reports the first difference in structure and in values.</summary>
internal static class DiffCommand
{
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false);

    /// <exception cref="TraceFileException">A file cannot be read.</exception>
    /// <exception cref="UsageException">The arguments are invalid.</exception>
    internal static int Run(ReadOnlySpan<string> args, TextWriter output)
    {
        var arguments = new Arguments("diff", args, "--rtol", "--atol", "--json");
        if (arguments.Files is not [var a, var b])
            throw new UsageException("diff compares two files: torchsharp-trace diff A.jsonl B.jsonl");
        var allowed = new Tolerance(arguments.Tolerance("--rtol"), arguments.Tolerance("--atol"));
        var json = arguments.Get("--json");
        if (json is not (null or "-")) CheckOutput(json, a, b, ElementsFile.Beside(a), ElementsFile.Beside(b));
        try
        {
            var diff = TraceComparer.CompareFiles(a, b, allowed);
            if (json is not null) Write(json, DiffJson.Write(diff), output);
            if (json == "-") return diff.Same ? CommandLine.Same : CommandLine.Different;
            foreach (var note in diff.Notes) output.WriteLine(PythonText.Printable(note));
            foreach (var line in DiffWords.Explain(diff).Split('\n')) output.WriteLine(PythonText.Printable(line));
            return diff.Same ? CommandLine.Same : CommandLine.Different;
        }
        catch (TraceFileException error) when (json is not null)
        {
            Write(json, DiffJson.Write(error), output);
            throw;
        }
    }

    private static void CheckOutput(string json, params string[] inputs)
    {
        if (inputs.Any(input => File.Exists(input) && Path.GetFullPath(input) == Path.GetFullPath(json)))
            throw new UsageException($"{json} is an input and would be overwritten: write to another file.");
    }

    private static void Write(string path, string text, TextWriter output)
    {
        if (path == "-")
        {
            output.Write(text);
            return;
        }

        try
        {
            using var file = new AtomicFile(path);
            file.Stream.Write(Utf8.GetBytes(text));
            file.Commit();
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new UsageException($"{path} cannot be written ({error.Message})");
        }
    }
}
