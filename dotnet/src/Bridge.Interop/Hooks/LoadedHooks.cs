using System.Reflection;
using System.Text.Json;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>Creates hooks from the public methods of a C# class, for Python to register on modules and tensors.</summary>
/// <remarks>The parameters of a method determine the kind of hook. Method names do not matter, and the class needs no base class.</remarks>
internal static class LoadedHooks
{
    /// <summary>The parameters that hooks may have, for messages.</summary>
    internal const string ExpectedParameters =
        "(Module, object[] args), (Module, object[] args, IDictionary<string, object> kwargs), (Module, object[] args, object output), "
        + "(Module, object[] args, IDictionary<string, object> kwargs, object output), (Module, Tensor[] grad_output), "
        + "(Module, Tensor[] grad_input, Tensor[] grad_output) or (Tensor grad)";

    /// <summary>Returns a hook for each public method that has the parameters of a hook.</summary>
    /// <param name="type">The class.</param>
    /// <param name="target">The object; null for static methods alone.</param>
    /// <param name="only">The name of a method; null for all methods.</param>
    internal static (string Name, RegisteredHook Hook)[] Find(Type type, object? target, string? only) =>
        type.GetMethods(BindingFlags.Public | (target is null ? BindingFlags.Static : BindingFlags.Instance | BindingFlags.Static))
            .Where(method => !method.IsSpecialName && !method.ContainsGenericParameters && method.DeclaringType != typeof(object))
            .Where(method => only is null || method.Name == only)
            .Select(method => (method.Name, Hook: (RegisteredHook?)TryCreate(method, method.IsStatic ? null : target)))
            .Where(item => item.Hook is not null).ToArray()!;

    /// <summary>
    /// Returns a JSON object:
    /// <list type="bullet">
    /// <item><c>number</c>: the number to pass to <see cref="GetValue"/> for the object; 0 if <paramref name="target"/> is null</item>
    /// <item><c>values</c>: the names of the object's public fields and properties</item>
    /// <item><c>hooks</c>: an array of four items for each hook: the name of its method, its number in <see cref="HookTable"/>, PyTorch's
    /// names of its parameters without the module, and whether it takes the module</item>
    /// </list>
    /// </summary>
    internal static byte[] Describe(Type type, object? target, (string Name, RegisteredHook Hook)[] hooks)
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartObject();
            json.WriteNumber("number", target is null ? 0 : HookTable.Add(new HookObject(target)));
            json.WriteStartArray("values");
            foreach (var name in target is null ? [] : Readable(type)) json.WriteStringValue(name);
            json.WriteEndArray();
            json.WriteStartArray("hooks");
            foreach (var (method, hook) in hooks)
            {
                json.WriteStartArray();
                json.WriteStringValue(method);
                json.WriteNumberValue(HookTable.Add(hook));
                json.WriteStartArray();
                foreach (var name in ParameterNames(hook)) json.WriteStringValue(name);
                json.WriteEndArray();
                json.WriteBooleanValue(hook.Kind != HookKind.Tensor);
                json.WriteEndArray();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return stream.ToArray();
    }

    /// <summary>Returns the value of a public field or property of a hook's object.</summary>
    internal static object? GetValue(long number, string name)
    {
        var target = ((HookObject)HookTable.Get(number)).Object;
        var type = target.GetType();
        return Tuples.Unpack(type.GetProperty(name)?.GetMethod is { } get
            ? get.Invoke(target, BindingFlags.DoNotWrapExceptions, null, null, null)
            : (type.GetField(name) ?? throw new MissingFieldException(type.FullName, name)).GetValue(target));
    }

    private static IEnumerable<string> Readable(Type type) =>
        type.GetProperties(BindingFlags.Instance | BindingFlags.Public)
            .Where(property => property.GetMethod is { IsPublic: true } && property.GetIndexParameters().Length == 0)
            .Select(property => property.Name)
            .Concat(type.GetFields(BindingFlags.Instance | BindingFlags.Public).Select(field => field.Name));

    private static string[] ParameterNames(RegisteredHook hook) => hook.Kind switch
    {
        HookKind.Pre => hook.WithKwargs ? ["args", "kwargs"] : ["args"],
        HookKind.Forward => hook.WithKwargs ? ["args", "kwargs", "output"] : ["args", "output"],
        HookKind.BackwardPre => ["grad_output"],
        HookKind.Backward => ["grad_input", "grad_output"],
        _ => ["grad"],
    };

