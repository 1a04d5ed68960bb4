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

    /// Whether both are the same by the bytes: who has a key of other letters that look the same is somebody else.
    public static func == (one: Subscriber, other: Subscriber) -> Bool {
        ExactText(one.key) == ExactText(other.key) && ExactText(one.backend) == ExactText(other.backend)
            && one.upstreamSession.map(ExactText.init) == other.upstreamSession.map(ExactText.init)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(backend))
        hasher.combine(ExactText(key))
        hasher.combine(upstreamSession.map(ExactText.init))
    }
}
