/// Remembers what tokens say: opening one costs more than all the rest of an answer that is known.
///
/// Only what a token says by itself, for ever; expiry and revocation are looked at each time.
public struct RememberingTokenCodec: TokenCodec {
    /// Longer ones, with much of another system's inside, are opened each time: 20,000 of them would fill the memory.
    static let longest = 1024

    private let codec: any TokenCodec
    private let memory: RecentMemory<ExactText, Session>

    /// - Parameter capacity: the most tokens that are remembered.
    public init(_ codec: any TokenCodec, capacity: Int = 20_000) {
        self.codec = codec
        memory = RecentMemory(capacity: capacity)
    }

    public func seal(_ session: Session) throws -> String { try codec.seal(session) }

    public func open(_ token: String) -> Session? {
        guard token.utf8.count <= Self.longest else { return codec.open(token) }
        return memory.value(ExactText(token)) { codec.open(token) }
    }
}
