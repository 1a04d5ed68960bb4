import Primitives

/// A person that a backend authenticated: the backend's name and its own key for the person.
public struct Subscriber: Hashable, Sendable {
    public let backend: String
    public let key: String
    /// The session that the backend opened for this sign-in, if it has sessions. It is sealed inside our token.
    public let upstreamSession: String?

    public init(backend: String, key: String, upstreamSession: String? = nil) {
        self.backend = backend
        self.key = key
        self.upstreamSession = upstreamSession
    }

    /// The placeholder for a backend name if only purchases identify the reader. No backend can have this name.
    static let purchasesBackend = "(purchases)"

    /// Returns whether both are equal by their bytes, because keys that look alike but differ in their letters
    /// belong to different persons.
    public static func == (one: Subscriber, other: Subscriber) -> Bool {
        ByteExactString(one.key) == ByteExactString(other.key)
            && ByteExactString(one.backend) == ByteExactString(other.backend)
            && one.upstreamSession.map(ByteExactString.init) == other.upstreamSession.map(ByteExactString.init)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ByteExactString(backend))
        hasher.combine(ByteExactString(key))
        hasher.combine(upstreamSession.map(ByteExactString.init))
    }
}
