using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>Models that <c>torch.export</c> wrote.</summary>
    public static class export
    {
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(ExportedProgram.Reason)]
        public static ExportedProgram load(string filename) => throw Stub.Error(ExportedProgram.Reason);

        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(ExportedProgram.Reason)]
        public static ExportedProgram<TResult> load<TResult>(string filename) => throw Stub.Error(ExportedProgram.Reason);
    }
}

/// <summary>A model that <c>torch.export</c> wrote. There are none here: <see cref="torch.export"/> refuses to load one.</summary>
public class ExportedProgram : IDisposable
{
    internal const string Reason =
        "libtorch's stable ABI has no loader of exported programs; load the file in Python by torch.export.load, or write it by "
        + "torch.jit.save and load it by torch.jit.load";

    private protected ExportedProgram() { }

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public torch.Tensor[] run(params torch.Tensor[] inputs) => throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public torch.Tensor[] forward(params torch.Tensor[] inputs) => throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public torch.Tensor[] call(params torch.Tensor[] inputs) => throw Stub.Error(Reason);

    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    protected virtual void Dispose(bool disposing) { }
}

/// <summary>A model that <c>torch.export</c> wrote, with results of one type. There are none here.</summary>
public class ExportedProgram<TResult> : ExportedProgram
{
    private protected ExportedProgram() { }

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public new TResult run(params torch.Tensor[] inputs) => throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public new TResult forward(params torch.Tensor[] inputs) => throw Stub.Error(Reason);

    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public new TResult call(params torch.Tensor[] inputs) => throw Stub.Error(Reason);
}
