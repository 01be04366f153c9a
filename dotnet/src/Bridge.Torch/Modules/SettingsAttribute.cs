namespace Bridge.Torch;

/// <summary>A marker of a module whose settings, the properties of TorchSharp's list that it does not have, are generated.</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class SettingsAttribute : Attribute;
