using System.Reflection;
using TorchSharp.Utils;

namespace TorchSharp;

/// <summary>The name under which <c>RegisterComponents</c> registers what a field holds.</summary>
public static class FieldInfoExtensionMethods
{
    /// <summary>What a <see cref="ComponentNameAttribute"/> says, else the field's name.</summary>
    public static string ComponentName(this FieldInfo field) => field.GetCustomAttribute<ComponentNameAttribute>()?.Name ?? field.Name;
}
