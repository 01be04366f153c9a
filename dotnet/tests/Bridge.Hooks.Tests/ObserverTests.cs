namespace Bridge.Hooks.Tests;

public class ObserverTests
{
    private readonly Probe _module = new();
    private readonly Observer _observer;

    public ObserverTests() => _observer = new Observer(_module.Log);

    private string Run()
    {
        Dispatcher.CallHooked(_module, 1, _observer);
        return _module.Drain();
    }

    private string RunAndCatch()
    {
        Assert.Throws<Failure>(() => Dispatcher.CallHooked(_module, 1, _observer));
        return _module.Drain();
    }

    [Fact]
    public void O1_an_observer_gets_the_values_of_the_last_global_hook()
    {
        using var pre = GlobalHooks.Pre.Add((object _, ref object?[] args) => args = [5]);
        using var post = GlobalHooks.Forward.Add((object _, in object?[] _, ref object? output) => output += "g");
        _module.Hooks.Pre.Add((object _, ref int args) => args *= 2);
        _module.Hooks.Forward.Add((object _, in int _, ref string output) => output += "m");
        _module.Post("f");

        Assert.Equal("entered#0(5) m.forward(10) computed#0(11g) f(10,11gm) left#0", Run());
        Assert.Equal("entered#1(5) m.forward(10) computed#1(11g) f(10,11gm) left#1", Run());
    }

    [Fact]
    public void C5_an_observed_call_is_hooked()
    {
        _module.Body = _ =>
        {
            _module.Post("late");
            return "r";
        };

        Assert.Equal("entered#0(1) m.forward(1) computed#0(r) late(1,r) left#0", Run());
    }

    [Fact]
    public void A3_Left_is_called_once_after_the_always_called_hooks()
    {
        _module.Post("always", alwaysCall: true);
        using (_module.GlobalPre("g", () => throw new Failure("before it")))
        {
            Assert.Equal("g(1) always(1,null)", RunAndCatch());
        }

        using (_module.Pre("p", () => throw new Failure("in a pre hook")))
        {
            Assert.Equal("entered#0(1) p(1) always(1,null) left#0", RunAndCatch());
        }

        using (_module.Post("f", () => throw new Failure("in a forward hook"), prepend: true))
        {
            Assert.Equal("entered#1(1) m.forward(1) computed#1(2) f(1,2) always(1,2) left#1", RunAndCatch());
        }

        _module.Body = _ => throw new Failure("in forward");
        Assert.Equal("entered#2(1) m.forward(1) always(1,null) left#2", RunAndCatch());
    }

    [Fact]
    public void A4_Left_is_called_when_an_interrupt_ends_the_recovery()
    {
        _module.Body = _ => throw new Failure("original");
        _module.Post("always", () => throw new Interrupt(), alwaysCall: true);

        Assert.Throws<Interrupt>(() => Dispatcher.CallHooked(_module, 1, _observer));
        Assert.Equal("entered#0(1) m.forward(1) always(1,null) left#0", _module.Drain());
    }

    private sealed class Observer(List<string> log) : ICallObserver<int, string>
    {
        private int _calls;

        public int Entered(in int args)
        {
            log.Add($"entered#{_calls}({args})");
            return _calls++;
        }

        public void Computed(int call, in string output) => log.Add($"computed#{call}({output})");

        public void Left(int call) => log.Add($"left#{call}");
    }
}
