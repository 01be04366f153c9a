using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>
/// The program that this assembly is when it is run and not tested: streams the calls of a model, one of which ends the process.
/// </summary>
public static class KilledProgram
{
    public static void Main(string[] args)
    {
        var model = new Parent(
            (parent, x) => parent.Children[1].call(parent.Children[0].call(x)),
            ("first", nn.Linear(4, 8)),
            ("last", new Given<Tensor, Tensor>(x =>
            {
                if (args[1] == "fail") Environment.FailFast("on purpose");
                System.Diagnostics.Process.GetCurrentProcess().Kill();
                Thread.Sleep(Timeout.Infinite);
                return x;
            })));
        using var trace = HookTrace.Record(model, args[0], new TraceOptions { Stream = true, Values = TraceValues.Digest });
        model.call(ones(3, 4));
    }
}
