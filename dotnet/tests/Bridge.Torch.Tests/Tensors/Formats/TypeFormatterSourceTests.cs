using System.Reflection;
using TorchSharp;
using TorchSharp.Utils;

namespace Bridge.Torch.Tests;

/// <summary>TypeFormatterSource.cs: what a notebook shows a tensor with.</summary>
public sealed class TypeFormatterSourceTests : WithTorch
{
    private const string Text = "[1], type = Float32, device = cpu\n 2\n";

    [Theory]
    [InlineData("text/plain", Text)]
    [InlineData("text/html", $"<div><pre>{Text}</pre></div>")]
    public void A_notebook_finds_the_formatters_of_tensors_by_name(string type, string expected)
    {
        var source = typeof(torch.Tensor).GetCustomAttribute<TypeFormatterSourceAttribute>()!.FormatterSourceType;
        var made = source.GetMethod("CreateTypeFormatters")!.Invoke(Activator.CreateInstance(source, nonPublic: true), null);
        var formatter = ((IEnumerable<object>)made!)
            .Single(formatter => type.Equals(formatter.GetType().GetProperty("MimeType")!.GetValue(formatter)));
        using var tensor = torch.tensor(new[] { 2f });

        Assert.Equal((true, expected), Format(tensor));
        Assert.Equal((false, ""), Format("no tensor"));

        (bool, string) Format(object instance)
        {
            using var writer = new StringWriter();
            var done = formatter.GetType().GetMethod("Format")!.Invoke(formatter, [instance, writer]);
            return ((bool)done!, writer.ToString().ReplaceLineEndings("\n"));
        }
    }
}
