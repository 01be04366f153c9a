namespace Bridge.Interop;

/// <summary>A value of Bridge.InProcess that converts itself to a Python object.</summary>
internal interface IPythonValue
{
    /// <summary>Returns the Python object of the value. The GIL is held.</summary>
    OwnedReference ToPython();
}
