using System.Runtime.InteropServices;

namespace Bridge.Torch.Tests;

/// <summary>Loan.cs: a loan is over when the deleter has written the last of its bytes, wherever its thread was interrupted.</summary>
public sealed unsafe class LoanTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(0x7F00_1234_5678)]
    [InlineData(0x5555_0000_0000)]
    public void Each_byte_that_the_deleter_writes_is_waited_for(long memory)
    {
        if (Loan.Deleter is null) return;
        var loan = new Loan((void*)memory);
        Assert.False(loan.IsOver);
        var note = MemoryMarshal.AsBytes(new Span<ulong>(loan.Note, 3));
        var before = note.ToArray();
        Loan.Deleter((void*)memory, loan.Note);
        Assert.True(loan.IsOver);
        var after = note.ToArray();
        var written = Enumerable.Range(0, note.Length).Where(at => before[at] != after[at]).ToArray();
        Assert.InRange(written.Length, 8, note.Length);
        foreach (var at in written)
        {
            note[at] = before[at];
            Assert.False(loan.IsOver);
            note[at] = after[at];
        }

        Assert.True(loan.IsOver);
        loan.Free();
    }
}
