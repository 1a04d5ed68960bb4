/// The origins of pages whose scripts may read responses (the Fetch standard's CORS protocol).
public struct InPlayerOrigins: Sendable, Equatable {
    /// The allowed origins, such as `https://www.example.com`, or `nil` for all. All origins are safe, because
    /// tokens travel in a header that no foreign page can add.
    public var names: Set<String>?

    public init(_ names: Set<String>? = nil) {
        self.names = names
    }

    /// Returns the allowed origin for a page of this origin, or `nil` for none.
    func response(to origin: String?) -> String? {
        guard let names else { return "*" }
        return origin.flatMap { names.contains($0) ? $0 : nil }
    }
}
