using System.Runtime.InteropServices;

namespace TorchSharp;

/// <summary>Allocates an array that TorchSharp's native library fills. Bridge.Torch never calls this delegate.</summary>
/// <param name="length">The number of items.</param>
/// <returns>The address of the first item.</returns>
[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
public delegate IntPtr AllocatePinnedArray(IntPtr length);

/// <summary>Allocates one of several arrays that TorchSharp's native library fills. Bridge.Torch never calls this delegate.</summary>
/// <param name="id">The number of the array.</param>
/// <param name="length">The number of items.</param>
/// <returns>The address of the first item.</returns>
[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
public delegate IntPtr AllocateIndexedNativeTensorOrScalarArray(int id, IntPtr length);

/// <summary>Computes a distance from native tensors for TorchSharp's native library. Bridge.Torch never calls this delegate.</summary>
/// <param name="x">The first tensor.</param>
/// <param name="y">The second tensor.</param>
/// <returns>The distance, a native tensor.</returns>
[UnmanagedFunctionPointer(CallingConvention.Cdecl)]
public delegate IntPtr DistanceFunctionNative(IntPtr x, IntPtr y);
