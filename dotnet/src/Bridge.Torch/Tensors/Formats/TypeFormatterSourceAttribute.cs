namespace TorchSharp.Utils;

/// <summary>Names the class that formats objects of the marked type in .NET Interactive, which finds the attribute by its name.</summary>
[AttributeUsage(AttributeTargets.Class)]
public class TypeFormatterSourceAttribute(Type formatterSourceType) : Attribute
{
    public Type FormatterSourceType { get; } = formatterSourceType;
}
