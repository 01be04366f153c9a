using System.Reflection;
using System.Text.Json;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The hooks of a C# class, for Python to register anywhere: each public method that takes what PyTorch passes to a hook.</summary>
/// <remarks>The parameters tell what kind of hook a method is; its name does not matter, and the class needs no base.</remarks>
internal static class LoadedHooks
{
    /// <summary>What a method has to look like.</summary>
    internal const string Expected =
        "(Module, object[] args), (Module, object[] args, IDictionary<string, object> kwargs), (Module, object[] args, object output), "
        + "(Module, object[] args, IDictionary<string, object> kwargs, object output), (Module, Tensor[] grad_output), "
        + "(Module, Tensor[] grad_input, Tensor[] grad_output) or (Tensor grad)";

    /// <summary>The hooks of an object, or the static one.</summary>
    /// <param name="type">The class.</param>
    /// <param name="target">The object; null for a static method.</param>
    /// <param name="only">The method's name; null for all of the object.</param>
    internal static (string Name, RegisteredHook Hook)[] Of(Type type, object? target, string? only) =>
        type.GetMethods(BindingFlags.Public | (target is null ? BindingFlags.Static : BindingFlags.Instance | BindingFlags.Static))
            .Where(method => !method.IsSpecialName && !method.ContainsGenericParameters && method.DeclaringType != typeof(object) && (only is null || method.Name == only))
            .Select(method => (method.Name, Hook: (RegisteredHook?)Made(method, method.IsStatic ? null : target))).Where(item => item.Hook is not null).ToArray()!;

    /// <summary>
    /// JSON: <c>number</c> by which the values of the object are read (0 if there is none), its <c>values</c>: public fields and properties, and its <c>hooks</c>: [name, number, the
    /// names of what it takes after the module, whether it takes a module].
    /// </summary>
    internal static byte[] Describe(Type type, object? target, (string Name, RegisteredHook Hook)[] hooks)
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartObject();
            json.WriteNumber("number", target is null ? 0 : HookTable.Add(new Values(target)));
            json.WriteStartArray("values");
            foreach (var name in target is null ? [] : Readable(type)) json.WriteStringValue(name);
            json.WriteEndArray();
            json.WriteStartArray("hooks");
            foreach (var (name, hook) in hooks)
            {
                json.WriteStartArray();
                json.WriteStringValue(name);
                json.WriteNumberValue(HookTable.Add(hook));
                json.WriteStartArray();
                foreach (var word in Words(hook)) json.WriteStringValue(word);
                json.WriteEndArray();
                json.WriteBooleanValue(hook.Kind != HookKind.Tensor);
                json.WriteEndArray();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return stream.ToArray();
    }

    /// <summary>A public field or property of the object of a loaded hook.</summary>
    internal static object? Value(long number, string name)
    {
        var target = ((Values)HookTable.Get(number)).Object;
        var type = target.GetType();
        return Tuples.Unpack(type.GetProperty(name)?.GetMethod is { } get
            ? get.Invoke(target, BindingFlags.DoNotWrapExceptions, null, null, null)
            : (type.GetField(name) ?? throw new MissingFieldException(type.FullName, name)).GetValue(target));
    }

    private static IEnumerable<string> Readable(Type type) =>
        type.GetProperties(BindingFlags.Instance | BindingFlags.Public).Where(property => property.GetMethod is { IsPublic: true } && property.GetIndexParameters().Length == 0).Select(property => property.Name)
            .Concat(type.GetFields(BindingFlags.Instance | BindingFlags.Public).Select(field => field.Name));

    private static string[] Words(RegisteredHook hook) => hook.Kind switch
    {
        HookKind.Pre => hook.WithKwargs ? ["args", "kwargs"] : ["args"],
        HookKind.Forward => hook.WithKwargs ? ["args", "kwargs", "output"] : ["args", "output"],
        HookKind.BackwardPre => ["grad_output"],
        HookKind.Backward => ["grad_input", "grad_output"],
        _ => ["tensor"],
    };

