namespace Bridge.Trace.Tool.Commands;

/// <summary>Reports arguments that a command does not accept.</summary>
internal sealed class UsageException(string message) : Exception(message);
