using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Bridge.TorchSharp.Analyzers;

/// <summary>Reads the declaration of a class that derives from <c>torch.nn.Module</c>.</summary>
internal static class ModuleClass
{
    internal const string Register = "RegisterComponents";

    /// <summary>Returns whether TorchSharp's own <c>RegisterComponents</c> registers the fields of the class.</summary>
    internal static bool IsOrdinary(INamedTypeSymbol type)
    {
        for (var at = type; at is not null; at = at.BaseType)
        {
            if (TorchSymbols.IsModuleItself(at))
            {
                return !SymbolEqualityComparer.Default.Equals(at, type);
            }
            // The source of a class in another assembly is unknown.
            if (at.DeclaringSyntaxReferences.IsEmpty || at.GetMembers(Register).Any())
            {
                return false;
            }
        }
        return false;
    }

    /// <summary>Returns the fields that hold values, those of automatic properties included, with the symbols to show.</summary>
    internal static IEnumerable<(IFieldSymbol Field, ISymbol Shown)> Fields(INamedTypeSymbol type) =>
        from field in type.GetMembers().OfType<IFieldSymbol>()
        where !field.IsStatic && !field.IsConst
        select (field, field.AssociatedSymbol ?? field);

    /// <summary>Returns whether a class in the source has tensors and no parameters, as a table or a cache.</summary>
    internal static bool HasTensorsAlone(ITypeSymbol? type)
    {
        if (type is not INamedTypeSymbol named || type.DeclaringSyntaxReferences.IsEmpty)
        {
            return false;
        }
        var types = Fields(named).Select(field => field.Field.Type).ToList();
        return types.Exists(TorchSymbols.IsTensor) && !types.Exists(part => TorchSymbols.IsModule(part) || TorchSymbols.IsParameter(part));
    }

    /// <summary>Returns whether a class above this one in the source calls <c>RegisterComponents</c>.</summary>
    internal static bool IsRegisteredAbove(INamedTypeSymbol type)
    {
        for (var at = type.BaseType; at is not null && !at.DeclaringSyntaxReferences.IsEmpty; at = at.BaseType)
        {
            if (at.DeclaringSyntaxReferences.Any(declaration => declaration.GetSyntax().DescendantNodes().Any(IsRegistration)))
            {
                return true;
            }
        }
        return false;
    }

    /// <summary>Returns whether a constructor in the source always calls <c>RegisterComponents</c>.</summary>
    internal static bool Registers(IMethodSymbol constructor) =>
        constructor.DeclaringSyntaxReferences.Any(
            reference => reference.GetSyntax() is ConstructorDeclarationSyntax declaration && Registration(declaration) is not null);

    /// <summary>Returns the constructor's first call of <c>RegisterComponents</c> that is not in an inner block.</summary>
    internal static InvocationExpressionSyntax? Registration(ConstructorDeclarationSyntax constructor)
    {
        if (constructor.ExpressionBody is { Expression: InvocationExpressionSyntax body } && IsRegistration(body))
        {
            return body;
        }
        return constructor.Body?.Statements.OfType<ExpressionStatementSyntax>()
            .Select(statement => statement.Expression)
            .OfType<InvocationExpressionSyntax>()
            .FirstOrDefault(IsRegistration);
    }

    private static bool IsRegistration(SyntaxNode node) =>
        node is InvocationExpressionSyntax { ArgumentList.Arguments.Count: 0 } call && call.Expression switch
        {
            IdentifierNameSyntax name => name.Identifier.ValueText == Register,
            MemberAccessExpressionSyntax { Expression: ThisExpressionSyntax or BaseExpressionSyntax } access =>
                access.Name.Identifier.ValueText == Register,
            _ => false,
        };
}
