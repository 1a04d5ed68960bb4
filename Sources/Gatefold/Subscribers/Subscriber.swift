/// Someone a backend recognised: the backend's name and its own key for them.
public struct Subscriber: Hashable, Sendable {
    public let backend: String
    public let key: String
    /// The session the backend opened for this sign-in, where it has such a thing; kept sealed inside our token.
    public let upstreamSession: String?

    public init(backend: String, key: String, upstreamSession: String? = nil) {
        self.backend = backend
        self.key = key
        self.upstreamSession = upstreamSession
    }
}
