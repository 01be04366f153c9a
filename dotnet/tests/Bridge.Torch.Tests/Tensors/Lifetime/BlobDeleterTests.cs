using System.Runtime.InteropServices;

namespace Bridge.Torch.Tests;

/// <summary>
/// Tests BlobDeleter.cs: a deleter was called when its last byte is written, wherever its thread was interrupted.
/// </summary>
public sealed unsafe class BlobDeleterTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(0x7F00_1234_5678)]
    [InlineData(0x5555_0000_0000)]
    public void Each_byte_that_the_deleter_writes_is_waited_for(long memory)
    {
        if (BlobDeleter.Function is null) return;
        var deleter = new BlobDeleter((void*)memory);
        Assert.False(deleter.WasCalled);
        var note = MemoryMarshal.AsBytes(new Span<ulong>(deleter.Context, 3));
        var before = note.ToArray();
        BlobDeleter.Function((void*)memory, deleter.Context);
        Assert.True(deleter.WasCalled);
        var after = note.ToArray();
        var written = Enumerable.Range(0, note.Length).Where(at => before[at] != after[at]).ToArray();
        Assert.InRange(written.Length, 8, note.Length);
        foreach (var at in written)
        {
            note[at] = before[at];
            Assert.False(deleter.WasCalled);
            note[at] = after[at];
        }

        Assert.True(deleter.WasCalled);
        deleter.Free();
    }
}
