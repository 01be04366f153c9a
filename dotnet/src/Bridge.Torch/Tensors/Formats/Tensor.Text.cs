using System.ComponentModel;
using System.Globalization;
using Bridge.Torch;

namespace TorchSharp;

/// <summary>The style of a tensor as text.</summary>
public enum TensorStringStyle
{
    /// <summary>Shape, type and device.</summary>
    Metadata,

    /// <summary>Shape, type and device, and the elements in columns.</summary>
    Julia,

    /// <summary>The elements in brackets.</summary>
    Numpy,

    /// <summary>Shape, type and device, and the elements as C# initializes an array.</summary>
    CSharp,

    /// <summary>The style in <c>torch.TensorStringStyle</c>.</summary>
    Default,
}

public static partial class torch
{
    /// <summary>The style of Julia, <see cref="TorchSharp.TensorStringStyle.Julia"/>.</summary>
    public const TensorStringStyle julia = TensorStringStyle.Julia;

    /// <summary>The style of NumPy, <see cref="TorchSharp.TensorStringStyle.Numpy"/>.</summary>
    public const TensorStringStyle numpy = TensorStringStyle.Numpy;

    /// <summary>The style of C#, <see cref="TorchSharp.TensorStringStyle.CSharp"/>.</summary>
    public const TensorStringStyle csharp = TensorStringStyle.CSharp;

    private static PrintOptions? _print;

    private static PrintOptions Print
    {
        get => _print ??= new(TensorStringStyle.Julia, "g5", 100, Environment.NewLine, 6, 6);
        set => _print = value.Style != TensorStringStyle.Default ? value
            : throw new ArgumentException("The default style cannot be 'Default': set Metadata, Julia, Numpy or CSharp.");
    }

    /// <summary>Gets or sets the style of <c>str()</c>, <c>print()</c> and <c>ToString(true)</c>.</summary>
    /// <exception cref="ArgumentException">The value is <see cref="TensorStringStyle.Default"/>.</exception>
    public static TensorStringStyle TensorStringStyle
    {
        get => Print.Style;
        set => Print = Print with { Style = value };
    }

    /// <summary>
    /// Sets the defaults of tensors as text. Settings that are null stay unchanged. <c>print()</c>, <c>npstr()</c> and <c>cstr()</c> have
    /// their own defaults for the number format and the line width.
    /// </summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_printoptions.html">torch.set_printoptions</see>.
    /// </remarks>
    /// <param name="precision">The number of digits after the decimal point.</param>
    /// <param name="linewidth">The number of characters in a line of Julia's style (initially 100).</param>
    /// <param name="newLine">The line separator (initially <see cref="Environment.NewLine"/>).</param>
    /// <param name="sci_mode">Whether to print numbers with an exponent.</param>
    /// <param name="maxRows">The maximum number of rows in the styles of NumPy and C# (initially 6).</param>
    /// <param name="maxColumns">The maximum number of columns in the styles of NumPy and C# (initially 6).</param>
    public static void set_printoptions(int precision, int? linewidth = null, string? newLine = null, bool sci_mode = false,
        int? maxRows = null, int? maxColumns = null) =>
        set_printoptions(null, $"{(sci_mode ? 'E' : 'F')}{precision}", linewidth, newLine, maxRows, maxColumns);

