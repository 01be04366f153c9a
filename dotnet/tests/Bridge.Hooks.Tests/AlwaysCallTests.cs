namespace Bridge.Hooks.Tests;

/// <summary>Exceptions that propagate through a call: A-1 … .</summary>
public sealed class AlwaysCallTests : IDisposable
{
    private readonly Probe _module = new();
    private readonly List<HookWarning> _warnings = [];

    public AlwaysCallTests() => HookWarnings.Raised += _warnings.Add;

    public void Dispose()
    {
        HookWarnings.Raised -= _warnings.Add;
        Assert.True(GlobalHooks.IsEmpty);
    }

    private static Failure Failing(string message = "original") => new(message);

    private string RunAndCatch<T>(out T caught)
        where T : Exception
    {
        caught = Assert.Throws<T>(() => _module.Call(1));
        return _module.Drain();
    }

    private string RunAndCatch()
    {
        var log = RunAndCatch<Failure>(out var caught);
        Assert.Equal("original", caught.Message);
        return log;
    }

    [Fact]
    public void A2_without_an_exception_an_always_called_hook_runs_once_in_its_turn()
    {
        _module.Post("a");
        _module.Post("always", alwaysCall: true);
        _module.Post("b");

        Assert.Equal("2", _module.Call(1));
        Assert.Equal("m.forward(1) a(1,2) always(1,2) b(1,2)", _module.Drain());
    }

    [Fact]
    public void A2_a_hook_that_ran_or_threw_before_is_not_run_again()
    {
        using var g = _module.GlobalPost("g", alwaysCall: true);
        _module.Post("ran", alwaysCall: true);
        _module.Post("raises", () => throw Failing(), alwaysCall: true);
        _module.Post("next", alwaysCall: true);

        Assert.Equal("m.forward(1) g(1,2) ran(1,2) raises(1,2) next(1,2)", RunAndCatch());
        Assert.Empty(_warnings);
    }

    [Fact]
    public void A3_global_then_module_always_called_hooks_run_when_forward_throws()
    {
        _module.Body = _ => throw Failing();
        _module.Post("a", alwaysCall: true);
        _module.Post("not");
        _module.Post("first", alwaysCall: true, prepend: true);
        using var g1 = _module.GlobalPost("g1", alwaysCall: true);
        using var g2 = _module.GlobalPost("gnot");
        using var g3 = _module.GlobalPost("g3", alwaysCall: true);

        Assert.Equal("m.forward(1) g1(1,null) g3(1,null) first(1,null) a(1,null)", RunAndCatch());
    }

    [Fact]
    public void A3_X2_an_exception_of_a_pre_hook_ends_the_call_and_runs_them()
    {
        _module.Pre("raises", () => throw Failing());
        _module.Pre("later");
        _module.Post("not");
        _module.Post("always", alwaysCall: true);

        Assert.Equal("raises(1) always(1,null)", RunAndCatch());
        Assert.Equal((2, 2), (_module.Hooks.Pre.Count, _module.Hooks.Forward.Count));
    }

    [Fact]
    public void A3_X3_an_exception_of_a_forward_hook_skips_later_hooks_and_runs_the_always_called_ones()
    {
        _module.Post("a");
        _module.Post("raises", () => throw Failing());
        _module.Post("not");
        _module.Post("always", alwaysCall: true);

        Assert.Equal("m.forward(1) a(1,2) raises(1,2) always(1,2)", RunAndCatch());
    }

    [Fact]
    public void A3_an_exception_of_a_global_hook_runs_the_modules_always_called_hooks()
    {
        using var g1 = _module.GlobalPost("g1", () => throw Failing(), alwaysCall: true);
        using var g2 = _module.GlobalPost("g2", alwaysCall: true);
        _module.Post("always", alwaysCall: true);

        Assert.Equal("m.forward(1) g1(1,2) g2(1,2) always(1,2)", RunAndCatch());
    }

    [Fact]
    public void A3_the_caller_gets_the_original_exception_with_its_stack_trace()
    {
        var original = Failing();
        _module.Body = _ => ThrowFrom(original);
        _module.Post("always", alwaysCall: true);
        RunAndCatch<Failure>(out var caught);

        Assert.Same(original, caught);
        Assert.Contains(nameof(ThrowFrom), caught.StackTrace);

        static string ThrowFrom(Exception exception) => throw exception;
    }

    [Fact]
    public void A4_an_interrupt_propagates_without_running_them()
    {
        _module.Body = _ => throw new Interrupt();
        _module.Post("always", alwaysCall: true);
        using var g = _module.GlobalPost("g", alwaysCall: true);

        Assert.Equal("m.forward(1)", RunAndCatch<Interrupt>(out _));
    }

