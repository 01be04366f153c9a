namespace Bridge.TorchSharp;

/// <summary>The arguments of a module's call as one value.</summary>
/// <typeparam name="TArgs">The argument, or a tuple of them where there are several.</typeparam>
internal abstract class Arguments<TArgs>
{
    /// <summary>Reads them, without those at the end that were left out.</summary>
    internal abstract void Read(in TArgs args, Leaves leaves);

    /// <summary>As an array.</summary>
    internal abstract object?[] Box(in TArgs args);

    /// <summary>The way back.</summary>
    /// <exception cref="InvalidCastException">Number or types do not fit.</exception>
    internal abstract TArgs Unbox(object?[] args);

    /// <summary>How many there are without those at the end that were left out.</summary>
    private protected static int Given(ReadOnlySpan<bool> leftOut) => leftOut.LastIndexOf(false) + 1;

    /// <exception cref="InvalidCastException">Another number.</exception>
    private protected static void Check(object?[] args, int count)
    {
        if (args.Length != count) throw new InvalidCastException($"The module takes {count} argument(s), and a hook gave {args.Length}: types of TorchSharp fix the number (P-5).");
    }
}

/// <inheritdoc/>
internal sealed class Arguments1<T>(Argument<T> argument) : Arguments<T>
{
    internal override void Read(in T args, Leaves leaves)
    {
        if (!argument.IsLeftOut(args)) argument.Reader.Read(args, leaves);
    }

    internal override object?[] Box(in T args) => [args];

    internal override T Unbox(object?[] args)
    {
        Check(args, 1);
        return argument.Unbox(args[0]);
    }
}

/// <inheritdoc/>
internal sealed class Arguments2<T1, T2>(Argument<T1> a1, Argument<T2> a2) : Arguments<(T1, T2)>
{
    internal override void Read(in (T1, T2) args, Leaves leaves)
    {
        var count = Given([a1.IsLeftOut(args.Item1), a2.IsLeftOut(args.Item2)]);
        if (count >= 1) a1.Reader.Read(args.Item1, leaves);
        if (count >= 2) a2.Reader.Read(args.Item2, leaves);
    }

    internal override object?[] Box(in (T1, T2) args) => [args.Item1, args.Item2];

    internal override (T1, T2) Unbox(object?[] args)
    {
        Check(args, 2);
        return (a1.Unbox(args[0]), a2.Unbox(args[1]));
    }
}

/// <inheritdoc/>
internal sealed class Arguments3<T1, T2, T3>(Argument<T1> a1, Argument<T2> a2, Argument<T3> a3) : Arguments<(T1, T2, T3)>
{
    internal override void Read(in (T1, T2, T3) args, Leaves leaves)
    {
        var count = Given([a1.IsLeftOut(args.Item1), a2.IsLeftOut(args.Item2), a3.IsLeftOut(args.Item3)]);
        if (count >= 1) a1.Reader.Read(args.Item1, leaves);
        if (count >= 2) a2.Reader.Read(args.Item2, leaves);
        if (count >= 3) a3.Reader.Read(args.Item3, leaves);
    }

    internal override object?[] Box(in (T1, T2, T3) args) => [args.Item1, args.Item2, args.Item3];

    internal override (T1, T2, T3) Unbox(object?[] args)
    {
        Check(args, 3);
        return (a1.Unbox(args[0]), a2.Unbox(args[1]), a3.Unbox(args[2]));
    }
}

/// <inheritdoc/>
internal sealed class Arguments4<T1, T2, T3, T4>(Argument<T1> a1, Argument<T2> a2, Argument<T3> a3, Argument<T4> a4) : Arguments<(T1, T2, T3, T4)>
{
    internal override void Read(in (T1, T2, T3, T4) args, Leaves leaves)
    {
        var count = Given([a1.IsLeftOut(args.Item1), a2.IsLeftOut(args.Item2), a3.IsLeftOut(args.Item3), a4.IsLeftOut(args.Item4)]);
        if (count >= 1) a1.Reader.Read(args.Item1, leaves);
        if (count >= 2) a2.Reader.Read(args.Item2, leaves);
        if (count >= 3) a3.Reader.Read(args.Item3, leaves);
        if (count >= 4) a4.Reader.Read(args.Item4, leaves);
    }

