using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>What modules with the same types of arguments and result share: how delegates of TorchSharp's types reach a listener.</summary>
/// <remarks>
/// One for each pair of delegate types. The classes below are given TorchSharp's types as their arguments when such a module is first met; from then on a
/// module costs two delegates and an event no allocation, no cast and no reflection.
/// </remarks>
internal abstract class HookShape
{
    private static readonly Type[] Open = [typeof(HookShape1<,,>), typeof(HookShape2<,,,>), typeof(HookShape3<,,,,>), typeof(HookShape4<,,,,,>), typeof(HookShape5<,,,,,,>), typeof(HookShape6<,,,,,,,>)];

    /// <summary>The shape of a class of modules; null where the delegates are none that any version of TorchSharp has.</summary>
    /// <param name="module">The class.</param>
    /// <param name="hookable">Its base class that has the fields.</param>
    /// <param name="pre">The type of a pre hook.</param>
    /// <param name="post">The type of a forward hook.</param>
    /// <param name="library">Whose it is.</param>
    internal static HookShape? Of(Type module, Type hookable, Type pre, Type post, Library library)
    {
        const BindingFlags where = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly;
        var (first, second) = (hookable.GetField("pre_hooks", where), hookable.GetField("post_hooks", where));
        if (first is null || second is null || post.GetMethod("Invoke") is not { } hook) return null;
        // The module, the arguments, the result; and the result.
        Type[] types = [.. hook.GetParameters().Select(parameter => parameter.ParameterType)];
        var count = types.Length - 2;
        if (count < 1 || count > Open.Length) return null;
        var shape = (HookShape)Activator.CreateInstance(Open[count - 1].MakeGenericType(types))!;
        return shape.Fits(pre, post) ? shape.Of(first, second, ArgumentReaders.Of(module, types[1..^1], library), ValueReader.Of(types[^1], library)) : null;
    }

    /// <summary>The hooks of a module of the class.</summary>
    internal abstract HookSlots Of(object module);

    private protected abstract bool Fits(Type pre, Type post);

    private protected abstract HookShape Of(FieldInfo pre, FieldInfo post, object[] arguments, object result);
}

/// <inheritdoc/>
internal abstract class HookShape<TArgs, TResult, TPre, TPost> : HookShape
    where TPre : Delegate
    where TPost : Delegate
{
    private FieldInfo _pre = null!;
    private FieldInfo _post = null!;
    private Arguments<TArgs> _arguments = null!;
    private ValueReader<TResult> _result = null!;

    internal sealed override HookSlots Of(object module) => new HookSlots<TPre, TPost>(module, _pre, _post, Bind);

    private protected sealed override bool Fits(Type pre, Type post) => pre == typeof(TPre) && post == typeof(TPost);

    private protected sealed override HookShape Of(FieldInfo pre, FieldInfo post, object[] arguments, object result)
    {
        _pre = pre;
        _post = post;
        _arguments = Gather(arguments);
        _result = (ValueReader<TResult>)result;
        return this;
    }

    private protected abstract Arguments<TArgs> Gather(object[] arguments);

    private protected abstract (TPre, TPost) Bind(Listener<TArgs, TResult> listener);

    private (TPre, TPost) Bind(ModuleNode node, IListening listening) => Bind(listening.Listen(node, _arguments, _result));
}

/// <summary>One argument. What a hook returns replaces: so what came is returned, which also does for types that have no null (rules 14, 16, 17).</summary>
internal sealed class HookShape1<TModule, T, TResult> : HookShape<T, TResult, Func<TModule, T, T>, Func<TModule, T, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<T> Gather(object[] arguments) => new Arguments1<T>((Argument<T>)arguments[0]);

    private protected override (Func<TModule, T, T>, Func<TModule, T, TResult, TResult>) Bind(Listener<T, TResult> listener)
    {
        return (Entered, Computed);

        T Entered(TModule module, T x)
        {
            listener.Entered(module, ref x);
            return x;
        }

        TResult Computed(TModule module, T x, TResult result)
        {
            listener.Computed(module, in x, ref result);
            return result;
        }
    }
}