    /// <summary>
    /// Sets the defaults of tensors as text. Settings that are null stay unchanged. <c>print()</c>, <c>npstr()</c> and <c>cstr()</c> have
    /// their own defaults for the number format and the line width.
    /// </summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_printoptions.html">torch.set_printoptions</see>.
    /// </remarks>
    /// <param name="style">The style (initially Julia's).</param>
    /// <param name="floatFormat">The .NET format of floating-point numbers (initially <c>g5</c>).</param>
    /// <param name="linewidth">The number of characters in a line of Julia's style (initially 100).</param>
    /// <param name="newLine">The line separator (initially <see cref="Environment.NewLine"/>).</param>
    /// <param name="maxRows">The maximum number of rows in the styles of NumPy and C# (initially 6).</param>
    /// <param name="maxColumns">The maximum number of columns in the styles of NumPy and C# (initially 6).</param>
    /// <exception cref="ArgumentException"><paramref name="style"/> is <see cref="TensorStringStyle.Default"/>.</exception>
    public static void set_printoptions(TensorStringStyle? style = null, string? floatFormat = null, int? linewidth = null,
        string? newLine = null, int? maxRows = null, int? maxColumns = null) =>
        Print = new(style ?? Print.Style, floatFormat ?? Print.FloatFormat, linewidth ?? Print.LineWidth, newLine ?? Print.NewLine, maxRows
            ?? Print.MaxRows, maxColumns ?? Print.MaxColumns);

    public partial class Tensor
    {
        /// <summary>Returns the shape, type and device as text, or <c>[disposed]</c> if <see cref="IsInvalid"/> is true.</summary>
        /// <returns>The text.</returns>
        public override string ToString() => IsInvalid ? "[disposed]" : $"[{string.Join("x", Sizes)}], type = {dtype}, device = {device}";

        /// <summary>Returns the tensor as text, or only its shape, type and device.</summary>
        /// <param name="disamb">Whether to write the elements, too, in the style that <c>torch.TensorStringStyle</c> names.</param>
        /// <param name="fltFormat">The .NET format of floating-point numbers; null for the default.</param>
        /// <param name="width">The number of characters in a line of Julia's style; null for the default.</param>
        /// <param name="cultureInfo">The culture of numbers; null for the thread's culture.</param>
        /// <param name="newLine">The line separator; null for the default.</param>
        /// <returns>The text.</returns>
        public string ToString(bool disamb, string? fltFormat = null, int? width = null, CultureInfo? cultureInfo = null,
            string? newLine = null) =>
            disamb ? ToString(TensorStringStyle.Default, fltFormat, width, cultureInfo, newLine) : ToString();

        /// <summary>
        /// Returns the tensor as text in a style. A tensor on the meta device has no elements, so its text is the shape, type and device.
        /// </summary>
        /// <param name="style">The style.</param>
        /// <param name="fltFormat">The .NET format of floating-point numbers; null for the default.</param>
        /// <param name="width">The number of characters in a line of Julia's style; null for the default.</param>
        /// <param name="cultureInfo">The culture of numbers; null for the thread's culture.</param>
        /// <param name="newLine">The line separator; null for the default.</param>
        /// <returns>The text.</returns>
        /// <exception cref="InvalidEnumArgumentException">There is no such style.</exception>
        public string ToString(TensorStringStyle style, string? fltFormat = null, int? width = null, CultureInfo? cultureInfo = null,
            string? newLine = null)
        {
            var options = Print with
            {
                FloatFormat = fltFormat ?? Print.FloatFormat,
                LineWidth = width ?? Print.LineWidth,
                NewLine = newLine
                ?? Print.NewLine
            };
            if (style == TensorStringStyle.Default) style = options.Style;
            if (style == TensorStringStyle.Metadata || IsInvalid || device_type == DeviceType.META) return ToString();
            var text = new TensorText(this, options, cultureInfo ?? CultureInfo.CurrentCulture);
            return style switch
            {
                TensorStringStyle.Julia => text.Julia(),
                TensorStringStyle.Numpy => text.Numpy(),
                TensorStringStyle.CSharp => text.CSharp(),
                _ => throw new InvalidEnumArgumentException($"There is no style {style} of tensors as text."),
            };
        }
    }
}

