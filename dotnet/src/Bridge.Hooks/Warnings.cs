namespace Bridge.Hooks;

/// <summary>An exception that an always-called hook threw while another one was on its way .</summary>
/// <param name="Message">What to tell the user.</param>
/// <param name="Module">The module whose call failed.</param>
/// <param name="Silenced">The exception that was swallowed.</param>
public sealed record HookWarning(string Message, object Module, Exception Silenced);

/// <summary>Where the warnings of A-6 go: to the subscribers, or to standard error when there are none.</summary>
public static class HookWarnings
{
    /// <summary>
    /// Called on the thread of the failing call. A subscriber that throws replaces the exception on its way, as warnings that
    /// were turned into errors do in PyTorch.
    /// </summary>
    public static event Action<HookWarning>? Raised;

    internal static void Silence(object module, bool global, Exception silenced)
    {
        var who = global ? "global module forward hook" : "module forward hook";
        var warning = new HookWarning(
            $"{who} with ``always_call=True`` failed on {module.GetType()} while another exception was on its way, "
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

    // A property of a user's exception may throw. What it throws must not replace the exception on its way.
    private static string MessageOf(Exception silenced)
    {
        try
        {
            return silenced.Message;
        }
        catch (Exception exception) when (!Interrupts.Carries(exception))
        {
            return $"(its message cannot be read: {exception.GetType()})";
        }
    }
}
