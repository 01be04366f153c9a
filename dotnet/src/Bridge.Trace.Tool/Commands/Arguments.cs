using System.Globalization;

namespace Bridge.Trace.Tool.Commands;

/// <summary>Contains the arguments of a command: its files and the values of its options.</summary>
internal sealed class Arguments
{
    private readonly Dictionary<string, string> _options = new(StringComparer.Ordinal);

    /// <param name="command">The command, for messages.</param>
    /// <param name="args">The arguments after the command.</param>
    /// <param name="options">The options of the command, each of which takes a value.</param>
    /// <exception cref="UsageException">An option is unknown, repeated or has no value.</exception>
    internal Arguments(string command, ReadOnlySpan<string> args, params string[] options)
    {
        for (var k = 0; k < args.Length; k++)
        {
            if (args[k] == "-" || !args[k].StartsWith('-'))
            {
                Files.Add(args[k]);
                continue;
            }

            var equals = args[k].IndexOf('=', StringComparison.Ordinal);
            var name = equals < 0 ? args[k] : args[k][..equals];
            if (!options.Contains(name)) throw Unknown(command, name, options);
            if (equals < 0 && k + 1 == args.Length) throw new UsageException($"{name} needs a value.");
            var value = equals < 0 ? args[++k] : args[k][(equals + 1)..];
            if (!_options.TryAdd(name, value)) throw new UsageException($"{name} is given twice.");
        }
    }

    /// <summary>Gets the arguments that are not options.</summary>
    internal List<string> Files { get; } = [];

    internal string? Get(string option) => _options.GetValueOrDefault(option);

    /// <summary>Returns a finite number of at least 0; 0 if the option is not given.</summary>
    /// <exception cref="UsageException">The value is not valid.</exception>
    internal double Tolerance(string option)
    {
        if (Get(option) is not { } text) return 0;
        var isNumber = double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var number);
        if (isNumber && double.IsFinite(number) && number >= 0) return number;
        throw new UsageException($"{option} must be a finite number of at least 0, not '{text}'.");
    }

    private static UsageException Unknown(string command, string name, string[] options)
    {
        var known = options.Length > 0 ? $" It has {string.Join(", ", options)}." : "";
        var python = command == "diff" && name == "--html" ? " python -m bridge diff, of torchsharp-bridge in Python, has it." : "";
        return new($"{command} has no option {name}.{known}{python}");
    }
}
