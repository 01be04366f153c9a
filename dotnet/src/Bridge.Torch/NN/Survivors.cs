using System.Collections;
using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.CompilerServices;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>What a call made and somebody still holds when it ends, a module's field or a collection that was an argument: it survives the call's scope.</summary>
internal static class Survivors
{
    private const int Deepest = 4;
    private static readonly ConcurrentDictionary<Type, FieldInfo[]> Fields = new();

    /// <summary>The fields of a tree's modules that could hold a tensor: none at all for most models.</summary>
    internal static (torch.nn.Module Module, FieldInfo Field)[] Of(torch.nn.Module root) =>
        root.modules().SelectMany(module => FieldsOf(module.GetType()).Select(field => (module, field))).ToArray();

    /// <summary>Takes what the fields hold out of the call's scope.</summary>
    internal static void Keep((torch.nn.Module Module, FieldInfo Field)[] fields)
    {
        foreach (var (module, field) in fields) Visit(field.GetValue(module), 0);
    }

    /// <summary>Takes what an argument holds out of the call's scope: a list that the callee added to is its caller's.</summary>
    internal static void Keep(object? argument) => Visit(argument, 0);

    /// <summary>Hands what a call returns to the scope around its own.</summary>
    internal static void Return(object? result, DisposeScope scope)
    {
        if (result is not (null or torch.Tensor)) Nesting.Check();
        switch (result)
        {
            case torch.Tensor tensor:
                if (tensor.Scope == scope) scope.MoveToOuter(tensor);
                return;
            case ITuple tuple:
                for (var i = 0; i < tuple.Length; i++) Return(tuple[i], scope);
                return;
            case IDictionary map:
                foreach (var item in map.Values) Return(item, scope);
                return;
            case IEnumerable items and not string:
                foreach (var item in items) Return(item, scope);
                return;
        }
    }

    private static void Visit(object? value, int depth)
    {
        switch (value)
        {
            case null or torch.nn.Module or string or Delegate: return;
            case torch.Tensor tensor: tensor.DetachFromDisposeScope(); return;
            case ITuple tuple when depth < Deepest:
                for (var i = 0; i < tuple.Length; i++) Visit(tuple[i], depth + 1);
                return;
            case IDictionary map when depth < Deepest:
                foreach (var item in map.Values) Visit(item, depth + 1);
                return;
            case ICollection items when depth < Deepest:
                foreach (var item in items) Visit(item, depth + 1);
                return;
            default:
                if (depth < Deepest)
                    foreach (var field in FieldsOf(value.GetType())) Visit(field.GetValue(value), depth + 1);
                return;
        }
    }

    // Only fields that could lead to a tensor, and only those of the user's own types: ours and the framework's hold none.
    private static FieldInfo[] FieldsOf(Type type) => Fields.GetOrAdd(type, static start =>
    {
        var fields = new List<FieldInfo>();
        for (var level = start; level is not null && !IsForeign(level.Assembly); level = level.BaseType)
            fields.AddRange(level.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly).Where(field => CanLead(field.FieldType)));
        return fields.ToArray();
    });

    private static bool CanLead(Type type) =>
        !type.IsPrimitive && !type.IsEnum && !type.IsPointer && type != typeof(string) && !typeof(torch.nn.Module).IsAssignableFrom(type)
        && !typeof(TorchSharp.Modules.Parameter).IsAssignableFrom(type) && !typeof(Delegate).IsAssignableFrom(type)
        && !(type.IsArray && type.GetElementType()!.IsPrimitive);

    private static bool IsForeign(Assembly assembly) => assembly == typeof(torch).Assembly || assembly.GetName().Name is { } name
        && (name.StartsWith("System.", StringComparison.Ordinal) || name.StartsWith("Bridge.", StringComparison.Ordinal));
}
