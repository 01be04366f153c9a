namespace Bridge.Hooks.Tests;

public class WarningsTests
{
    [Fact]
    public void A6_a_warning_without_subscribers_is_written_to_standard_error()
    {
        var module = new Probe { Body = _ => throw new Failure("original") };
        module.Post("raises", () => throw new Failure("inner"), alwaysCall: true);
        var before = Console.Error;
        using var text = new StringWriter();
        Console.SetError(text);
        try
        {
            Assert.Equal("original", Assert.Throws<Failure>(() => module.Call(1)).Message);
        }
        finally
        {
            Console.SetError(before);
        }

        Assert.Contains("silenced", text.ToString());
        Assert.Contains("inner", text.ToString());
        Assert.Contains(typeof(Probe).FullName!, text.ToString());
    }

    [Fact]
    public void A6_an_exception_of_a_subscriber_replaces_the_original_one()
    {
        var module = new Probe { Body = _ => throw new Failure("original") };
        module.Post("raises", () => throw new Failure("inner"), alwaysCall: true);
        Action<HookWarning> strict = warning => throw new InvalidOperationException(warning.Message);
        HookWarnings.Raised += strict;
        try
        {
            Assert.Contains("inner", Assert.Throws<InvalidOperationException>(() => module.Call(1)).Message);
        }
        finally
        {
            HookWarnings.Raised -= strict;
        }
    }
}
