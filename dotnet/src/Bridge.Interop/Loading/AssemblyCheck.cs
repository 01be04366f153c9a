using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using Bridge.Interop.Surface;

namespace Bridge.Interop;

/// <summary>Reads an assembly's headers before it is loaded, so that what cannot work is reported in plain words.</summary>
internal static class AssemblyCheck
{
    /// <exception cref="BadImageFormatException">It is not a .NET assembly, or is one for another architecture or a newer .NET.</exception>
    /// <returns>What its classes use of TorchSharp.</returns>
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
        // 'Any CPU' is written as I386 without the flag for 32 bits.
        var any = machine == Machine.I386 && flags.HasFlag(CorFlags.ILOnly) && !flags.HasFlag(CorFlags.Requires32Bit);
        if (!any && Architecture(machine) is { } theirs && theirs != RuntimeInformation.ProcessArchitecture)
        {
            throw new BadImageFormatException(
                $"{name} is built for {theirs} and this process is {RuntimeInformation.ProcessArchitecture}. Build it for AnyCPU (remove PlatformTarget from its project).");
        }
    }

    // Code that was compiled ahead of time (ReadyToRun) is beside the IL, which is complete; mixed assemblies (C++/CLI) have methods of which there is no IL.
    private static void CheckCode(PEHeaders headers, string name)
    {
        if (headers.CorHeader is not { } header || header.Flags.HasFlag(CorFlags.ILOnly) || header.ManagedNativeHeaderDirectory.Size > 0) return;
        throw new BadImageFormatException($"{name} is a mixed assembly (C++/CLI): it has native code besides that of .NET, which cannot be loaded here. Build its models as an assembly of C# alone.");
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
            var theirs = reader.GetString(reference.Name);
            if (theirs == "System.Runtime" && reference.Version.Major > Environment.Version.Major)
            {
                throw new BadImageFormatException(
                    $"{name} is built for .NET {reference.Version.Major} and this process runs .NET {Environment.Version}. " +
                    $"Build it for net{Environment.Version.Major}.0, or install .NET {reference.Version.Major} and set BRIDGE_DOTNET_ROOT to its folder.");
            }
        }
    }
}
