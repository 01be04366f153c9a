"""The boundary between Python and .NET: exported functions, shared constants, exceptions."""
