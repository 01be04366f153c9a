using System.Diagnostics;
using Bridge.Hooks;

namespace BenchmarkModels;

/// <summary>Loops that are timed inside .NET.</summary>
public static class Loops
{
    /// <summary>Nanoseconds for one event: the arguments or the result of a call, its share of beginning the call included.</summary>
    /// <param name="calls">Calls, of two events each.</param>
    /// <param name="tensor">Each event has one tensor of four dimensions.</param>
    public static double Record(int calls, bool tensor)
    {
        using var buffer = new TraceBuffer();
        long[] sizes = [1, 3, 224, 224];
        for (var round = 0; round < 3; round++) Run();
        buffer.Clear();
        var start = Stopwatch.GetTimestamp();
        Run();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / calls / 2;

        void Run()
        {
            buffer.Clear();
            for (var i = 0; i < calls; i++)
            {
                var call = buffer.BeginCall(7, 0);
                buffer.Event(call, TracePhase.Pre);
                if (tensor) buffer.AddTensor(6, 0, -1, sizes);
                buffer.Event(call, TracePhase.Forward);
                if (tensor) buffer.AddTensor(6, 0, -1, sizes);
            }
        }
    }

    /// <summary>Nanoseconds for one call of a delegate that Python made.</summary>
    public static double Call(Func<object, object[], object> function, int calls)
    {
        object[] arguments = [1];
        for (var i = 0; i < 100_000; i++) function(calls, arguments);
        var start = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls; i++) function(calls, arguments);
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / calls;
    }
}
