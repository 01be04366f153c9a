"""Arguments and results between Python and .NET."""