    // Returns null if the parameters are not those of a hook.
    private static UntypedHook? TryCreate(MethodInfo method, object? target)
    {
        var types = method.GetParameters().Select(parameter => parameter.ParameterType).ToArray();
        if (types is [var only] && only == typeof(torch.Tensor)) return Create(HookKind.Tensor, method, target, [Identity], module: false);
        if (types.Length < 2 || !(types[0] == typeof(object) || types[0].IsAssignableTo(typeof(torch.nn.Module)))) return null;
        return types[1..] switch
        {
            [var args] when IsArguments(args) => Create(HookKind.Pre, method, target, [UntypedHook.ToArguments]),
            [var args, var kwargs] when IsArguments(args) && IsKwargs(kwargs) =>
                Create(HookKind.Pre, method, target, [UntypedHook.ToArguments, UntypedHook.ToKwargs], withKwargs: true),
            [var args, var kwargs, var output] when IsArguments(args) && IsKwargs(kwargs) =>
                Create(HookKind.Forward, method, target,
                    [UntypedHook.ToArguments, UntypedHook.ToKwargs, Tuples.Packer(output)], withKwargs: true),
            [var args, var output] when IsArguments(args) =>
                Create(HookKind.Forward, method, target, [UntypedHook.ToArguments, Tuples.Packer(output)]),
            [var output] when IsGradients(output) => Create(HookKind.BackwardPre, method, target, [UntypedHook.Gradients]),
            [var input, var output] when IsGradients(input) && IsGradients(output) =>
                Create(HookKind.Backward, method, target, [UntypedHook.Gradients, UntypedHook.Gradients]),
            _ => null,
        };
    }

    private static bool IsArguments(Type type) => type != typeof(object) && type.IsAssignableFrom(typeof(object[]));

    private static bool IsGradients(Type type) => !type.IsAssignableFrom(typeof(object[])) && type.IsAssignableFrom(typeof(torch.Tensor[]));

    private static bool IsKwargs(Type type) => type != typeof(object) && type.IsAssignableFrom(typeof(Dictionary<string, object?>));

    private static object? Identity(object? value) => value;

    private static UntypedHook Create(
        HookKind kind, MethodInfo method, object? target, Func<object?, object?>[] convert, bool withKwargs = false, bool module = true)
    {
        return new(kind, (Action)(() => { }), (on, values) =>
        {
            if (module && on is not null && !method.GetParameters()[0].ParameterType.IsInstanceOfType(on))
            {
                throw new InvalidCastException(
                    $"{method.DeclaringType!.Name}.{method.Name} is for a {method.GetParameters()[0].ParameterType.Name}, "
                    + $"and was called with the module {on.GetName()}: declare the parameter as Module.");
            }

            return withKwargs ? UntypedHook.OnKwargs(values, kwargs =>
            {
                var changed = Call([convert[0](values[0]), kwargs, .. Rest(2)]);
                return kind == HookKind.Pre && changed is object?[] and [ListOfValues args, DictOfValues named]
                    ? [args.Items, named] : [changed, null];
            }) : Call(Rest(0).ToArray());

            IEnumerable<object?> Rest(int first) => values.Skip(first).Select((value, i) => convert[first + i](value));

            object? Call(object?[] arguments)
            {
                var result = method.Invoke(target, BindingFlags.DoNotWrapExceptions, null, module ? [on, .. arguments] : arguments, null);
                // In Python, an array of a reference type becomes a tuple. Other arrays, and lists, become lists.
                return result is object?[] items ? items.Select(Tuples.Unpack).ToArray() : Tuples.Unpack(result);
            }
        }, withKwargs: withKwargs);
    }

    /// <summary>An entry of <see cref="HookTable"/> that keeps a hook's object alive, so that Python can read its values.</summary>
    private sealed class HookObject(object target) : RegisteredHook(default, false, false)
    {
        internal object Object => target;

        internal override Delegate Target => (Action)(() => { });

        internal override object? Invoke(torch.nn.Module? module, object?[] values) => throw new NotSupportedException();
    }
}
