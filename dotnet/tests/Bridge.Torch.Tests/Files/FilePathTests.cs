namespace Bridge.Torch.Tests;

/// <summary>Tests FilePath.cs: paths of the same file, on case-insensitive and case-sensitive systems.</summary>
public class FilePathTests
{
    [Theory]
    [InlineData("/a/Net.dll", "/A/net.DLL", true, true)]
    [InlineData("/a/Net.dll", "/A/net.DLL", false, false)]
    [InlineData("/a/b/../Net.dll", "/a/Net.dll", false, true)]
    [InlineData("/a/i", "/a/\u0130", true, false)]
    [InlineData("/a/Net.dll", "/a/Net2.dll", true, false)]
    public void One_file_has_one_key(string one, string other, bool ignoresCase, bool same) =>
        Assert.Equal(same, FilePath.Key(one, ignoresCase) == FilePath.Key(other, ignoresCase));

    [Theory]
    [InlineData("/Lib/Bridge.Torch.dll", "/lib/", true, true)]
    [InlineData("/Lib/Bridge.Torch.dll", "/lib", false, false)]
    [InlineData("/lib/Bridge.Torch.dll", "/lib", false, true)]
    [InlineData("/lib/below/Bridge.Torch.dll", "/lib", true, false)]
    [InlineData("/", "/", true, false)]
    public void A_file_lies_in_its_folder_alone(string file, string folder, bool ignoresCase, bool isIn) =>
        Assert.Equal(isIn, FilePath.IsIn(file, folder, ignoresCase));
}
