namespace Bridge.Interop;

/// <summary>A value whose conversion to Python Bridge.InProcess implements.</summary>
internal interface IPythonValue
{
    /// <summary>Returns the Python object of the value. The GIL is held.</summary>
    OwnedReference ToPython();
}
