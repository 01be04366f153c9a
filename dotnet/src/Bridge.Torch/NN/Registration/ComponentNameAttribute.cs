namespace TorchSharp.Utils;

/// <summary>Overrides the name under which a field is registered.</summary>
[AttributeUsage(AttributeTargets.Field | AttributeTargets.Property)]
public class ComponentNameAttribute : Attribute
{
    public string? Name { get; set; }
}
