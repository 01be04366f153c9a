using System.Reflection;
using TorchSharp.Utils;

namespace TorchSharp;

/// <summary>Extension methods of fields of modules.</summary>
public static class FieldInfoExtensionMethods
{
    /// <summary>
    /// Returns the name under which the field's value is registered: the name in the field's <see cref="ComponentNameAttribute"/>, or else
    /// the field's own name.
    /// </summary>
    /// <param name="field">The field.</param>
    public static string ComponentName(this FieldInfo field) => field.GetCustomAttribute<ComponentNameAttribute>()?.Name ?? field.Name;
}
