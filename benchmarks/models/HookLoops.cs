using System.Diagnostics;
using System.Runtime.CompilerServices;
using TorchSharp;
using static TorchSharp.torch;

namespace BenchmarkModels;

/// <summary>What hooks cost inside .NET, on a module that computes nothing.</summary>
public static class HookLoops
{
    /// <summary>Nanoseconds of one <c>call</c> with that many pairs of a pre and a forward hook, each of which records its event.</summary>
    public static double Pairs(int pairs, int calls)
    {
        var module = new Same();
        var events = new List<(int Hook, object Arguments, object? Result)>(2 * pairs * calls);
        for (var i = 0; i < pairs; i++)
        {
            var number = i;
            module.register_forward_pre_hook((_, input) =>
            {
                events.Add((number, input, null));
                return null!;
            });
            module.register_forward_hook((_, input, output) =>
            {
                events.Add((number, input, output));
                return null!;
            });
        }

        return Median(() =>
        {
            events.Clear();
            return Timed(module, calls);
        });
    }

    /// <summary>Nanoseconds of one <c>call</c> without hooks.</summary>
    public static double Bare(int calls)
    {
        var module = new Same();
        return Median(() => Timed(module, calls));
    }

    /// <summary>Nanoseconds of one virtual call of <c>forward</c>.</summary>
    public static double Forward(int calls)
    {
        var module = new Same();
        return Median(() => TimedForward(module, calls));
    }

    private static double Median(Func<double> measure)
    {
        for (var i = 0; i < 30; i++) measure();
        Thread.Sleep(200); // what became hot is compiled in the background
        var found = Enumerable.Range(0, 9).Select(_ => measure()).Order().ToArray();
        return found[found.Length / 2];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Timed(nn.Module<object, object> module, int calls)
    {
        object value = 1;
        var start = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls; i++) value = module.call(value);
        GC.KeepAlive(value);
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / calls;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double TimedForward(nn.Module<object, object> module, int calls)
    {
        object value = 1;
        var start = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls; i++) value = module.forward(value);
        GC.KeepAlive(value);
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / calls;
    }

    private sealed class Same : nn.Module<object, object>
    {
        public Same() : base(nameof(Same)) { }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public override object forward(object input) => input;
    }
}
