namespace Bridge.Trace.Tool.Reading;

/// <summary>Names the kinds of errors in trace files. The names are those of the exceptions in Python.</summary>
internal enum TraceFileError
{
    /// <summary>The file cannot be opened or read.</summary>
    TraceFileError,

    /// <summary>The file ends before its footer.</summary>
    TraceCutOffError,

    /// <summary>The first line is not the header of a trace file.</summary>
    NotATraceError,

    /// <summary>A line is not a JSON object.</summary>
    NotJsonError,

    /// <summary>The file has another schema version.</summary>
    SchemaVersionError,

    /// <summary>A field has a value of the wrong type, or an invalid value.</summary>
    FieldTypeError,

    /// <summary>A field is missing.</summary>
    MissingFieldError,

    /// <summary>A field is not in the schema.</summary>
    UnknownFieldError,

    /// <summary>A field occurs twice in one object.</summary>
    DuplicateFieldError,

    /// <summary>A line exceeds the maximum length.</summary>
    LineTooLongError,

    /// <summary>The events do not match the footer, or data follows the footer.</summary>
    DamagedTraceError,

    /// <summary>The file of values cannot be read, or does not fit the trace.</summary>
    TraceValuesError,
}

/// <summary>Reports a trace file that cannot be read. The message names the file and, if applicable, the line and the field.</summary>
/// <param name="error">The kind of error.</param>
/// <param name="path">The file.</param>
/// <param name="message">The problem.</param>
/// <param name="line">The number of the line, from 1; null if the error does not concern one line.</param>
/// <param name="field">The field; null if the error does not concern one field.</param>
internal sealed class TraceFileException(TraceFileError error, string path, string message, int? line = null, string? field = null)
    : Exception($"{path}{(line is null ? "" : $", line {line}")}{(field is null ? "" : $", field '{field}'")}: {message}")
{
    internal TraceFileError Error => error;

    internal string Path => path;

    internal int? Line => line;

    internal string? Field { get; } = field;
}
