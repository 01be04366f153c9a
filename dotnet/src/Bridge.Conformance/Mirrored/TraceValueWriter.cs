using System.Collections;
using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Conformance.Mirrored;

/// <summary>
/// Writes values as JSON for the trace of a hook program. A tensor whose type of device is not that of the run's device gets the field
/// <c>device</c>. No program expects this field, so the trace then counts as wrong.
/// </summary>
/// <param name="identity">
/// Whether a tensor on the run's type of device gets the field <c>id</c>: a new handle, by which Python finds the tensor object.
/// </param>
/// <param name="device">The device of the run.</param>
internal sealed class TraceValueWriter(bool identity, torch.Device device)
{
    private const double ExactIntegers = 1L << 53; // Smaller integers are exact in a double.

    /// <summary>Returns the type of a tensor's device, such as <c>cuda</c>.</summary>
    internal static string Device(torch.Tensor tensor) => new torch.Device(tensor.device_type).ToString();

    internal void Write(Utf8JsonWriter json, object? value)
    {
        switch (value)
        {
            case null: json.WriteNullValue(); break;
            case torch.Tensor tensor when tensor.device_type != device.type:
                WriteTensor(json, tensor, () => json.WriteString("device", Device(tensor)));
                break;
            case torch.Tensor tensor when identity:
                WriteTensor(json, tensor, () => json.WriteNumber("id", tensor.NewHandle()));
                break;
            case torch.Tensor tensor: WriteElements(json, tensor); break;
            case bool truth: WriteObject(json, "plain", () => json.WriteBooleanValue(truth)); break;
            case long integer: WriteObject(json, "plain", () => json.WriteNumberValue(integer)); break;
            case double real: WriteObject(json, "plain", () => WriteNumber(json, real)); break;
            case string text: WriteObject(json, "text", () => json.WriteStringValue(text)); break;
            case ITuple tuple:
                WriteObject(json, "tuple", () => WriteArray(json, Enumerable.Range(0, tuple.Length).Select(i => tuple[i])));
                break;
            case IDictionary map:
                WriteObject(json, "dict", () =>
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
            case IList list: WriteObject(json, "list", () => WriteArray(json, list.Cast<object?>())); break;
            default: WriteObject(json, "object", () => json.WriteStringValue(value.GetType().Name)); break;
        }
    }

    internal void WriteArray(Utf8JsonWriter json, IEnumerable<object?> values)
    {
        json.WriteStartArray();
        foreach (var value in values) Write(json, value);
        json.WriteEndArray();
    }

    private static void WriteTensor(Utf8JsonWriter json, torch.Tensor tensor, Action more)
    {
        json.WriteStartObject();
        json.WritePropertyName("value");
        WriteElements(json, tensor);
        more();
        json.WriteEndObject();
    }

    private static void WriteObject(Utf8JsonWriter json, string field, Action write)
    {
        json.WriteStartObject();
        json.WritePropertyName(field);
        write();
        json.WriteEndObject();
    }

    private static void WriteElements(Utf8JsonWriter json, torch.Tensor tensor)
    {
        if (tensor.device_type == DeviceType.META || tensor.dim() > 1)
        {
            WriteObject(json, tensor.device_type == DeviceType.META ? "meta" : "shape", () => JsonSerializer.Serialize(json, tensor.shape));
        }
        else if (tensor.numel() == 1)
        {
            WriteNumber(json, tensor.ToDouble());
        }
        else
        {
            WriteObject(json, "vector", () =>
            {
                json.WriteStartArray();
                using var off = torch.no_grad();
                foreach (var item in tensor.ToArray<double>()) WriteNumber(json, item);
                json.WriteEndArray();
            });
        }
    }

    // Whole numbers are written without a decimal point, as in Python's traces.
    private static void WriteNumber(Utf8JsonWriter json, double value)
    {
        var infinity = value > 0 ? "Infinity" : "-Infinity";
        if (!double.IsFinite(value)) json.WriteRawValue(double.IsNaN(value) ? "NaN" : infinity, skipInputValidation: true);
        else if (value != Math.Floor(value)) json.WriteNumberValue(value);
        else if (Math.Abs(value) < ExactIntegers) json.WriteNumberValue((long)value);
        else json.WriteRawValue(new BigInteger(value).ToString(CultureInfo.InvariantCulture), skipInputValidation: true);
    }
}