public static partial class TensorExtensionMethods
{
    /// <summary>Returns a tensor as text.</summary>
    /// <param name="tensor">The tensor.</param>
    /// <param name="fltFormat">The .NET format of floating-point numbers; null for the default.</param>
    /// <param name="width">The number of characters in a line of Julia's style; null for the default.</param>
    /// <param name="newLine">The line separator; null for the default.</param>
    /// <param name="cultureInfo">The culture of numbers; null for the thread's culture.</param>
    /// <param name="style">The style.</param>
    /// <returns>The text.</returns>
    public static string str(this torch.Tensor tensor, string? fltFormat = null, int? width = null, string? newLine = null,
        CultureInfo? cultureInfo = null, TensorStringStyle style = TensorStringStyle.Default) =>
        tensor.ToString(style, fltFormat, width, cultureInfo, newLine);

    /// <summary>Returns a tensor as text in Julia's style: shape, type, device and elements in columns.</summary>
    /// <param name="tensor">The tensor.</param>
    /// <param name="fltFormat">The .NET format of floating-point numbers; null for the default.</param>
    /// <param name="width">The number of characters in a line of Julia's style; null for the default.</param>
    /// <param name="newLine">The line separator; null for the default.</param>
    /// <param name="cultureInfo">The culture of numbers; null for the thread's culture.</param>
    /// <returns>The text.</returns>
    public static string jlstr(this torch.Tensor tensor, string? fltFormat = null, int? width = null, string? newLine = null,
        CultureInfo? cultureInfo = null) =>
        tensor.ToString(TensorStringStyle.Julia, fltFormat, width, cultureInfo, newLine);

    /// <summary>Returns the shape, type and device of a tensor as text.</summary>
    /// <param name="tensor">The tensor.</param>
    /// <returns>The text.</returns>
    public static string metastr(this torch.Tensor tensor) => tensor.ToString(TensorStringStyle.Metadata);

    /// <summary>Returns the elements of a tensor as text in the style of NumPy, in brackets.</summary>
    /// <param name="tensor">The tensor.</param>
    /// <param name="fltFormat">The .NET format of floating-point numbers; null for the default.</param>
    /// <param name="width">The number of characters in a line of Julia's style; null for the default.</param>
    /// <param name="newLine">The line separator; null for the default.</param>
    /// <param name="cultureInfo">The culture of numbers; null for the thread's culture.</param>
    /// <returns>The text.</returns>
    public static string npstr(this torch.Tensor tensor, string? fltFormat = "g5", int? width = 100, string? newLine = null,
        CultureInfo? cultureInfo = null) =>
        tensor.ToString(TensorStringStyle.Numpy, fltFormat, width, cultureInfo, newLine);

    /// <summary>Returns a tensor as text in the style of C#: shape, type, device and an array's initializer.</summary>
    /// <param name="tensor">The tensor.</param>
    /// <param name="fltFormat">The .NET format of floating-point numbers; null for the default.</param>
    /// <param name="width">The number of characters in a line of Julia's style; null for the default.</param>
    /// <param name="newLine">The line separator; null for the default.</param>
    /// <param name="cultureInfo">The culture of numbers; null for the thread's culture.</param>
    /// <returns>The text.</returns>
    public static string cstr(this torch.Tensor tensor, string? fltFormat = "g5", int? width = 100, string? newLine = null,
        CultureInfo? cultureInfo = null) =>
        tensor.ToString(TensorStringStyle.CSharp, fltFormat, width, cultureInfo, newLine);

    /// <summary>Writes a tensor as text to the console.</summary>
    /// <param name="t">The tensor.</param>
    /// <param name="fltFormat">The .NET format of floating-point numbers; null for the default.</param>
    /// <param name="width">The number of characters in a line of Julia's style; null for the default.</param>
    /// <param name="newLine">The line separator; null for the default.</param>
    /// <param name="cultureInfo">The culture of numbers; null for the thread's culture.</param>
    /// <param name="style">The style.</param>
    /// <returns>The tensor.</returns>
    public static torch.Tensor print(this torch.Tensor t, string? fltFormat = "g5", int? width = 100, string? newLine = null,
        CultureInfo? cultureInfo = null, TensorStringStyle style = TensorStringStyle.Default)
    {
        Console.WriteLine(t.ToString(style, fltFormat, width, cultureInfo, newLine));
        return t;
    }
}
