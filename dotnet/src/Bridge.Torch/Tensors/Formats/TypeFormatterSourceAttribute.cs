namespace TorchSharp.Utils;

/// <summary>Names the class that formats objects of the marked type in .NET Interactive, which finds the attribute by its name.</summary>
/// <param name="formatterSourceType">The class that formats the objects.</param>
[AttributeUsage(AttributeTargets.Class)]
public class TypeFormatterSourceAttribute(Type formatterSourceType) : Attribute
{
    /// <summary>Gets the class that formats the objects.</summary>
    public Type FormatterSourceType { get; } = formatterSourceType;
}
