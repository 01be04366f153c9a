namespace Bridge.TorchSharp;

/// <summary>The converter of the arguments of a module's call.</summary>
/// <typeparam name="TArgs">The argument, or a tuple of several arguments.</typeparam>
internal abstract class Arguments<TArgs>
{
    /// <summary>Adds the arguments, without trailing defaults, to <paramref name="values"/>.</summary>
    internal abstract void Read(in TArgs args, EventValues values);

    /// <summary>Reads the only argument, a tensor; returns false for other arguments.</summary>
    internal virtual bool TryRead(in TArgs args, ref LastTensor last, out TensorInfo tensor)
    {
        tensor = default;
        return false;
    }

    /// <summary>Returns the number of arguments without trailing defaults.</summary>
    internal abstract int Count(in TArgs args);

    /// <summary>Returns the arguments as an array.</summary>
    internal abstract object?[] Box(in TArgs args);

    /// <summary>Converts an array back to arguments.</summary>
    /// <exception cref="InvalidCastException">The number of arguments or a type does not fit.</exception>
    internal abstract TArgs Unbox(object?[] args);

    private protected static int CountGiven(ReadOnlySpan<bool> leftOut) => leftOut.LastIndexOf(false) + 1;

    /// <exception cref="InvalidCastException">A hook assigned another number of arguments.</exception>
    private protected static void CheckCount(object?[] args, int count)
    {
        if (args.Length == count) return;
        throw new InvalidCastException(
            $"The module takes {count} argument{(count == 1 ? "" : "s")}, but a hook assigned {args.Length} "
            + "(TorchSharp's types fix the number).");
    }
}

internal sealed class Arguments1<T>(Argument<T> argument) : Arguments<T>
{
    internal override void Read(in T args, EventValues values)
    {
        if (!argument.IsDefault(args)) argument.Reader.Read(args, values);
    }

    internal override bool TryRead(in T args, ref LastTensor last, out TensorInfo tensor) =>
        argument.Reader.TryRead(args, ref last, out tensor);

    internal override int Count(in T args) => argument.IsDefault(args) ? 0 : 1;

    internal override object?[] Box(in T args) => [args];

    internal override T Unbox(object?[] args)
    {
        CheckCount(args, 1);
        return argument.Unbox(args[0]);
    }
}

internal sealed class Arguments2<T1, T2>(Argument<T1> a1, Argument<T2> a2) : Arguments<(T1, T2)>
{
    internal override void Read(in (T1, T2) args, EventValues values)
    {
        var count = Count(in args);
        if (count >= 1) a1.Reader.Read(args.Item1, values);
        if (count >= 2) a2.Reader.Read(args.Item2, values);
    }

    internal override int Count(in (T1, T2) args) =>
        CountGiven([a1.IsDefault(args.Item1), a2.IsDefault(args.Item2)]);

    internal override object?[] Box(in (T1, T2) args) => [args.Item1, args.Item2];

    internal override (T1, T2) Unbox(object?[] args)
    {
        CheckCount(args, 2);
        return (a1.Unbox(args[0]), a2.Unbox(args[1]));
    }
}

internal sealed class Arguments3<T1, T2, T3>(Argument<T1> a1, Argument<T2> a2, Argument<T3> a3) : Arguments<(T1, T2, T3)>
{
    internal override void Read(in (T1, T2, T3) args, EventValues values)
    {
        var count = Count(in args);
        if (count >= 1) a1.Reader.Read(args.Item1, values);
        if (count >= 2) a2.Reader.Read(args.Item2, values);
        if (count >= 3) a3.Reader.Read(args.Item3, values);
    }

    internal override int Count(in (T1, T2, T3) args) =>
        CountGiven([a1.IsDefault(args.Item1), a2.IsDefault(args.Item2), a3.IsDefault(args.Item3)]);

    internal override object?[] Box(in (T1, T2, T3) args) => [args.Item1, args.Item2, args.Item3];

    internal override (T1, T2, T3) Unbox(object?[] args)
    {
        CheckCount(args, 3);
        return (a1.Unbox(args[0]), a2.Unbox(args[1]), a3.Unbox(args[2]));
    }
}

