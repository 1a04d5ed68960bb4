/// Remembers what tokens say: opening one costs more than all the rest of an answer that is known.
///
/// Only what a token says by itself, for ever; expiry and revocation are looked at each time.
public struct RememberingTokenCodec: TokenCodec {
    private let codec: any TokenCodec
    private let memory: RecentMemory<String, Session>

    /// - Parameter capacity: the most tokens that are remembered.
    public init(_ codec: any TokenCodec, capacity: Int = 20_000) {
        self.codec = codec
        memory = RecentMemory(capacity: capacity)
    }

    public func seal(_ session: Session) throws -> String { try codec.seal(session) }

    public func open(_ token: String) -> Session? {
        // What is too long to be one is not worth being hashed.
        guard token.utf8.count <= SealedTokenCodec.longestToken else { return codec.open(token) }
        return memory.value(token) { codec.open(token) }
    }
}
