namespace Bridge.TorchSharp;

/// <summary>The time and the managed memory of a call, or of all calls of a module, without those of the recorder itself.</summary>
/// <param name="Time">
/// The time from before <c>forward</c> to after it, on the thread of the call. An operation on a GPU may continue after that: the time does
/// not include it.
/// </param>
/// <param name="OwnTime"><paramref name="Time"/> without the time of the recorded calls inside.</param>
/// <param name="ManagedBytes">
/// The bytes that the thread allocated on .NET's heap. The elements of tensors are in libtorch's memory, which is not measured.
/// </param>
public sealed record CallCost(TimeSpan Time, TimeSpan OwnTime, long ManagedBytes);
