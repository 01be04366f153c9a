namespace Bridge.Torch;

/// <summary>A marker of a module class for which the properties are generated that TorchSharp's list has and the class lacks.</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class SettingsAttribute : Attribute;
