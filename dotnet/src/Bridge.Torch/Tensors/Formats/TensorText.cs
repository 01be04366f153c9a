using System.Globalization;
using System.Numerics;
using System.Text;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>The text of a tensor's elements, in TorchSharp's styles.</summary>
/// <remarks>
/// Julia's style writes a matrix in columns and omits the columns that do not fit into a line. A tensor with more than two dimensions is
/// written as one matrix after another. The styles of NumPy and C# write nested brackets and omit the middle of each dimension that is
/// longer than <c>torch.set_printoptions</c> allows.
/// </remarks>
internal sealed class TensorText
{
    private const string Ellipsis = "...";
    private readonly torch.Tensor _tensor;
    private readonly long[] _shape;
    private readonly PrintOptions _options;
    private readonly Func<long, string> _element;

    internal TensorText(torch.Tensor tensor, PrintOptions options, CultureInfo culture)
    {
        (_tensor, _shape, _options) = (tensor, tensor.Sizes, options);
        _element = Elements(tensor, options.FloatFormat, culture);
    }

    internal string Julia()
    {
        var text = new StringBuilder(_tensor.ToString());
        switch (_shape.Length)
        {
            case 0:
                text.Append(", value = ").Append(_element(0));
                break;
            case 1:
                text.Append(_options.NewLine);
                AppendMatrix(text, 0, 1, _shape[0]);
                break;
            case 2:
                text.Append(_options.NewLine);
                AppendMatrix(text, 0, _shape[0], _shape[1]);
                break;
            default:
                AppendMatrices(text, 0, 0, []);
                break;
        }

        return text.ToString();
    }

    internal string Numpy()
    {
        if (_shape.Length == 0) return _element(0);
        var text = new StringBuilder();
        AppendNested(text, 0, 0, new('[', ']', "", depth =>
            string.Concat(Enumerable.Repeat(_options.NewLine, _shape.Length - depth - 1)), ""));
        return text.ToString();
    }

    internal string CSharp()
    {
        if (Word(_tensor.dtype) is not var (word, suffix)) return _tensor.ToString();
        var text = new StringBuilder(_tensor.ToString()).Append(", value = ");
        if (_shape.Length == 0) return text.Append(_element(0)).ToString();
        var (open, close) = _shape.Length > 1 ? ($"{{{_options.NewLine} ", $"{_options.NewLine}}}") : ("{", "}");
        if (_shape.Length > 1) text.Append(_options.NewLine);
        text.Append(word).Append(" [").Append(',', _shape.Length - 1).Append("] ").Append(open);
        AppendItems(text, 0, 0, new('{', '}', suffix, _ => _options.NewLine, ","));
        return text.Append(close).ToString();
    }

    /// <summary>Appends the matrices of the last two dimensions, each under its index.</summary>
    private void AppendMatrices(StringBuilder text, int dim, long at, long[] place)
    {
        for (var index = 0L; index < _shape[dim]; index++)
        {
            var here = (at * _shape[dim]) + index;
            if (dim < _shape.Length - 3)
            {
                AppendMatrices(text, dim + 1, here, [.. place, index]);
                continue;
            }

            text.Append(_options.NewLine).Append('[').AppendJoin(',', [.. place, index]).Append(",..,..] =").Append(_options.NewLine);
            AppendMatrix(text, here * _shape[^2] * _shape[^1], _shape[^2], _shape[^1]);
        }
    }

    /// <summary>Appends a matrix that begins at the element <paramref name="first"/>, with right-aligned columns.</summary>
    private void AppendMatrix(StringBuilder text, long first, long rows, long columns)
    {
        var cells = new List<string>[rows];
        for (var row = 0L; row < rows; row++) cells[row] = Row(first + (row * columns), columns);
        var shown = cells.Length == 0 ? 0 : cells.Min(row => row.Count);
        var widths = Enumerable.Range(0, shown).Select(column => cells.Max(row => row[column].Length)).ToArray();
        foreach (var row in cells)
        {
            for (var column = 0; column < shown; column++) text.Append(' ').Append(row[column].PadLeft(widths[column]));
            if (shown < columns) text.Append(' ').Append(Ellipsis);
            text.Append(_options.NewLine);
        }
    }

    /// <summary>Returns the first elements of a row, as many as fit into a line before an ellipsis.</summary>
    private List<string> Row(long first, long count)
    {
        var row = new List<string>();
        var room = _options.LineWidth;
        for (var column = 0L; column < count; column++)
        {
            var cell = _element(first + column);
            if (room - cell.Length - Ellipsis.Length - 1 < 0) break;
            row.Add(cell);
            room -= cell.Length + 1;
        }

        return row;
    }

