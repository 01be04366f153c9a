using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using Bridge.Interop.Surface;

namespace Bridge.Interop;

/// <summary>Checks an assembly before it is loaded, so that an unsuitable assembly fails with a clear message.</summary>
internal static class AssemblyCheck
{
    /// <summary>Checks an assembly and returns a <see cref="SurfaceCheck"/> for the TorchSharp members that it uses.</summary>
    /// <exception cref="BadImageFormatException">
    /// The file is damaged, is not a .NET assembly, has native code (C++/CLI), or is for another architecture or a newer .NET.
    /// </exception>
    internal static SurfaceCheck Check(byte[] code, string path)
    {
        var name = Path.GetFileName(path);
        using var image = new PEReader(new MemoryStream(code));
        if (!IsDotNet(image)) throw new BadImageFormatException($"{name} is not a .NET assembly.");
        CheckCode(image.PEHeaders, name);
        CheckMachine(image.PEHeaders, name);
        CheckReferences(image.GetMetadataReader(), name);
        return new(code, path);
    }

    private static bool IsDotNet(PEReader image)
    {
        try
        {
            return image.HasMetadata;
        }
        catch (BadImageFormatException)
        {
            return false;
        }
    }

    private static void CheckMachine(PEHeaders headers, string name)
    {
        var machine = headers.CoffHeader.Machine;
        var flags = headers.CorHeader?.Flags ?? 0;
        // AnyCPU assemblies have the machine I386 without Requires32Bit.
        var isAnyCpu = machine == Machine.I386 && flags.HasFlag(CorFlags.ILOnly) && !flags.HasFlag(CorFlags.Requires32Bit);
        if (!isAnyCpu && Architecture(machine) is { } required && required != RuntimeInformation.ProcessArchitecture)
        {
            throw new BadImageFormatException(
                $"{name} is built for {required} and this process is {RuntimeInformation.ProcessArchitecture}. "
                + "Build it for AnyCPU (remove PlatformTarget from its project).");
        }
    }

    // A ReadyToRun assembly has native code besides complete IL; a mixed assembly (C++/CLI) has methods without IL.
    private static void CheckCode(PEHeaders headers, string name)
    {
        if (headers.CorHeader is not { } header || header.Flags.HasFlag(CorFlags.ILOnly)) return;
        if (header.ManagedNativeHeaderDirectory.Size > 0) return;
        throw new BadImageFormatException(
            $"{name} is a mixed assembly (C++/CLI), whose native code cannot be loaded. Build its models as an assembly of C# alone.");
    }

    private static Architecture? Architecture(Machine machine) => machine switch
    {
        Machine.Amd64 => System.Runtime.InteropServices.Architecture.X64,
        Machine.Arm64 => System.Runtime.InteropServices.Architecture.Arm64,
        Machine.I386 => System.Runtime.InteropServices.Architecture.X86,
        Machine.Arm or Machine.ArmThumb2 => System.Runtime.InteropServices.Architecture.Arm,
        _ => null,
    };

    private static void CheckReferences(MetadataReader reader, string name)
    {
        foreach (var handle in reader.AssemblyReferences)
        {
            var reference = reader.GetAssemblyReference(handle);
            if (reader.GetString(reference.Name) == "System.Runtime" && reference.Version.Major > Environment.Version.Major)
            {
                throw new BadImageFormatException(
                    $"{name} is built for .NET {reference.Version.Major} and this process runs .NET {Environment.Version}. " +
                    $"Build it for net{Environment.Version.Major}.0, or install .NET {reference.Version.Major} " +
                    "and set BRIDGE_DOTNET_ROOT to its folder.");
            }
        }
    }
}
