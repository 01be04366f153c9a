using System.Reflection;
using TorchSharp.Utils;

namespace TorchSharp;

/// <summary>Extension methods of fields of modules.</summary>
public static class FieldInfoExtensionMethods
{
    /// <summary>
    /// Returns the name under which the field's value is registered: that of its <see cref="ComponentNameAttribute"/>, or the field's.
    /// </summary>
    /// <param name="field">The field.</param>
    public static string ComponentName(this FieldInfo field) => field.GetCustomAttribute<ComponentNameAttribute>()?.Name ?? field.Name;
}
