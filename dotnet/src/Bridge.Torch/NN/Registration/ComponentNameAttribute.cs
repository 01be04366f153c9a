namespace TorchSharp.Utils;

/// <summary>Overrides the name under which a field is registered.</summary>
[AttributeUsage(AttributeTargets.Field | AttributeTargets.Property)]
public sealed class ComponentNameAttribute : Attribute
{
    public string? Name { get; set; }
}
