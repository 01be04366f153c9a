"""Arguments and results of calls between Python and .NET."""
