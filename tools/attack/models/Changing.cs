namespace Attack;

/// <summary>Exchanges its children within forward.</summary>
public sealed class Swapping : Model
{
    private Linear a = Linear(4, 4);
    private Linear b = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        (a, b) = (b, a);
        var first = a.call(y);
        return first - b.call(y);
    }
}

/// <summary>Catches what its first child throws and runs the second one.</summary>
public sealed class Catching : TwoLayers
{
    public override Tensor forward(Tensor x)
    {
        try
        {
            return a.call(x);
        }
        catch (Exception)
        {
            return b.call(x);
        }
    }
}

/// <summary>Calls itself.</summary>
public sealed class Recursing(long times) : OneLayer
{
    private long left = times;

    public override Tensor forward(Tensor x)
    {
        if (left == 0)
        {
            left = times;
            return x;
        }

        left--;
        x = a.call(x).tanh();
        return call(x);
    }
}

/// <summary>Throws at a place in every other call.</summary>
public sealed class Throwing(string where, string what) : TwoLayers
{
    private long calls;

    public override Tensor forward(Tensor x)
    {
        calls++;
        ThrowAt("before");
        var y = a.call(x);
        ThrowAt("between");
        try
        {
            y = b.call(y);
            ThrowAt("inside");
        }
        finally
        {
            ThrowAt("finally");
        }

        ThrowAt("after");
        return y;
    }

    private void ThrowAt(string place)
    {
        if (place != where || calls % 2 == 0) return;
        throw what switch
        {
            "index" => new IndexOutOfRangeException(),
            "key" => new KeyNotFoundException("no such key"),
            "value" => new ArgumentException("a bad value"),
            "type" => new InvalidCastException("a bad type"),
            "zero" => new DivideByZeroException(),
            "todo" => new NotImplementedException(),
            "message" => new WordlessException(),
            _ => new InvalidOperationException("it throws"),
        };
    }
}

/// <summary>An exception whose members throw.</summary>
public sealed class WordlessException : Exception
{
    public override string Message => throw new InvalidOperationException("no words");

    public override string StackTrace => throw new InvalidOperationException("no frames");

    public override string ToString() => throw new InvalidOperationException("no text");
}

/// <summary>Collects .NET's garbage between its layers.</summary>
public sealed class Collecting : TwoLayers
{
    public override Tensor forward(Tensor x)
    {
        GC.Collect(0);
        var y = a.call(x);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        y = b.call(y);
        GC.Collect(1);
        return y;
    }
}

/// <summary>An autograd function in C#.</summary>
public sealed class Square : autograd.SingleTensorFunction<Square>
{
    public override string Name => nameof(Square);

    public override Tensor forward(autograd.AutogradContext ctx, params object[] vars)
    {
        var x = (Tensor)vars[0];
        ctx.save_for_backward([x]);
        return x * x;
    }

    public override List<Tensor> backward(autograd.AutogradContext ctx, Tensor gradient) =>
        [gradient * 2 * ctx.get_saved_variables()[0]];
}

/// <summary>Applies the autograd function between two layers.</summary>
public sealed class Squaring : TwoLayers
{
    public override Tensor forward(Tensor x)
    {
        x = Square.apply(a.call(x));
        return b.call(x);
    }
}
