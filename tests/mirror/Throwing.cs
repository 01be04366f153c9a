using System.Text.Json;
using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Throws what it is told to; its child gives its argument back.</summary>
public sealed class Throwing : Module<Tensor, string, Tensor>
{
    private readonly Child child = new();

    public Throwing() : base(nameof(Throwing)) => RegisterComponents();

    public Throwing(string what) : this() => throw Made(what);

    public override Tensor forward(Tensor input, string what)
    {
        if (what == "") return child.call(input);
        if (what == "caught")
        {
            try
            {
                return child.call(input);
            }
            catch (IndexOutOfRangeException)
            {
                return input * 2;
            }
        }

        if (what.StartsWith("operator ")) return Operator(input, what);
        if (what == "array") return new[] { input }[(int)input.numel()];
        if (what == "list") return new List<Tensor> { input }[(int)input.numel()];
        if (what == "dictionary") return new Dictionary<string, Tensor> { ["a"] = input }["b"];
        if (what == "parse") return input * int.Parse("one");
        if (what == "divide") return input * (1 / (int)(input.numel() - input.numel()));
        if (what == "file") return input * File.ReadAllText("there is no such file.txt").Length;
        // Of a constant, .NET 10's optimizing compiler leaves the check out.
        if (what == "cast") return (Tensor)(input.numel() < 0 ? (object)input : what);
        throw Made(what);
    }

    private static Tensor Operator(Tensor x, string what) => what switch
    {
        "operator select" => x.select(5, 0),
        "operator index" => x[tensor(new long[] { 5 })],
        "operator matmul" => x.to(ScalarType.Bool).outer(x).to(ScalarType.Bool).matmul(x.to(ScalarType.Bool)),
        "operator cumsum" => x.cumsum(0, ScalarType.Bool),
        "operator cross_entropy" => functional.cross_entropy(x.unsqueeze(0), zeros(3, dtype: ScalarType.Int64)),
        "operator cholesky" => linalg.cholesky(-eye(2)),
        "operator view" => x.view(3),
        _ => throw new InvalidOperationException(what),
    };

    private static Exception Made(string what) => what switch
    {
        "IndexOutOfRange" => new IndexOutOfRangeException(what),
        "ArgumentOutOfRange" => new ArgumentOutOfRangeException(what),
        "KeyNotFound" => new KeyNotFoundException(what),
        "NotImplemented" => new NotImplementedException(what),
        "NotSupported" => new NotSupportedException(what),
        "PlatformNotSupported" => new PlatformNotSupportedException(what),
        "FileNotFound" => new FileNotFoundException(what),
        "DirectoryNotFound" => new DirectoryNotFoundException(what),
        "IO" => new IOException(what),
        "EndOfStream" => new EndOfStreamException(what),
        "UnauthorizedAccess" => new UnauthorizedAccessException(what),
        "Timeout" => new TimeoutException(what),
        "DivideByZero" => new DivideByZeroException(what),
        "Overflow" => new OverflowException(what),
        "Arithmetic" => new ArithmeticException(what),
        "OutOfMemory" => new OutOfMemoryException(what),
        "Argument" => new ArgumentException(what),
        "ArgumentNull" => new ArgumentNullException(what),
        "Format" => new FormatException(what),
        "InvalidData" => new InvalidDataException(what),
        "Json" => new JsonException(what),
        "InvalidCast" => new InvalidCastException(what),
        "ArrayTypeMismatch" => new ArrayTypeMismatchException(what),
        "Rank" => new RankException(what),
        "InvalidOperation" => new InvalidOperationException(what),
        "NullReference" => new NullReferenceException(what),
        _ => new Own(what),
    };

    /// <summary>A user's own, below one that has a counterpart.</summary>
    private sealed class Own(string message) : KeyNotFoundException(message);

    private sealed class Child() : Module<Tensor, Tensor>(nameof(Child))
    {
        public override Tensor forward(Tensor input) => input;
    }
}