    internal override object?[] Box(in (T1, T2, T3, T4) args) => [args.Item1, args.Item2, args.Item3, args.Item4];

    internal override (T1, T2, T3, T4) Unbox(object?[] args)
    {
        Check(args, 4);
        return (a1.Unbox(args[0]), a2.Unbox(args[1]), a3.Unbox(args[2]), a4.Unbox(args[3]));
    }
}

/// <inheritdoc/>
internal sealed class Arguments5<T1, T2, T3, T4, T5>(Argument<T1> a1, Argument<T2> a2, Argument<T3> a3, Argument<T4> a4, Argument<T5> a5) : Arguments<(T1, T2, T3, T4, T5)>
{
    internal override void Read(in (T1, T2, T3, T4, T5) args, Leaves leaves)
    {
        var count = Given([a1.IsLeftOut(args.Item1), a2.IsLeftOut(args.Item2), a3.IsLeftOut(args.Item3), a4.IsLeftOut(args.Item4), a5.IsLeftOut(args.Item5)]);
        if (count >= 1) a1.Reader.Read(args.Item1, leaves);
        if (count >= 2) a2.Reader.Read(args.Item2, leaves);
        if (count >= 3) a3.Reader.Read(args.Item3, leaves);
        if (count >= 4) a4.Reader.Read(args.Item4, leaves);
        if (count >= 5) a5.Reader.Read(args.Item5, leaves);
    }

    internal override object?[] Box(in (T1, T2, T3, T4, T5) args) => [args.Item1, args.Item2, args.Item3, args.Item4, args.Item5];

    internal override (T1, T2, T3, T4, T5) Unbox(object?[] args)
    {
        Check(args, 5);
        return (a1.Unbox(args[0]), a2.Unbox(args[1]), a3.Unbox(args[2]), a4.Unbox(args[3]), a5.Unbox(args[4]));
    }
}

/// <inheritdoc/>
internal sealed class Arguments6<T1, T2, T3, T4, T5, T6>(Argument<T1> a1, Argument<T2> a2, Argument<T3> a3, Argument<T4> a4, Argument<T5> a5, Argument<T6> a6) : Arguments<(T1, T2, T3, T4, T5, T6)>
{
    internal override void Read(in (T1, T2, T3, T4, T5, T6) args, Leaves leaves)
    {
        var count = Given([a1.IsLeftOut(args.Item1), a2.IsLeftOut(args.Item2), a3.IsLeftOut(args.Item3), a4.IsLeftOut(args.Item4), a5.IsLeftOut(args.Item5), a6.IsLeftOut(args.Item6)]);
        if (count >= 1) a1.Reader.Read(args.Item1, leaves);
        if (count >= 2) a2.Reader.Read(args.Item2, leaves);
        if (count >= 3) a3.Reader.Read(args.Item3, leaves);
        if (count >= 4) a4.Reader.Read(args.Item4, leaves);
        if (count >= 5) a5.Reader.Read(args.Item5, leaves);
        if (count >= 6) a6.Reader.Read(args.Item6, leaves);
    }

    internal override object?[] Box(in (T1, T2, T3, T4, T5, T6) args) => [args.Item1, args.Item2, args.Item3, args.Item4, args.Item5, args.Item6];

    internal override (T1, T2, T3, T4, T5, T6) Unbox(object?[] args)
    {
        Check(args, 6);
        return (a1.Unbox(args[0]), a2.Unbox(args[1]), a3.Unbox(args[2]), a4.Unbox(args[3]), a5.Unbox(args[4]), a6.Unbox(args[5]));
    }
}
