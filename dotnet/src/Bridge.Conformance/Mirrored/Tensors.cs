using System.Text.Json;
using TorchSharp;

namespace Bridge.Conformance.Mirrored;

/// <summary>Numbers of programs as tensors of float64. <see cref="Writer"/> is the way back.</summary>
/// <param name="device">Where they are made.</param>
internal sealed class Tensors(torch.Device device) : INumbers
{
    public object Number(JsonElement value) => torch.tensor([value.GetDouble()], torch.float64, device);

    public object Plain(JsonElement value) => value.TryGetInt64(out var integer) ? integer : value.GetDouble();

    public object Vector(JsonElement value) => torch.tensor(value.EnumerateArray().Select(item => item.GetDouble()).ToArray(), torch.float64, device);
}
