using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Bridge.TorchSharp;

/// <summary>The methods that a thread is in, outermost first, each with the place in its code.</summary>
internal sealed class CallStack
{
    private readonly (MethodBase? Method, int Place)[] _frames;

    private CallStack((MethodBase?, int)[] frames) => _frames = frames;

    internal int Count => _frames.Length;

    internal static CallStack Empty { get; } = new([]);

    /// <summary>Whether an exception is on its way on this thread, or a block that has caught one is running.</summary>
    internal static bool IsThrowing => Marshal.GetExceptionPointers() != 0;

    /// <summary>All of them.</summary>
    internal static CallStack Here() =>
        new([.. Enumerable.Reverse(new StackTrace(false).GetFrames()).Select(frame => (frame.GetMethod(), frame.GetNativeOffset()))]);

    /// <summary>Those outside of the hook of ours that is running, with the <c>call</c> that runs it and without.</summary>
    internal static (CallStack With, CallStack Without) OfHook()
    {
        var frames = Here()._frames;
        var count = Array.FindLastIndex(frames, IsOurs);
        while (count >= 0 && IsOurs(frames[count])) count--;
        return (new(frames[..(count + 1)]), new(frames[..Math.Max(count, 0)]));

        // Those of who listens, too, who may be another assembly.
        static bool IsOurs((MethodBase? Method, int Place) frame)
        {
            for (var type = frame.Method?.DeclaringType; type is not null; type = type.DeclaringType)
                if (type.Module == typeof(CallStack).Module || type.IsAssignableTo(typeof(IListening))) return true;
            return false;
        }
    }

    /// <summary>How many of the frames are there still, at a later time.</summary>
    internal int Common(CallStack later)
    {
        var most = Math.Min(Count, later.Count);
        var count = 0;
        while (count < most && _frames[count] == later._frames[count]) count++;
        if (count == most) return count;
        var (here, there) = (_frames[count].Method, later._frames[count].Method);
        if (here == there) return count + 1; // It has gone on.
        // A loop may call at the same place again, another module.
        return count > 0 && IsCall(_frames[count - 1].Method) && here?.Name == "forward" && there?.Name == "forward" ? count - 1 : count;
    }

    /// <summary>The innermost <c>call</c> of a module of a class, outside of a frame; -1 where there is none.</summary>
    /// <param name="before">The frame.</param>
    /// <param name="module">The class.</param>
    /// <param name="strict">Whether <c>forward</c> has to be the module's, too. It may lack, as may any method that ends with a call.</param>
    internal int LastCall(int before, Type module, bool strict)
    {
        for (var i = before - 1; i >= 0; i--)
        {
            if (!IsCall(_frames[i].Method) || !Has(module, _frames[i].Method!)) continue;
            if (strict && i + 1 < Count && _frames[i + 1].Method is { Name: "forward" } forward && !Has(module, forward)) continue;
            return i;
        }

        return -1;
    }

    // The one that runs hooks: an overload of a class of TorchSharp's, or of the user's, calls that in turn.
    private static bool IsCall(MethodBase? method)
    {
        if (method is not { DeclaringType: { } type } || (method.Name != "call" && !method.Name.EndsWith(".call", StringComparison.Ordinal))) return false;
        if (IsArity(type)) return true;
        for (var at = type.BaseType; at is not null && !IsArity(at); at = at.BaseType)
            if (at.Name.StartsWith("Hookable", StringComparison.Ordinal)) return true;
        return false;
    }

    private static bool IsArity(Type type) =>
        type is { IsGenericType: true, FullName: { } name }
        && (name.StartsWith("TorchSharp.torch+nn+Module`", StringComparison.Ordinal) || name.StartsWith("TorchSharp.torch+jit+ScriptModule`", StringComparison.Ordinal));

    // A frame does not tell which types a generic class was given.
    private static bool Has(Type module, MethodBase method)
    {
        var type = Open(method.DeclaringType!);
        for (var at = module; at is not null; at = at.BaseType)
            if (Open(at) == type) return true;
        return false;

        static Type Open(Type type) => type.IsGenericType ? type.GetGenericTypeDefinition() : type;
    }
}
