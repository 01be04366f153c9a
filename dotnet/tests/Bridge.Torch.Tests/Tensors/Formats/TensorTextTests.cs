using System.Globalization;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>TensorText.cs: tensors as text, as TorchSharp writes them.</summary>
public sealed class TensorTextTests : WithTorch
{
    private static readonly CultureInfo Plain = CultureInfo.InvariantCulture;

    [Fact]
    public void One_number()
    {
        using var number = tensor(3.14159f);
        Assert.Equal("[], type = Float32, device = cpu", number.ToString());
        Assert.Equal("[], type = Float32, device = cpu, value = 3.1416", number.ToString(julia, cultureInfo: Plain));
        Assert.Equal("[], type = Float32, device = cpu, value = 3.14E+000", number.jlstr("E2", cultureInfo: Plain));
        Assert.Equal("3.1416", number.npstr(cultureInfo: Plain));
        using var complex = tensor((3.5f, 6.25f), complex64);
        Assert.Equal("[], type = ComplexFloat32, device = cpu, value = 3.5+6.25i", complex.cstr(cultureInfo: Plain));
    }

    [Fact]
    public void Julias_style_aligns_columns_and_cuts_rows_at_the_line()
    {
        using var scope = NewDisposeScope();
        var matrix = tensor(new[] { 0, 3.141f, -13.1415f, 6.28e-06f }, [2, 2]);
        Assert.Equal("[2x2], type = Float32, device = cpu|       0    3.141| -13.142 6.28e-06|",
            matrix.str(newLine: "|", cultureInfo: Plain));
        Assert.Equal("[2x2], type = Float32, device = cpu|       0 ...| -13.142 ...|",
            matrix.str(newLine: "|", width: 14, cultureInfo: Plain));
        Assert.Equal("[2], type = Bool, device = cpu| True False|", tensor(new[] { true, false }).str(newLine: "|", cultureInfo: Plain));
    }

    [Fact]
    public void Julias_style_writes_each_matrix_under_its_place()
    {
        using var scope = NewDisposeScope();
        var numbers = tensor(Enumerable.Range(0, 8).Select(number => (long)number).ToArray(), [2, 2, 1, 2]);
        Assert.Equal(
            "[2x2x1x2], type = Int64, device = cpu|[0,0,..,..] =| 0 1||[0,1,..,..] =| 2 3||[1,0,..,..] =| 4 5||[1,1,..,..] =| 6 7|",
            numbers.jlstr(newLine: "|", cultureInfo: Plain));
    }

    [Fact]
    public void Numpys_style_nests_brackets_and_leaves_out_the_middle()
    {
        using var scope = NewDisposeScope();
        Assert.Equal("[[[0, 1]|  [2, 3]]|| [[4, 5]|  [6, 7]]]",
            tensor(Enumerable.Range(0, 8).Select(number => (float)number).ToArray(), [2, 2, 2]).npstr(newLine: "|", cultureInfo: Plain));
        var many = tensor(Enumerable.Range(0, 64).Select(number => (long)number).ToArray(), [8, 8]);
        Assert.Equal(
            "[[0, 1, 2, ... 5, 6, 7]| [8, 9, 10, ... 13, 14, 15]| [16, 17, 18, ... 21, 22, 23]| ...| [40, 41, 42, ... 45, 46, 47]| [48, "
                + "49, 50, ... 53, 54, 55]| [56, 57, 58, ... 61, 62, 63]]",
            many.npstr(newLine: "|", cultureInfo: Plain));
        Assert.Equal("[]", zeros(0).npstr(cultureInfo: Plain));
    }

    [Fact]
    public void Csharps_style_initializes_an_array()
    {
        using var scope = NewDisposeScope();
        Assert.Equal("[2], type = Float32, device = cpu, value = float [] {1f, 1f}", ones(2).cstr(cultureInfo: Plain));
        Assert.Equal("[2x2], type = Int64, device = cpu, value = |long [,] {| {0L, 1L},| {2L, 3L}|}",
            tensor(new[] { 0L, 1, 2, 3 }, [2, 2]).cstr(newLine: "|", cultureInfo: Plain));
    }

    [Fact]
    public void Options_hold_for_what_is_printed_later()
    {
        using var number = tensor(0.5);
        Assert.Throws<ArgumentException>(() => torch.TensorStringStyle = TorchSharp.TensorStringStyle.Default);
        try
        {
            torch.TensorStringStyle = numpy;
            set_printoptions(3);
            Assert.Equal("0.500", number.ToString(true, cultureInfo: Plain));
            set_printoptions(1, sci_mode: true);
            Assert.Equal("5.0E-001", number.str(cultureInfo: Plain));
        }
        finally
        {
            set_printoptions(julia, "g5");
        }
    }

    [Fact]
    public void Without_values_shape_type_and_device_are_given()
    {
        using var scope = NewDisposeScope();
        Assert.Equal("[2x3], type = Float32, device = meta", zeros([2, 3], device: META).str());
        var gone = ones(2);
        gone.Dispose();
        Assert.Equal("[disposed]", gone.str());
    }
}