    private static UntypedHook? Made(MethodInfo method, object? target)
    {
        var types = method.GetParameters().Select(parameter => parameter.ParameterType).ToArray();
        if (types is [var only] && only == typeof(torch.Tensor)) return Running(HookKind.Tensor, method, target, [Same], module: false);
        if (types.Length < 2 || !(types[0] == typeof(object) || types[0].IsAssignableTo(typeof(torch.nn.Module)))) return null;
        return types[1..] switch
        {
            [var args] when IsArguments(args) => Running(HookKind.Pre, method, target, [UntypedHook.ToArguments]),
            [var args, var kwargs] when IsArguments(args) && IsNamed(kwargs) => Running(HookKind.Pre, method, target, [UntypedHook.ToArguments, UntypedHook.ToKwargs], withKwargs: true),
            [var args, var kwargs, var output] when IsArguments(args) && IsNamed(kwargs) =>
                Running(HookKind.Forward, method, target, [UntypedHook.ToArguments, UntypedHook.ToKwargs, Tuples.Packer(output)], withKwargs: true),
            [var args, var output] when IsArguments(args) => Running(HookKind.Forward, method, target, [UntypedHook.ToArguments, Tuples.Packer(output)]),
            [var output] when IsGradients(output) => Running(HookKind.BackwardPre, method, target, [UntypedHook.Gradients]),
            [var input, var output] when IsGradients(input) && IsGradients(output) => Running(HookKind.Backward, method, target, [UntypedHook.Gradients, UntypedHook.Gradients]),
            _ => null,
        };
    }

    private static bool IsArguments(Type type) => type != typeof(object) && type.IsAssignableFrom(typeof(object[]));

    private static bool IsGradients(Type type) => !type.IsAssignableFrom(typeof(object[])) && type.IsAssignableFrom(typeof(torch.Tensor[]));

    private static bool IsNamed(Type type) => type != typeof(object) && type.IsAssignableFrom(typeof(Dictionary<string, object?>));

    private static object? Same(object? value) => value;

    private static UntypedHook Running(HookKind kind, MethodInfo method, object? target, Func<object?, object?>[] convert, bool withKwargs = false, bool module = true)
    {
        // With a result, or for its effects alone.
        return new(kind, (Action)(() => { }), (on, values) =>
        {
            if (module && on is not null && !method.GetParameters()[0].ParameterType.IsInstanceOfType(on))
                throw new InvalidCastException($"{method.DeclaringType!.Name}.{method.Name} is for a {method.GetParameters()[0].ParameterType.Name}, and was called with the module {on.GetName()}: declare it with Module.");
            return withKwargs ? UntypedHook.OnKwargs(values, kwargs =>
            {
                var changed = Run([convert[0](values[0]), kwargs, .. Rest(2)]);
                return kind == HookKind.Pre && changed is object?[] and [ListOfValues both, DictOfValues named] ? [both.Items, named] : [changed, null];
            }) : Run(Rest(0).ToArray());

            IEnumerable<object?> Rest(int first) => values.Skip(first).Select((value, i) => convert[first + i](value));

            object? Run(object?[] given)
            {
                var made = method.Invoke(target, BindingFlags.DoNotWrapExceptions, null, module ? [on, .. given] : given, null);
                // A bare array is a tuple; what else is a list stays one.
                return made is object?[] items ? items.Select(Tuples.Unpack).ToArray() : Tuples.Unpack(made);
            }
        }, withKwargs: withKwargs);
    }

    /// <summary>Keeps the object of loaded hooks, so that Python can read its values.</summary>
    private sealed class Values(object target) : RegisteredHook(default, false, false)
    {
        internal object Object => target;

        internal override Delegate Target => (Action)(() => { });

        internal override object? Invoke(torch.nn.Module? module, object?[] values) => throw new NotSupportedException();
    }
}
