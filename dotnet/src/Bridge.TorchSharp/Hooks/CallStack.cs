using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Bridge.TorchSharp;

/// <summary>The frames of a thread's stack, outermost first. Each is a method and an offset in its native code.</summary>
internal sealed class CallStack
{
    private readonly (MethodBase? Method, int Offset)[] _frames;

    private CallStack((MethodBase?, int)[] frames) => _frames = frames;

    internal int Count => _frames.Length;

    internal static CallStack Empty { get; } = new([]);

    /// <summary>Gets whether an exception is propagating on this thread, or a catch block is running.</summary>
    internal static bool IsThrowing => Marshal.GetExceptionPointers() != 0;

    [UnconditionalSuppressMessage(
        "Trimming", "IL2026", Justification = "Only listeners, whose creation requires unreferenced code, capture stacks.")]
    internal static CallStack Capture() =>
        new([.. Enumerable.Reverse(new StackTrace(false).GetFrames()).Select(frame => (frame.GetMethod(), frame.GetNativeOffset()))]);

    /// <summary>
    /// Captures the frames outside of this library's running hook. <c>With</c> includes the <c>call</c> that runs the hook,
    /// <c>Without</c> does not.
    /// </summary>
    internal static (CallStack With, CallStack Without) CaptureOutsideHook()
    {
        var frames = Capture()._frames;
        var count = Array.FindLastIndex(frames, IsOurs);
        while (count >= 0 && IsOurs(frames[count])) count--;
        return (new(frames[..(count + 1)]), new(frames[..Math.Max(count, 0)]));

        // The class of a listener from another assembly is nested in its factory's class.
        static bool IsOurs((MethodBase? Method, int Offset) frame)
        {
            for (var type = frame.Method?.DeclaringType; type is not null; type = type.DeclaringType)
                if (type.Module == typeof(CallStack).Module || type.IsAssignableTo(typeof(ICallListenerFactory))) return true;
            return false;
        }
    }

    /// <summary>Returns how many of the outermost frames are still on a stack that was captured later.</summary>
    internal int CountCommon(CallStack later)
    {
        var most = Math.Min(Count, later.Count);
        var count = 0;
        while (count < most && _frames[count] == later._frames[count]) count++;
        if (count == most) return count;
        var (method, laterMethod) = (_frames[count].Method, later._frames[count].Method);
        if (method == laterMethod) return count + 1; // The same frame, at another offset.
        // The same `call` method has called two different `forward` methods: a loop has called another module at the same offset, so the
        // `call` of the earlier stack has ended, too.
        var bothForward = method?.Name == "forward" && laterMethod?.Name == "forward";
        return bothForward && count > 0 && IsCall(_frames[count - 1].Method) ? count - 1 : count;
    }

    /// <summary>Returns the index of the innermost <c>call</c> of a module's class outside a given frame; -1 if there is none.</summary>
    /// <param name="before">The index of the given frame; <see cref="Count"/> to search all frames.</param>
    /// <param name="module">The class.</param>
    /// <param name="strict">
    /// Whether to skip a <c>call</c> whose next inner frame is the <c>forward</c> of another class. Such a <c>call</c> may still be the
    /// module's, because tail calls remove frames.
    /// </param>
    internal int LastCall(int before, Type module, bool strict)
    {
        for (var i = before - 1; i >= 0; i--)
        {
            if (!IsCall(_frames[i].Method) || !Inherits(module, _frames[i].Method!)) continue;
            if (strict && i + 1 < Count && _frames[i + 1].Method is { Name: "forward" } forward && !Inherits(module, forward)) continue;
            return i;
        }

        return -1;
    }

    // Returns whether the method is the `call` that runs hooks. Overloads in derived classes, which call it in turn, do not count.
    private static bool IsCall(MethodBase? method)
    {
        if (method is not { DeclaringType: { } type }) return false;
        if (method.Name != "call" && !method.Name.EndsWith(".call", StringComparison.Ordinal)) return false;
        if (IsGenericModule(type)) return true;
        for (var at = type.BaseType; at is not null && !IsGenericModule(at); at = at.BaseType)
            if (at.Name.StartsWith("Hookable", StringComparison.Ordinal)) return true;
        return false;
    }

    private static bool IsGenericModule(Type type) =>
        type is { IsGenericType: true, FullName: { } name }
        && (name.StartsWith("TorchSharp.torch+nn+Module`", StringComparison.Ordinal)
            || name.StartsWith("TorchSharp.torch+jit+ScriptModule`", StringComparison.Ordinal));

    // Returns whether the class or a base class declares the method. Compares generic type definitions: a frame has no type arguments.
    private static bool Inherits(Type module, MethodBase method)
    {
        var type = Open(method.DeclaringType!);
        for (var at = module; at is not null; at = at.BaseType)
            if (Open(at) == type) return true;
        return false;

        static Type Open(Type type) => type.IsGenericType ? type.GetGenericTypeDefinition() : type;
    }
}
