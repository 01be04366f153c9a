using System.Diagnostics;
using System.Runtime.CompilerServices;
using static TorchSharp.torch;

namespace BenchmarkModels;

/// <summary>What hooks cost inside .NET, on a module that computes nothing.</summary>
public sealed class HookLoops
{
    private readonly Same _module = new();
    private readonly List<(int Hook, object Arguments, object? Result)> _events = [];

    /// <summary>With that many pairs of a pre and a forward hook, each of which records its event.</summary>
    public HookLoops(int pairs)
    {
        for (var i = 0; i < pairs; i++)
        {
            var number = i;
            _module.register_forward_pre_hook((_, input) =>
            {
                _events.Add((number, input, null));
                return null!;
            });
            _module.register_forward_hook((_, input, output) =>
            {
                _events.Add((number, input, output));
                return null!;
            });
        }
    }

    /// <summary>Nanoseconds of one <c>call</c>.</summary>
    public double Call(int calls)
    {
        _events.Clear();
        return Calls(_module, calls);
    }

    /// <summary>Nanoseconds of one virtual call of <c>forward</c>.</summary>
    public double Forward(int calls) => Forwards(_module, calls);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Calls(nn.Module<object, object> module, int calls)
    {
        object value = 1;
        var start = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls; i++) value = module.call(value);
        GC.KeepAlive(value);
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / calls;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Forwards(nn.Module<object, object> module, int calls)
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
