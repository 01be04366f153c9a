using System.Runtime.InteropServices;
using Bridge.Torch.Native;
using Xunit;

namespace Bridge.Torch.Tests;

/// <summary>Tests ErrorClass.cs: the PyTorch class of an operator's error, read from the stack trace in libtorch's message.</summary>
public class ErrorClassTests
{
    [Theory]
    [InlineData("IndexError",
        "frame #0: c10::Error::Error(c10::SourceLocation) + 0x9d\nframe #1: c10::IndexError::IndexError(c10::SourceLocation) + 0x72\nframe "
        + "#2: at::select")]
    [InlineData("IndexError",
        "C++ CapturedTraceback:\n#4 c10::Error::Error(c10::SourceLocation) from ??:0\n#5 c10::IndexError::IndexError(c10::SourceLocation) "
        + "from ??:0")]
    [InlineData(null, "frame #0: c10::Error::Error(c10::SourceLocation) + 0x9d\nframe #1: c10::detail::torchCheckFail(char const*)")]
    [InlineData(null, "")]
    public void The_constructor_on_the_stack_tells(string? name, string stack)
    {
        // The message may contain any text.
        const string message = "no c10::ValueError::ValueError(";
        var error = new ExternalException();
        ErrorClass.Note(error, message, $"{message}\nException raised from f at g:1 (most recent call first):\n{stack}");
        Assert.Equal(name, ErrorClass.Of(error));
    }

    [Fact]
    public void Another_exception_has_none() => Assert.Null(ErrorClass.Of(new InvalidOperationException()));
}
