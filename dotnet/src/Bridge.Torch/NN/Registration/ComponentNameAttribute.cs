namespace TorchSharp.Utils;

/// <summary>Overrides the name under which a field is registered.</summary>
[AttributeUsage(AttributeTargets.Field | AttributeTargets.Property)]
public class ComponentNameAttribute : Attribute
{
    /// <summary>Gets or sets the name; null for the name of the field.</summary>
    public string? Name { get; set; }
}
