using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>Turns listeners into TorchSharp's hook delegates, for the modules of one class.</summary>
/// <remarks>
/// The generic classes below are instantiated with TorchSharp's types when the first module of the class is found. So the adapter's hooks
/// neither allocate nor cast nor use reflection.
/// </remarks>
internal abstract class HookAdapter
{
    private static readonly Type[] Open =
    [
        typeof(HookAdapter1<,,>), typeof(HookAdapter2<,,,>), typeof(HookAdapter3<,,,,>), typeof(HookAdapter4<,,,,,>),
        typeof(HookAdapter5<,,,,,,>), typeof(HookAdapter6<,,,,,,,>),
    ];

    /// <summary>
    /// Creates the adapter for a class of modules. Returns null if the class's hooks are not those of a known version of TorchSharp, or if
    /// <c>forward</c> takes no argument or more than six.
    /// </summary>
    /// <param name="module">The class.</param>
    /// <param name="hookable">The base class of <paramref name="module"/> that has the fields with the hooks.</param>
    /// <param name="pre">The type of a pre hook.</param>
    /// <param name="post">The type of a forward hook.</param>
    /// <param name="library">The TorchSharp assembly on which the model runs.</param>
    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    internal static HookAdapter? TryCreate(Type module, Type hookable, Type pre, Type post, Library library)
    {
        const BindingFlags where = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly;
        var (first, second) = (hookable.GetField("pre_hooks", where), hookable.GetField("post_hooks", where));
        if (first is null || second is null || post.GetMethod("Invoke") is not { } hook) return null;
        // A forward hook takes the module, the arguments and the result, and returns the result.
        Type[] types = [.. hook.GetParameters().Select(parameter => parameter.ParameterType)];
        var count = types.Length - 2;
        if (count < 1 || count > Open.Length) return null;
        var adapter = (HookAdapter)Activator.CreateInstance(Open[count - 1].MakeGenericType(types))!;
        if (!adapter.Fits(pre, post)) return null;
        var arguments = ArgumentReaders.Create(module, types[1..^1], library);
        return adapter.Initialize(first, second, arguments, ValueReader.Create(types[^1], library));
    }

    /// <summary>Creates the <see cref="HookDictionaries"/> of a module of the class.</summary>
    internal abstract HookDictionaries CreateDictionaries(object module);

    private protected abstract bool Fits(Type pre, Type post);

    private protected abstract HookAdapter Initialize(FieldInfo pre, FieldInfo post, object[] arguments, object result);
}

internal abstract class HookAdapter<TArgs, TResult, TPre, TPost> : HookAdapter
    where TPre : Delegate
    where TPost : Delegate
{
    private FieldInfo _pre = null!;
    private FieldInfo _post = null!;
    private Arguments<TArgs> _arguments = null!;
    private ValueReader<TResult> _result = null!;

    internal sealed override HookDictionaries CreateDictionaries(object module) =>
        new HookDictionaries<TPre, TPost>(module, _pre, _post, Bind);

    private protected sealed override bool Fits(Type pre, Type post) => pre == typeof(TPre) && post == typeof(TPost);

    private protected sealed override HookAdapter Initialize(FieldInfo pre, FieldInfo post, object[] arguments, object result)
    {
        _pre = pre;
        _post = post;
        _arguments = Gather(arguments);
        _result = (ValueReader<TResult>)result;
        return this;
    }

    private protected abstract Arguments<TArgs> Gather(object[] arguments);

    private protected abstract (TPre, TPost) Bind(CallListener<TArgs, TResult> listener);

    private (TPre, TPost) Bind(ModuleNode node, ICallListenerFactory factory) => Bind(factory.CreateListener(node, _arguments, _result));
}

/// <summary>The adapter for one argument.</summary>
internal sealed class HookAdapter1<TModule, T, TResult> : HookAdapter<T, TResult, Func<TModule, T, T>, Func<TModule, T, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<T> Gather(object[] arguments) => new Arguments1<T>((Argument<T>)arguments[0]);

    // Without a closure, a call reads an object less.
    private protected override (Func<TModule, T, T>, Func<TModule, T, TResult, TResult>) Bind(CallListener<T, TResult> listener) =>
        (listener.PreHook, listener.ForwardHook);
}

/// <summary>The adapter for two arguments. The pre hook returns null to keep the old arguments.</summary>
internal sealed class HookAdapter2<TModule, T1, T2, TResult>
    : HookAdapter<(T1, T2), TResult, Func<TModule, T1, T2, (T1, T2)?>, Func<TModule, T1, T2, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<(T1, T2)> Gather(object[] arguments) =>
        new Arguments2<T1, T2>((Argument<T1>)arguments[0], (Argument<T2>)arguments[1]);

    private protected override (Func<TModule, T1, T2, (T1, T2)?>, Func<TModule, T1, T2, TResult, TResult>) Bind(
        CallListener<(T1, T2), TResult> listener)
    {
        return (Entered, Computed);

        (T1, T2)? Entered(TModule module, T1 x1, T2 x2)
        {
            var args = (x1, x2);
            return listener.Entered(module, ref args) ? args : null;
        }

        TResult Computed(TModule module, T1 x1, T2 x2, TResult result)
        {
            var args = (x1, x2);
            listener.Computed(module, in args, ref result);
            return result;
        }
    }
}