/// <summary>Two arguments: null keeps both (rule 15).</summary>
internal sealed class HookShape2<TModule, T1, T2, TResult> : HookShape<(T1, T2), TResult, Func<TModule, T1, T2, (T1, T2)?>, Func<TModule, T1, T2, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<(T1, T2)> Gather(object[] arguments) => new Arguments2<T1, T2>((Argument<T1>)arguments[0], (Argument<T2>)arguments[1]);

    private protected override (Func<TModule, T1, T2, (T1, T2)?>, Func<TModule, T1, T2, TResult, TResult>) Bind(Listener<(T1, T2), TResult> listener)
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

/// <inheritdoc/>
internal sealed class HookShape3<TModule, T1, T2, T3, TResult> : HookShape<(T1, T2, T3), TResult, Func<TModule, T1, T2, T3, (T1, T2, T3)?>, Func<TModule, T1, T2, T3, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<(T1, T2, T3)> Gather(object[] arguments) => new Arguments3<T1, T2, T3>((Argument<T1>)arguments[0], (Argument<T2>)arguments[1], (Argument<T3>)arguments[2]);

    private protected override (Func<TModule, T1, T2, T3, (T1, T2, T3)?>, Func<TModule, T1, T2, T3, TResult, TResult>) Bind(Listener<(T1, T2, T3), TResult> listener)
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

/// <inheritdoc/>
internal sealed class HookShape4<TModule, T1, T2, T3, T4, TResult> : HookShape<(T1, T2, T3, T4), TResult, Func<TModule, T1, T2, T3, T4, (T1, T2, T3, T4)?>, Func<TModule, T1, T2, T3, T4, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<(T1, T2, T3, T4)> Gather(object[] arguments) => new Arguments4<T1, T2, T3, T4>((Argument<T1>)arguments[0], (Argument<T2>)arguments[1], (Argument<T3>)arguments[2], (Argument<T4>)arguments[3]);

    private protected override (Func<TModule, T1, T2, T3, T4, (T1, T2, T3, T4)?>, Func<TModule, T1, T2, T3, T4, TResult, TResult>) Bind(Listener<(T1, T2, T3, T4), TResult> listener)
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

/// <inheritdoc/>
internal sealed class HookShape5<TModule, T1, T2, T3, T4, T5, TResult> : HookShape<(T1, T2, T3, T4, T5), TResult, Func<TModule, T1, T2, T3, T4, T5, (T1, T2, T3, T4, T5)?>, Func<TModule, T1, T2, T3, T4, T5, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<(T1, T2, T3, T4, T5)> Gather(object[] arguments) => new Arguments5<T1, T2, T3, T4, T5>((Argument<T1>)arguments[0], (Argument<T2>)arguments[1], (Argument<T3>)arguments[2], (Argument<T4>)arguments[3], (Argument<T5>)arguments[4]);

    private protected override (Func<TModule, T1, T2, T3, T4, T5, (T1, T2, T3, T4, T5)?>, Func<TModule, T1, T2, T3, T4, T5, TResult, TResult>) Bind(Listener<(T1, T2, T3, T4, T5), TResult> listener)
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

/// <inheritdoc/>
internal sealed class HookShape6<TModule, T1, T2, T3, T4, T5, T6, TResult> : HookShape<(T1, T2, T3, T4, T5, T6), TResult, Func<TModule, T1, T2, T3, T4, T5, T6, (T1, T2, T3, T4, T5, T6)?>, Func<TModule, T1, T2, T3, T4, T5, T6, TResult, TResult>>
    where TModule : class
{
    private protected override Arguments<(T1, T2, T3, T4, T5, T6)> Gather(object[] arguments) => new Arguments6<T1, T2, T3, T4, T5, T6>((Argument<T1>)arguments[0], (Argument<T2>)arguments[1], (Argument<T3>)arguments[2], (Argument<T4>)arguments[3], (Argument<T5>)arguments[4], (Argument<T6>)arguments[5]);

    private protected override (Func<TModule, T1, T2, T3, T4, T5, T6, (T1, T2, T3, T4, T5, T6)?>, Func<TModule, T1, T2, T3, T4, T5, T6, TResult, TResult>) Bind(Listener<(T1, T2, T3, T4, T5, T6), TResult> listener)
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
