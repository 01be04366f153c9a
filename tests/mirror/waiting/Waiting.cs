using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Waiting;

/// <summary>Code that waits for another thread, which computes with an operator that needs the GIL.</summary>
public static class Pool
{
    public static float Wait() => Task.Run(() => ones(4).clamp(0, 1).sum().item<float>()).Result;

    public static Net Make() => new(Wait() > 0);
}

/// <summary>Fields of a class without an initializer.</summary>
public static class Log
{
    public static string Ran = null!;

    public static Tensor Note(string who)
    {
        Ran += who + " ";
        return ones(4);
    }
}

public sealed class InField : Module<Tensor, Tensor>
{
    private static readonly Tensor Four = ones(4) * Pool.Wait();

    public InField() : base(nameof(InField))
    {
    }

    public override Tensor forward(Tensor input) => input * Four;
}

public sealed class InConstructor : Module<Tensor, Tensor>
{
    public InConstructor() : base(nameof(InConstructor)) => Pool.Wait();

    public override Tensor forward(Tensor input) => input * 4;
}

public sealed class Net : Module<Tensor, Tensor>
{
    private readonly Dictionary<string, float> table = new(new Comparer());

    public Net(bool filled = false) : base(nameof(Net))
    {
        if (filled) table["four"] = 4;
    }

    public float Property
    {
        get => Pool.Wait();
        set => Pool.Wait();
    }

    public string Ran => Log.Ran;

    public override Tensor forward(Tensor input) => table.Count > 0 ? input * 4 : throw new Slow();

    private sealed class Comparer : IEqualityComparer<string>
    {
        public bool Equals(string? left, string? right) => left == right;

        public int GetHashCode(string text) => (int)Pool.Wait();
    }
}

public sealed class Slow : Exception
{
    public override string Message => $"{Pool.Wait()} is what I waited for";
}

public sealed class Hooks
{
    public Hooks() => Pool.Wait();

    public float Property => Pool.Wait();

    public void OnForward(Module module, object[] args, object output)
    {
    }
}

/// <summary>Nothing uses these.</summary>
public static class Unused
{
    public static readonly Tensor It = Log.Note("class");
}

public sealed class UnusedNet : Module<Tensor, Tensor>
{
    public static readonly Tensor It = Log.Note("module");

    public UnusedNet() : base(nameof(UnusedNet))
    {
    }

    public override Tensor forward(Tensor input) => input;
}

/// <summary>Where static fields of every kind of type keep what a call made.</summary>
public sealed class Keeper : Module<Tensor, Tensor>
{
    private readonly string place;

    public Keeper(string place) : base(nameof(Keeper)) => this.place = place;

    public override Tensor forward(Tensor input)
    {
        var before = place switch
        {
            "bare" => Bare.Last,
            "initialized" => Initialized.Last,
            "constructor" => Explicit.Last,
            "structure" => Structure.Last,
            _ => throw new ArgumentException(place),
        };
        var now = input * 2;
        switch (place)
        {
            case "bare": Bare.Last = now; break;
            case "initialized": Initialized.Last = now; break;
            case "constructor": Explicit.Last = now; break;
            default: Structure.Last = now; break;
        }

        return before is null ? input * 1 : input + before;
    }

    private static class Bare
    {
        internal static Tensor? Last;
    }

    private static class Initialized
    {
        internal static readonly object Other = new();
        internal static Tensor? Last;
    }

    private static class Explicit
    {
        internal static Tensor? Last;

        static Explicit() => Last = null;
    }

    private struct Structure
    {
        internal static Tensor? Last;
    }
}