    [Fact]
    public void A4_A6_an_interrupt_of_an_always_called_hook_is_not_silenced()
    {
        _module.Body = _ => throw Failing();
        _module.Post("interrupts", () => throw new Interrupt(), alwaysCall: true);
        _module.Post("not", alwaysCall: true);

        Assert.Equal("m.forward(1) interrupts(1,null)", RunAndCatch<Interrupt>(out _));
        Assert.Empty(_warnings);
    }

    [Fact]
    public void A5_they_get_the_arguments_of_the_pre_hooks_that_returned()
    {
        _module.Hooks.Pre.Add((object _, ref int args) => args = 5);
        _module.Hooks.Pre.Add((object _, ref int args) =>
        {
            args = 99;
            throw Failing();
        });
        _module.Post("always", alwaysCall: true);

        Assert.Equal("always(5,null)", RunAndCatch());
    }

    [Fact]
    public void A5_they_get_the_result_of_the_hooks_that_returned()
    {
        _module.Hooks.Forward.Add((object _, in int _, ref string output) => output += "+");
        _module.Hooks.Forward.Add((object _, in int _, ref string output) =>
        {
            output = "half";
            throw Failing();
        });
        _module.Post("always", alwaysCall: true);

        Assert.Equal("m.forward(1) always(1,2+)", RunAndCatch());
    }

    [Fact]
    public void A5_a_replacement_reaches_later_always_called_hooks_and_is_then_lost()
    {
        _module.Body = _ => throw Failing();
        using var g = GlobalHooks.Forward.Add((object _, in object?[] _, ref object? output) => output = "g", alwaysCall: true);
        _module.Hooks.Forward.Add((object _, in int _, ref string output) => output += "h", alwaysCall: true);
        _module.Post("always", alwaysCall: true);

        Assert.Equal("m.forward(1) always(1,gh)", RunAndCatch());
    }

    [Fact]
    public void A6_their_exceptions_become_warnings_and_the_next_hook_runs()
    {
        _module.Body = _ => throw Failing();
        using var g = _module.GlobalPost("g", () => throw Failing("from g"), alwaysCall: true);
        _module.Post("raises", () => throw Failing("from hook"), alwaysCall: true);
        _module.Post("next", alwaysCall: true);

        Assert.Equal("m.forward(1) g(1,null) raises(1,null) next(1,null)", RunAndCatch());
        Assert.Equal(["from g", "from hook"], _warnings.Select(w => w.Silenced.Message));
        Assert.StartsWith("global module forward hook with ``always_call=True``", _warnings[0].Message);
        Assert.StartsWith("module forward hook with ``always_call=True``", _warnings[1].Message);
        Assert.All(_warnings, w => Assert.Contains("silenced", w.Message));
        Assert.All(_warnings, w => Assert.Same(_module, w.Module));
    }

    [Fact]
    public void A4_an_interrupt_that_dotnet_has_wrapped_is_an_interrupt()
    {
        Exception[] wrapped =
        [
            new AggregateException(new Interrupt()),
            new AggregateException(new AggregateException(Failing(), new Interrupt())),
            new System.Reflection.TargetInvocationException(new AggregateException(new Interrupt())),
            new TypeInitializationException("Some.Type", new Interrupt()),
        ];
        using var g = _module.GlobalPost("g", alwaysCall: true);
        _module.Post("always", alwaysCall: true);

        foreach (var exception in wrapped)
        {
            _module.Body = _ => throw exception;
            Assert.Same(exception, Assert.ThrowsAny<Exception>(() => _module.Call(1)));
            Assert.Equal("m.forward(1)", _module.Drain());
        }
    }

    [Fact]
    public void A4_an_interrupt_of_a_task_ends_the_recovery()
    {
        _module.Body = _ => throw Failing();
        _module.Post("waits", () => Task.Run(() => throw new Interrupt()).Wait(), alwaysCall: true);
        _module.Post("next", alwaysCall: true);

        Assert.Equal("m.forward(1) waits(1,null)", RunAndCatch<AggregateException>(out _));
        Assert.Empty(_warnings);
    }

    [Fact]
    public void A3_a_wrapped_error_and_a_replaced_interrupt_are_errors()
    {
        _module.Post("always", alwaysCall: true);
        Exception[] errors = [new AggregateException(Failing()), new InvalidOperationException("replaced", new Interrupt())];
        foreach (var exception in errors)
        {
            _module.Body = _ => throw exception;
            Assert.Same(exception, Assert.ThrowsAny<Exception>(() => _module.Call(1)));
            Assert.Equal("m.forward(1) always(1,null)", _module.Drain());
        }
    }

