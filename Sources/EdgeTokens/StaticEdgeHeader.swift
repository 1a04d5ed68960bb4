public import Gatefold

/// A header with the same value for every grant: a secret shared with the edge.
public struct StaticEdgeHeader: EdgeToken {
    private let header: EdgeHeader

    /// Creates a header.
    ///
    /// - Throws: ``EdgeTokenError`` if the name or the value is not valid in a header.
    public init(name: String, value: String) throws(EdgeTokenError) {
        try HeaderSyntax.requireName(name)
        guard !value.isEmpty else { throw .empty(setting: "value") }
        try HeaderSyntax.requireValue(value, setting: "value")
        header = EdgeHeader(name: name, value: value)
    }

    public func headers(for grant: EdgeGrant) -> [EdgeHeader] { [header] }
}
