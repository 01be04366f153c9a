namespace TorchSharp.Utils;

/// <summary>What a field's module, parameter or buffer is called in the state, instead of the field's name.</summary>
[AttributeUsage(AttributeTargets.Field)]
public sealed class ComponentNameAttribute : Attribute
{
    public string? Name { get; init; }
}