    [Fact]
    public void A6_an_exception_whose_message_throws_is_silenced()
    {
        _module.Body = _ => throw Failing();
        using var g = _module.GlobalPost("g", () => throw new Unreadable(), alwaysCall: true);
        _module.Post("raises", () => throw new Unreadable(), alwaysCall: true);
        _module.Post("next", alwaysCall: true);

        Assert.Equal("m.forward(1) g(1,null) raises(1,null) next(1,null)", RunAndCatch());
        Assert.Equal(2, _warnings.Count);
        var expected = $"{typeof(Unreadable)}: (its message cannot be read: {typeof(NotSupportedException)})";
        Assert.All(_warnings, w => Assert.EndsWith(expected, w.Message));
    }

    [Fact]
    public void A8_changing_the_hooks_in_the_recovery_keeps_the_original_exception()
    {
        _module.Body = _ => throw Failing();
        HookHandle? removed = null;
        _module.Post("writes", () =>
        {
            removed!.remove();
            _module.Post("new", alwaysCall: true);
        }, alwaysCall: true);
        removed = _module.Post("removed", alwaysCall: true);

        Assert.Equal("m.forward(1) writes(1,null) removed(1,null)", RunAndCatch());
        Assert.Empty(_warnings);
    }

    [Fact]
    public void D3_the_recovery_reads_the_hooks_when_the_exception_comes()
    {
        var gone = _module.Post("gone", alwaysCall: true);
        _module.Body = _ =>
        {
            gone.remove();
            _module.Post("new", alwaysCall: true);
            throw Failing();
        };

        Assert.Equal("m.forward(1) new(1,null)", RunAndCatch());
    }

    [Fact]
    public void D3_a_module_hook_registered_by_a_global_one_runs_in_the_same_recovery()
    {
        _module.Body = _ => throw Failing();
        using var g = _module.GlobalPost("g", () => _module.Post("new", alwaysCall: true), alwaysCall: true);

        Assert.Equal("m.forward(1) g(1,null) new(1,null)", RunAndCatch());
    }

    [Fact]
    public void A3_they_do_not_run_for_an_exception_that_forward_catches()
    {
        _module.Body = _ =>
        {
            try
            {
                try
                {
                    throw new NotSupportedException("replaced before it is caught");
                }
                finally
                {
                    ThrowAnother();
                }
            }
            catch (Failure second)
            {
                return second.Message;
            }
        };
        _module.Post("always", () => _module.Post("new", alwaysCall: true), alwaysCall: true);

        Assert.Equal("second", _module.Call(1));
        Assert.Equal("m.forward(1) always(1,second)", _module.Drain());

        static void ThrowAnother() => throw Failing("second");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A4_the_exception_that_leaves_the_call_decides(bool error)
    {
        _module.Body = _ =>
        {
            try
            {
                throw error ? new Interrupt() : Failing("first");
            }
            finally
            {
                Replace(error ? Failing() : new Interrupt());
            }
        };
        _module.Post("always", alwaysCall: true);

        Assert.Equal(error ? "m.forward(1) always(1,null)" : "m.forward(1)", error ? RunAndCatch() : RunAndCatch<Interrupt>(out _));

        static void Replace(Exception exception) => throw exception;
    }

    [Fact]
    public void A9_inner_modules_recover_first()
    {
        var outer = new Probe("outer", _module.Log) { Body = x => _module.Call(x) };
        outer.Post("outer.always", alwaysCall: true);
        _module.Post("inner.always", alwaysCall: true);
        _module.Body = _ => throw Failing();

        Assert.Throws<Failure>(() => outer.Call(1));
        Assert.Equal("outer.forward(1) m.forward(1) inner.always(1,null) outer.always(1,null)", _module.Drain());
    }

    [Fact]
    public void A10_a_call_on_the_fast_path_has_no_recovery()
    {
        _module.Body = _ =>
        {
            if (_module.Hooks.IsEmpty)
            {
                _module.Post("always", alwaysCall: true);
            }

            throw Failing();
        };

        Assert.Equal("m.forward(1)", RunAndCatch());
        Assert.Equal("m.forward(1) always(1,null)", RunAndCatch());
    }

    [Fact]
    public void A11_no_forward_hook_runs_without_always_call_when_forward_throws()
    {
        _module.Body = _ => throw Failing();
        _module.Post("f");
        using var g = _module.GlobalPost("g");

        Assert.Equal("m.forward(1)", RunAndCatch());
    }
}
