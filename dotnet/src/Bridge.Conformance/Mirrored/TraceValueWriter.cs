using System.Collections;
using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Conformance.Mirrored;

/// <summary>
/// Writes values as a trace has them. A tensor on another device than the run's has a <c>device</c>, which no program expects.
/// </summary>
/// <param name="identity">Whether a tensor has an <c>id</c>: a new handle, by which Python finds its object.</param>
/// <param name="device">The device of the run.</param>
internal sealed class TraceValueWriter(bool identity, torch.Device device)
{
    private const double Exact = 1L << 53;

    /// <summary>Returns the type of a tensor's device: <c>cpu</c>, <c>cuda</c> or <c>meta</c>.</summary>
    internal static string Device(torch.Tensor tensor) => new torch.Device(tensor.device_type).ToString();

    /// <summary>Writes a value.</summary>
    internal void Write(Utf8JsonWriter json, object? value)
    {
        switch (value)
        {
            case null: json.WriteNullValue(); break;
            case torch.Tensor tensor when tensor.device_type != device.type:
                Tensor(json, tensor, () => json.WriteString("device", Device(tensor)));
                break;
            case torch.Tensor tensor when identity:
                Tensor(json, tensor, () => json.WriteNumber("id", tensor.NewHandle()));
                break;
            case torch.Tensor tensor: Elements(json, tensor); break;
            case bool truth: Form(json, "plain", () => json.WriteBooleanValue(truth)); break;
            case long integer: Form(json, "plain", () => json.WriteNumberValue(integer)); break;
            case double real: Form(json, "plain", () => Number(json, real)); break;
            case string text: Form(json, "text", () => json.WriteStringValue(text)); break;
            case ITuple tuple:
                Form(json, "tuple", () => Items(json, Enumerable.Range(0, tuple.Length).Select(i => tuple[i])));
                break;
            case IDictionary map:
                Form(json, "dict", () =>
                {
                    json.WriteStartObject();
                    foreach (DictionaryEntry entry in map)
                    {
                        json.WritePropertyName((string)entry.Key);
                        Write(json, entry.Value);
                    }

                    json.WriteEndObject();
                });
                break;
            case IList list: Form(json, "list", () => Items(json, list.Cast<object?>())); break;
            default: Form(json, "object", () => json.WriteStringValue(value.GetType().Name)); break;
        }
    }

    /// <summary>Writes values as an array.</summary>
    internal void Items(Utf8JsonWriter json, IEnumerable<object?> values)
    {
        json.WriteStartArray();
        foreach (var value in values) Write(json, value);
        json.WriteEndArray();
    }

    private static void Tensor(Utf8JsonWriter json, torch.Tensor tensor, Action more)
    {
        json.WriteStartObject();
        json.WritePropertyName("value");
        Elements(json, tensor);
        more();
        json.WriteEndObject();
    }

    private static void Form(Utf8JsonWriter json, string form, Action write)
    {
        json.WriteStartObject();
        json.WritePropertyName(form);
        write();
        json.WriteEndObject();
    }

    private static void Elements(Utf8JsonWriter json, torch.Tensor tensor)
    {
        if (tensor.device_type == DeviceType.META || tensor.dim() > 1)
        {
            Form(json, tensor.device_type == DeviceType.META ? "meta" : "shape", () => JsonSerializer.Serialize(json, tensor.shape));
        }
        else if (tensor.numel() == 1)
        {
            Number(json, tensor.ToDouble());
        }
        else
        {
            Form(json, "vector", () =>
            {
                json.WriteStartArray();
                using var off = torch.no_grad();
                foreach (var item in tensor.ToArray<double>()) Number(json, item);
                json.WriteEndArray();
            });
        }
    }

    // Integers have no decimal point, as in Python's traces.
    private static void Number(Utf8JsonWriter json, double value)
    {
        var infinity = value > 0 ? "Infinity" : "-Infinity";
        if (!double.IsFinite(value)) json.WriteRawValue(double.IsNaN(value) ? "NaN" : infinity, skipInputValidation: true);
        else if (value != Math.Floor(value)) json.WriteNumberValue(value);
        else if (Math.Abs(value) < Exact) json.WriteNumberValue((long)value);
        else json.WriteRawValue(new BigInteger(value).ToString(CultureInfo.InvariantCulture), skipInputValidation: true);
    }
}
