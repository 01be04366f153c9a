"""The interface between Python and .NET: the C# functions that Python calls, and the constants and record layouts that both sides share."""
