using System.Net;

namespace TorchSharp.Utils;

/// <summary>
/// The source of the formatters with which .NET Interactive shows a tensor in a notebook. .NET Interactive finds this class by
/// <see cref="TypeFormatterSourceAttribute"/>, and the members of the formatters by their names.
/// </summary>
internal sealed class TypeFormatterSource
{
    public IEnumerable<object> CreateTypeFormatters() =>
    [
        new Formatter("text/plain", text => text),
        new Formatter("text/html", text => $"<div><pre>{WebUtility.HtmlEncode(text)}</pre></div>"),
    ];

    private sealed class Formatter(string type, Func<string, string> format)
    {
        public string MimeType => type;

        public bool Format(object instance, TextWriter writer)
        {
            if (instance is not torch.Tensor tensor) return false;
            writer.Write(format(tensor.ToString(TensorStringStyle.Default)));
            return true;
        }
    }
}
