using System.Net;

namespace TorchSharp.Utils;

/// <summary>
/// What .NET Interactive shows a tensor with in a notebook. It finds this class by <see cref="TypeFormatterSourceAttribute"/>, and the
/// formatters' members by their names.
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