    private void AppendNested(StringBuilder text, int dim, long at, Brackets brackets)
    {
        text.Append(brackets.Open);
        AppendItems(text, dim, at, brackets);
        text.Append(brackets.Close);
    }

    private void AppendItems(StringBuilder text, int dim, long at, Brackets brackets)
    {
        var last = dim == _shape.Length - 1;
        var most = last ? _options.MaxColumns : _options.MaxRows;
        var count = _shape[dim];
        var (tail, head) = (most / 2, most - (most / 2));
        for (var index = 0L; index < count; index++)
        {
            if (count > most && index == head)
            {
                // Each bracket around a row indents the row by one column.
                text.Append(last ? "... " : new string(' ', dim) + " ..." + brackets.NewLine(dim));
                index = count - tail;
                if (tail == 0) return;
            }

            var here = (at * count) + index;
            if (last)
            {
                text.Append(_element(here)).Append(brackets.Suffix);
                if (index < count - 1) text.Append(", ");
                continue;
            }

            if (index > 0) text.Append(' ', dim + 1);
            AppendNested(text, dim + 1, here, brackets);
            if (index < count - 1) text.Append(brackets.Comma).Append(brackets.NewLine(dim));
        }
    }

    private static Func<long, string> Elements(torch.Tensor tensor, string format, CultureInfo culture)
    {
        using var scope = torch.NewDisposeScope();
        var here = tensor.detach().cpu();
        switch (tensor.dtype)
        {
            case torch.ScalarType.Bool:
                var flags = here.data<bool>().ToArray();
                return at => flags[at].ToString(culture);
            case torch.ScalarType.Float16 or torch.ScalarType.BFloat16 or torch.ScalarType.Float32:
                var singles = here.to(torch.ScalarType.Float32).data<float>().ToArray();
                return at => singles[at].ToString(format, culture);
            case torch.ScalarType.Float64:
                var doubles = here.data<double>().ToArray();
                return at => doubles[at].ToString(format, culture);
            case torch.ScalarType.ComplexFloat32:
                var pairs = here.data<(float Real, float Imaginary)>().ToArray();
                return at =>
                    Complex(pairs[at].Real, pairs[at].Imaginary, pairs[at].Real.ToString(format, culture),
                        pairs[at].Imaginary.ToString(format, culture));
            case torch.ScalarType.ComplexFloat64:
                var complex = here.data<Complex>().ToArray();
                return at =>
                    Complex(complex[at].Real, complex[at].Imaginary, complex[at].Real.ToString(format, culture),
                        complex[at].Imaginary.ToString(format, culture));
            default:
                var integers = here.to(torch.ScalarType.Int64).data<long>().ToArray();
                return at => integers[at].ToString(culture);
        }
    }

    /// <summary>Formats a complex number without a part that is zero: <c>1+2i</c>, <c>2i</c>, <c>1</c>, <c>0</c>.</summary>
    private static string Complex(double real, double imaginary, string realText, string imaginaryText) =>
        imaginary == 0 ? realText : real == 0 ? $"{imaginaryText}i" : $"{realText}+{imaginaryText}i";

    /// <summary>Returns the name of a type in the C# style and the suffix of its numbers; null for types without a name.</summary>
    private static (string Word, string Suffix)? Word(torch.ScalarType type) => type switch
    {
        torch.ScalarType.Bool => ("bool", ""),
        torch.ScalarType.Byte => ("byte", ""),
        torch.ScalarType.Int8 => ("sbyte", ""),
        torch.ScalarType.Int16 => ("short", ""),
        torch.ScalarType.Int32 => ("int", ""),
        torch.ScalarType.Int64 => ("long", "L"),
        torch.ScalarType.Float32 => ("float", "f"),
        torch.ScalarType.Float64 => ("double", ""),
        torch.ScalarType.BFloat16 => ("bfloat16", "f"),
        torch.ScalarType.Float16 => ("float16", "f"),
        torch.ScalarType.ComplexFloat32 => ("complex32", ""),
        torch.ScalarType.ComplexFloat64 => ("complex64", ""),
        _ => null,
    };

    private sealed class Brackets(char open, char close, string suffix, Func<int, string> newLine, string comma)
    {
        internal readonly char Open = open, Close = close;
        internal readonly string Suffix = suffix, Comma = comma;
        internal readonly Func<int, string> NewLine = newLine;
    }
}

/// <summary>The settings of <c>torch.set_printoptions</c>.</summary>
internal sealed record PrintOptions(TensorStringStyle Style, string FloatFormat, int LineWidth, string NewLine, int MaxRows,
    int MaxColumns);
