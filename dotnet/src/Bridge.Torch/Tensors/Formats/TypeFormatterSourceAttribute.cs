namespace TorchSharp.Utils;

/// <summary>Tells notebooks which class formats objects of a type, as .NET Interactive looks for it.</summary>
[AttributeUsage(AttributeTargets.Class)]
public class TypeFormatterSourceAttribute(Type formatterSourceType) : Attribute
{
    public Type FormatterSourceType { get; } = formatterSourceType;
}
