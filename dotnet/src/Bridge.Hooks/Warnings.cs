namespace Bridge.Hooks;

/// <summary>A warning that an always-called hook threw an exception while another exception was propagating .</summary>
/// <param name="Message">The text for the user.</param>
/// <param name="Module">The module whose call failed.</param>
/// <param name="Silenced">The exception that the hook threw.</param>
public sealed record HookWarning(string Message, object Module, Exception Silenced);

/// <summary>Passes each <see cref="HookWarning"/> to the subscribers; if there are none, writes it to standard error.</summary>
public static class HookWarnings
{
    /// <summary>
    /// Occurs on the thread of the failing call. An exception that a subscriber throws replaces the propagating one, like a warning
    /// that is turned into an error in PyTorch.
    /// </summary>
    public static event Action<HookWarning>? Raised;

    internal static void RaiseSilenced(object module, bool global, Exception silenced)
    {
        var who = global ? "global module forward hook" : "module forward hook";
        var warning = new HookWarning(
            $"{who} with ``always_call=True`` failed on {module.GetType()} while another exception was propagating, "
                + $"and was silenced: {silenced.GetType()}: {MessageOf(silenced)}",
            module,
            silenced);
        if (Raised is { } raised)
        {
            raised(warning);
        }
        else
        {
            Console.Error.WriteLine($"warning: {warning.Message}");
        }
    }

    // Message is virtual: an exception of a user's override must not replace the propagating exception.
    private static string MessageOf(Exception silenced)
    {
        try
        {
            return silenced.Message;
        }
        catch (Exception exception) when (!InterruptCheck.IsInterrupt(exception))
        {
            return $"(its message cannot be read: {exception.GetType()})";
        }
    }
}
