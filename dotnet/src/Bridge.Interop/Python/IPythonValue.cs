namespace Bridge.Interop;

/// <summary>A value that Bridge.InProcess converts to a Python object.</summary>
internal interface IPythonValue
{
    /// <summary>Returns the Python object of the value. The GIL is held.</summary>
    OwnedReference ToPython();
}
