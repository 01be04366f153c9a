using System.Runtime.InteropServices;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public partial class Module
        {
            /// <summary>A handle to a module of TorchSharp's native library: always invalid, as Bridge.Torch lacks the library.</summary>
            protected internal sealed class HType : SafeHandle
            {
                /// <summary>Creates an invalid handle.</summary>
                /// <param name="preexistingHandle">Must be zero.</param>
                /// <param name="ownsHandle">Has no effect, since nothing is owned.</param>
                /// <param name="dispose">Has no effect: it is never called.</param>
                /// <exception cref="NotSupportedException">The handle is not zero.</exception>
                public HType(IntPtr preexistingHandle, bool ownsHandle, Action<HType>? dispose = null) : base(IntPtr.Zero, ownsHandle)
                {
                    if (preexistingHandle == IntPtr.Zero) return;
                    // Nothing is owned, so nothing is to be released.
                    GC.SuppressFinalize(this);
                    throw new NotSupportedException(
                        "Module.HType(IntPtr, bool, Action) takes a module of TorchSharp's native library, which Bridge.Torch does not "
                        + "have; use Module(string name).");
                }

                /// <inheritdoc/>
                public override bool IsInvalid => handle == IntPtr.Zero;

                /// <inheritdoc/>
                protected override bool ReleaseHandle() => true;

                /// <summary>Does nothing: an invalid handle stays open, as in TorchSharp.</summary>
                /// <param name="disposing">Has no effect.</param>
                protected override void Dispose(bool disposing) { }
            }
        }
    }
}