internal sealed class HookAdapter3<TModule, T1, T2, T3, TResult>
    : HookAdapter<(T1, T2, T3), TResult, Func<TModule, T1, T2, T3, (T1, T2, T3)?>, Func<TModule, T1, T2, T3, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<(T1, T2, T3)> Gather(object[] arguments) =>
        new Arguments3<T1, T2, T3>((Argument<T1>)arguments[0], (Argument<T2>)arguments[1], (Argument<T3>)arguments[2]);

    private protected override (Func<TModule, T1, T2, T3, (T1, T2, T3)?>, Func<TModule, T1, T2, T3, TResult, TResult>) Bind(
        CallListener<(T1, T2, T3), TResult> listener)
    {
        return (Entered, Computed);

        (T1, T2, T3)? Entered(TModule module, T1 x1, T2 x2, T3 x3)
        {
            var args = (x1, x2, x3);
            return listener.Entered(module, ref args) ? args : null;
        }

        TResult Computed(TModule module, T1 x1, T2 x2, T3 x3, TResult result)
        {
            var args = (x1, x2, x3);
            listener.Computed(module, in args, ref result);
            return result;
        }
    }
}

internal sealed class HookAdapter4<TModule, T1, T2, T3, T4, TResult>
    : HookAdapter<
        (T1, T2, T3, T4),
        TResult,
        Func<TModule, T1, T2, T3, T4, (T1, T2, T3, T4)?>,
        Func<TModule, T1, T2, T3, T4, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<(T1, T2, T3, T4)> Gather(object[] arguments) =>
        new Arguments4<T1, T2, T3, T4>(
            (Argument<T1>)arguments[0], (Argument<T2>)arguments[1], (Argument<T3>)arguments[2], (Argument<T4>)arguments[3]);

    private protected override (Func<TModule, T1, T2, T3, T4, (T1, T2, T3, T4)?>, Func<TModule, T1, T2, T3, T4, TResult, TResult>) Bind(
        CallListener<(T1, T2, T3, T4), TResult> listener)
    {
        return (Entered, Computed);

        (T1, T2, T3, T4)? Entered(TModule module, T1 x1, T2 x2, T3 x3, T4 x4)
        {
            var args = (x1, x2, x3, x4);
            return listener.Entered(module, ref args) ? args : null;
        }

        TResult Computed(TModule module, T1 x1, T2 x2, T3 x3, T4 x4, TResult result)
        {
            var args = (x1, x2, x3, x4);
            listener.Computed(module, in args, ref result);
            return result;
        }
    }
}

internal sealed class HookAdapter5<TModule, T1, T2, T3, T4, T5, TResult>
    : HookAdapter<
        (T1, T2, T3, T4, T5),
        TResult,
        Func<TModule, T1, T2, T3, T4, T5, (T1, T2, T3, T4, T5)?>,
        Func<TModule, T1, T2, T3, T4, T5, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<(T1, T2, T3, T4, T5)> Gather(object[] arguments) =>
        new Arguments5<T1, T2, T3, T4, T5>(
            (Argument<T1>)arguments[0],
            (Argument<T2>)arguments[1],
            (Argument<T3>)arguments[2],
            (Argument<T4>)arguments[3],
            (Argument<T5>)arguments[4]);

    private protected override (
        Func<TModule, T1, T2, T3, T4, T5, (T1, T2, T3, T4, T5)?>,
        Func<TModule, T1, T2, T3, T4, T5, TResult, TResult>) Bind(CallListener<(T1, T2, T3, T4, T5), TResult> listener)
    {
        return (Entered, Computed);

        (T1, T2, T3, T4, T5)? Entered(TModule module, T1 x1, T2 x2, T3 x3, T4 x4, T5 x5)
        {
            var args = (x1, x2, x3, x4, x5);
            return listener.Entered(module, ref args) ? args : null;
        }

        TResult Computed(TModule module, T1 x1, T2 x2, T3 x3, T4 x4, T5 x5, TResult result)
        {
            var args = (x1, x2, x3, x4, x5);
            listener.Computed(module, in args, ref result);
            return result;
        }
    }
}

internal sealed class HookAdapter6<TModule, T1, T2, T3, T4, T5, T6, TResult>
    : HookAdapter<
        (T1, T2, T3, T4, T5, T6),
        TResult,
        Func<TModule, T1, T2, T3, T4, T5, T6, (T1, T2, T3, T4, T5, T6)?>,
        Func<TModule, T1, T2, T3, T4, T5, T6, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<(T1, T2, T3, T4, T5, T6)> Gather(object[] arguments) =>
        new Arguments6<T1, T2, T3, T4, T5, T6>(
            (Argument<T1>)arguments[0],
            (Argument<T2>)arguments[1],
            (Argument<T3>)arguments[2],
            (Argument<T4>)arguments[3],
            (Argument<T5>)arguments[4],
            (Argument<T6>)arguments[5]);

    private protected override (
        Func<TModule, T1, T2, T3, T4, T5, T6, (T1, T2, T3, T4, T5, T6)?>,
        Func<TModule, T1, T2, T3, T4, T5, T6, TResult, TResult>) Bind(CallListener<(T1, T2, T3, T4, T5, T6), TResult> listener)
    {
        return (Entered, Computed);

        (T1, T2, T3, T4, T5, T6)? Entered(TModule module, T1 x1, T2 x2, T3 x3, T4 x4, T5 x5, T6 x6)
        {
            var args = (x1, x2, x3, x4, x5, x6);
            return listener.Entered(module, ref args) ? args : null;
        }

        TResult Computed(TModule module, T1 x1, T2 x2, T3 x3, T4 x4, T5 x5, T6 x6, TResult result)
        {
            var args = (x1, x2, x3, x4, x5, x6);
            listener.Computed(module, in args, ref result);
            return result;
        }
    }
}
