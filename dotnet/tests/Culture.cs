using System.Globalization;
using System.Runtime.CompilerServices;

namespace Bridge.Tests;

/// <summary>Sets the culture of the tests of an assembly: <c>python tools/sdk.py test --culture sv-SE</c>.</summary>
internal static class Culture
{
    [ModuleInitializer]
    internal static void Set()
    {
        if (Environment.GetEnvironmentVariable("BRIDGE_TEST_CULTURE") is not { Length: > 0 } name) return;
        CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = new CultureInfo(name);
        CultureInfo.DefaultThreadCurrentUICulture = CultureInfo.CurrentUICulture = CultureInfo.CurrentCulture;
    }
}
