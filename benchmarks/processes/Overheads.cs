using Bridge.TorchSharp;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace BenchmarkModels;

/// <summary>
/// What bench_recorder.py runs in the process of TorchSharp: calls of a model as it is, and with a recording or a registry, in turn.
/// </summary>
public sealed class Overheads : nn.Module<Tensor, Tensor>
{
    private const int Layers = 100;
    // For the compiler, which waits until no new methods have run for a tenth of a second.
    private const int WarmUps = 200;
    private const int Pause = 50;

    public Overheads() : base(nameof(Overheads)) { }

    /// <summary>
    /// Returns for each element of <paramref name="rounds"/> the nanoseconds of a module's call without and with a recording, for modules
    /// that do nothing, then the same for an MLP of width 64 and batch 16. With a registry if the elements are not zero. On one thread,
    /// whose time is taken.
    /// </summary>
    public override Tensor forward(Tensor rounds)
    {
        set_num_threads(1);
        var file = Path.GetTempFileName();
        Func<Chain, IDisposable> attach =
            rounds[0].item<float>() == 0 ? model => HookTrace.Record(model, file) : HookRegistry.Attach;
        var found = new double[4 * rounds.numel()];
        Measure(new Chain(() => new Nothing()), ones(8), 40, attach, found, 0);
        Measure(new Chain(() => nn.Linear(64, 64)), ones(16, 64), 4, attach, found, 2);
        File.Delete(file);
        return tensor(found).reshape(-1, 4);
    }

    private static void Measure(Chain model, Tensor x, int calls, Func<Chain, IDisposable> attach, double[] found, int column)
    {
        for (var round = -WarmUps; round < found.Length / 4; round++)
        {
            if (round < 0 && round % Pause == 0) Thread.Sleep(300);
            var at = (4 * Math.Max(round, 0)) + column;
            if (round % 2 == 0) found[at] = Time(model, x, calls);
            using (attach(model)) found[at + 1] = Time(model, x, calls);
            if (round % 2 != 0) found[at] = Time(model, x, calls);
        }
    }

    private static double Time(Chain model, Tensor x, int calls)
    {
        Call(model, x);
        var begun = Clock.Processor();
        for (var i = 0; i < calls; i++) Call(model, x);
        return (Clock.Processor() - begun) / calls / Layers;
    }

    private static void Call(Chain model, Tensor x)
    {
        using var scope = NewDisposeScope();
        model.call(x);
    }

    private sealed class Chain : nn.Module<Tensor, Tensor>
    {
        private readonly nn.Module<Tensor, Tensor>[] _layers = new nn.Module<Tensor, Tensor>[Layers];

        public Chain(Func<nn.Module<Tensor, Tensor>> layer) : base(nameof(Chain))
        {
            for (var i = 0; i < Layers; i++) register_module($"{i}", _layers[i] = layer());
        }

        public override Tensor forward(Tensor x)
        {
            foreach (var layer in _layers) x = layer.call(x);
            return x;
        }
    }

    private sealed class Nothing : nn.Module<Tensor, Tensor>
    {
        public Nothing() : base(nameof(Nothing)) { }

        public override Tensor forward(Tensor x) => x;
    }
}
