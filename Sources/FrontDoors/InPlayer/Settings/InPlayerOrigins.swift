/// The pages whose scripts may read answers (the Fetch standard's CORS protocol).
public struct InPlayerOrigins: Sendable, Equatable {
    /// Such as `https://www.example.com`; nil for all there are: tokens travel in a header, which no foreign page can add.
    public var names: Set<String>?

    public init(_ names: Set<String>? = nil) {
        self.names = names
    }

    /// What to answer to a page of this origin; nil for nothing.
    func answer(to origin: String?) -> String? {
        guard let names else { return "*" }
        return origin.flatMap { names.contains($0) ? $0 : nil }
    }
}
