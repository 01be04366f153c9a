using System.Reflection;
using TorchSharp.Utils;

namespace TorchSharp;

/// <summary>The name under which <c>RegisterComponents</c> registers a field's value.</summary>
public static class FieldInfoExtensionMethods
{
    /// <summary>Returns the name in the field's <see cref="ComponentNameAttribute"/>, or the field's name.</summary>
    public static string ComponentName(this FieldInfo field) => field.GetCustomAttribute<ComponentNameAttribute>()?.Name ?? field.Name;
}