internal sealed class Arguments4<T1, T2, T3, T4>(Argument<T1> a1, Argument<T2> a2, Argument<T3> a3, Argument<T4> a4)
    : Arguments<(T1, T2, T3, T4)>
{
    internal override void Read(in (T1, T2, T3, T4) args, EventValues values)
    {
        var count = Count(in args);
        if (count >= 1) a1.Reader.Read(args.Item1, values);
        if (count >= 2) a2.Reader.Read(args.Item2, values);
        if (count >= 3) a3.Reader.Read(args.Item3, values);
        if (count >= 4) a4.Reader.Read(args.Item4, values);
    }

    internal override int Count(in (T1, T2, T3, T4) args) =>
        CountGiven([a1.IsDefault(args.Item1), a2.IsDefault(args.Item2), a3.IsDefault(args.Item3), a4.IsDefault(args.Item4)]);

    internal override object?[] Box(in (T1, T2, T3, T4) args) => [args.Item1, args.Item2, args.Item3, args.Item4];

    internal override (T1, T2, T3, T4) Unbox(object?[] args)
    {
        CheckCount(args, 4);
        return (a1.Unbox(args[0]), a2.Unbox(args[1]), a3.Unbox(args[2]), a4.Unbox(args[3]));
    }
}

internal sealed class Arguments5<T1, T2, T3, T4, T5>(
    Argument<T1> a1, Argument<T2> a2, Argument<T3> a3, Argument<T4> a4, Argument<T5> a5) : Arguments<(T1, T2, T3, T4, T5)>
{
    internal override void Read(in (T1, T2, T3, T4, T5) args, EventValues values)
    {
        var count = Count(in args);
        if (count >= 1) a1.Reader.Read(args.Item1, values);
        if (count >= 2) a2.Reader.Read(args.Item2, values);
        if (count >= 3) a3.Reader.Read(args.Item3, values);
        if (count >= 4) a4.Reader.Read(args.Item4, values);
        if (count >= 5) a5.Reader.Read(args.Item5, values);
    }

    internal override int Count(in (T1, T2, T3, T4, T5) args) =>
        CountGiven([
                a1.IsDefault(args.Item1), a2.IsDefault(args.Item2), a3.IsDefault(args.Item3), a4.IsDefault(args.Item4),
                a5.IsDefault(args.Item5),
            ]);

    internal override object?[] Box(in (T1, T2, T3, T4, T5) args) => [args.Item1, args.Item2, args.Item3, args.Item4, args.Item5];

    internal override (T1, T2, T3, T4, T5) Unbox(object?[] args)
    {
        CheckCount(args, 5);
        return (a1.Unbox(args[0]), a2.Unbox(args[1]), a3.Unbox(args[2]), a4.Unbox(args[3]), a5.Unbox(args[4]));
    }
}

internal sealed class Arguments6<T1, T2, T3, T4, T5, T6>(
    Argument<T1> a1, Argument<T2> a2, Argument<T3> a3, Argument<T4> a4, Argument<T5> a5, Argument<T6> a6)
    : Arguments<(T1, T2, T3, T4, T5, T6)>
{
    internal override void Read(in (T1, T2, T3, T4, T5, T6) args, EventValues values)
    {
        var count = Count(in args);
        if (count >= 1) a1.Reader.Read(args.Item1, values);
        if (count >= 2) a2.Reader.Read(args.Item2, values);
        if (count >= 3) a3.Reader.Read(args.Item3, values);
        if (count >= 4) a4.Reader.Read(args.Item4, values);
        if (count >= 5) a5.Reader.Read(args.Item5, values);
        if (count >= 6) a6.Reader.Read(args.Item6, values);
    }

    internal override int Count(in (T1, T2, T3, T4, T5, T6) args) =>
        CountGiven([
                a1.IsDefault(args.Item1), a2.IsDefault(args.Item2), a3.IsDefault(args.Item3), a4.IsDefault(args.Item4),
                a5.IsDefault(args.Item5), a6.IsDefault(args.Item6),
            ]);

    internal override object?[] Box(in (T1, T2, T3, T4, T5, T6) args) =>
        [args.Item1, args.Item2, args.Item3, args.Item4, args.Item5, args.Item6];

    internal override (T1, T2, T3, T4, T5, T6) Unbox(object?[] args)
    {
        CheckCount(args, 6);
        var (x1, x2, x3) = (a1.Unbox(args[0]), a2.Unbox(args[1]), a3.Unbox(args[2]));
        return (x1, x2, x3, a4.Unbox(args[3]), a5.Unbox(args[4]), a6.Unbox(args[5]));
    }
}
