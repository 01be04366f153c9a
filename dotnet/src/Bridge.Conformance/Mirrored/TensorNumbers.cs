using System.Text.Json;
using TorchSharp;

namespace Bridge.Conformance.Mirrored;

/// <summary>Creates the numbers of a hook program: tensors of float64, and .NET numbers for <c>{"plain": n}</c>.</summary>
/// <param name="device">The device of the tensors.</param>
internal sealed class TensorNumbers(torch.Device device) : INumberFactory
{
    public object Number(JsonElement value) => torch.tensor([value.GetDouble()], torch.float64, device);

    public object Plain(JsonElement value) => value.TryGetInt64(out var integer) ? integer : value.GetDouble();

    public object Vector(JsonElement value) =>
        torch.tensor(value.EnumerateArray().Select(item => item.GetDouble()).ToArray(), torch.float64, device);
}
