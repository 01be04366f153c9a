using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>Models that <c>torch.export</c> wrote.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/export/api_reference.html">torch.export</see>.</remarks>
    public static class export
    {
        /// <summary>Always throws: a program that <c>torch.export</c> wrote cannot be loaded here.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/export/api_reference.html#torch.export.load">torch.export.load</see>.
        /// </remarks>
        /// <param name="filename">The file.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(ExportedProgram.Reason)]
        public static ExportedProgram load(string filename) => throw Stub.Error(ExportedProgram.Reason);

        /// <summary>Always throws: a program that <c>torch.export</c> wrote cannot be loaded here.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/export/api_reference.html#torch.export.load">torch.export.load</see>.
        /// </remarks>
        /// <param name="filename">The file.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(ExportedProgram.Reason)]
        public static ExportedProgram<TResult> load<TResult>(string filename) => throw Stub.Error(ExportedProgram.Reason);
    }
}

/// <summary>A model that <c>torch.export</c> wrote. There are none here: <see cref="torch.export"/> refuses to load one.</summary>
/// <remarks>
/// PyTorch:
/// <see href="https://docs.pytorch.org/docs/stable/export/api_reference.html#torch.export.ExportedProgram">
/// torch.export.ExportedProgram</see>.
/// </remarks>
public class ExportedProgram : IDisposable
{
    internal const string Reason =
        "libtorch's stable ABI has no loader of exported programs; load the file in Python by torch.export.load, or write the "
        + "model by torch.jit.save and load it by torch.jit.load";

    private protected ExportedProgram() { }

    /// <summary>Always throws: does not run the program.</summary>
    /// <param name="inputs">The arguments.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public torch.Tensor[] run(params torch.Tensor[] inputs) => throw Stub.Error(Reason);

    /// <summary>Always throws, as <see cref="run"/> does.</summary>
    /// <param name="inputs">The arguments.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public torch.Tensor[] forward(params torch.Tensor[] inputs) => throw Stub.Error(Reason);

    /// <summary>Always throws, as <see cref="run"/> does, and fires no hook.</summary>
    /// <param name="inputs">The arguments.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public torch.Tensor[] call(params torch.Tensor[] inputs) => throw Stub.Error(Reason);

    /// <summary>Does nothing, because an exported program holds no resources here.</summary>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Does nothing, whether called by <see cref="Dispose()"/> or not.</summary>
    /// <param name="disposing">Whether <see cref="Dispose()"/> was called.</param>
    protected virtual void Dispose(bool disposing) { }
}

/// <summary>A model that <c>torch.export</c> wrote, with results of one type. There are none here.</summary>
public class ExportedProgram<TResult> : ExportedProgram
{
    private protected ExportedProgram() { }

    /// <summary>Always throws: does not run the program.</summary>
    /// <param name="inputs">The arguments.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public new TResult run(params torch.Tensor[] inputs) => throw Stub.Error(Reason);

    /// <summary>Always throws, as this class's <see cref="run"/> does.</summary>
    /// <param name="inputs">The arguments.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public new TResult forward(params torch.Tensor[] inputs) => throw Stub.Error(Reason);

    /// <summary>Always throws, as this class's <see cref="run"/> does, and fires no hook.</summary>
    /// <param name="inputs">The arguments.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Reason)]
    public new TResult call(params torch.Tensor[] inputs) => throw Stub.Error(Reason);
}
