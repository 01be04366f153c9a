using System.Collections;
using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Conformance.Mirrored;

/// <summary>Values of programs, and of their traces (docs/programs.md).</summary>
internal static class Values
{
    private const double Exact = 1L << 53;

    /// <summary>What a program's value stands for.</summary>
    internal static object? Make(JsonElement value, torch.Device device)
    {
        if (value.ValueKind == JsonValueKind.Null) return null;
        if (value.ValueKind != JsonValueKind.Object) return torch.tensor([value.GetDouble()], torch.float64, device);
        var form = value.EnumerateObject().First();
        return form.Name switch
        {
            "plain" => form.Value.TryGetInt64(out var whole) ? whole : form.Value.GetDouble(),
            "text" => form.Value.GetString(),
            "vector" => torch.tensor(form.Value.EnumerateArray().Select(item => item.GetDouble()).ToArray(), torch.float64, device),
            "tuple" => new TupleOf(form.Value.EnumerateArray().Select(item => Make(item, device)).ToArray()),
            "list" => form.Value.EnumerateArray().Select(item => Make(item, device)).ToList(),
            "dict" => form.Value.EnumerateObject().ToDictionary(item => item.Name, item => Make(item.Value, device)),
            _ => throw new NotSupportedException($"C# makes no value of the form '{form.Name}'."),
        };
    }

    /// <summary>A value as a trace has it.</summary>
    /// <param name="json">Where it is written.</param>
    /// <param name="value">The value.</param>
    /// <param name="identity">A tensor carries an <c>id</c>: a handle of its own, by which Python finds its object.</param>
    internal static void Write(Utf8JsonWriter json, object? value, bool identity)
    {
        switch (value)
        {
            case null: json.WriteNullValue(); break;
            case torch.Tensor tensor when identity:
                json.WriteStartObject();
                json.WritePropertyName("value");
                Elements(json, tensor);
                json.WriteNumber("id", Abi.NewHandle(tensor.Handle));
                json.WriteEndObject();
                GC.KeepAlive(tensor);
                break;
            case torch.Tensor tensor: Elements(json, tensor); break;
            case bool truth: Form(json, "plain", () => json.WriteBooleanValue(truth)); break;
            case long whole: Form(json, "plain", () => json.WriteNumberValue(whole)); break;
            case double real: Form(json, "plain", () => Number(json, real)); break;
            case string text: Form(json, "text", () => json.WriteStringValue(text)); break;
            case ITuple tuple: Form(json, "tuple", () => Items(json, Enumerable.Range(0, tuple.Length).Select(i => tuple[i]), identity)); break;
            case IDictionary map:
                Form(json, "dict", () =>
                {
                    json.WriteStartObject();
                    foreach (DictionaryEntry entry in map)
                    {
                        json.WritePropertyName((string)entry.Key);
                        Write(json, entry.Value, identity);
                    }

                    json.WriteEndObject();
                });
                break;
            case IList list: Form(json, "list", () => Items(json, list.Cast<object?>(), identity)); break;
            default: Form(json, "object", () => json.WriteStringValue(value.GetType().Name)); break;
        }
    }

    /// <summary>Values as an array.</summary>
    internal static void Items(Utf8JsonWriter json, IEnumerable<object?> values, bool identity)
    {
        json.WriteStartArray();
        foreach (var value in values) Write(json, value, identity);
        json.WriteEndArray();
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
            Number(json, tensor.item<double>());
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

    // Whole numbers without a point, as Python's side writes them.
    private static void Number(Utf8JsonWriter json, double value)
    {
        if (!double.IsFinite(value)) json.WriteRawValue(double.IsNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity", skipInputValidation: true);
        else if (value != Math.Floor(value)) json.WriteNumberValue(value);
        else if (Math.Abs(value) < Exact) json.WriteNumberValue((long)value);
        else json.WriteRawValue(new BigInteger(value).ToString(CultureInfo.InvariantCulture), skipInputValidation: true);
    }
}
