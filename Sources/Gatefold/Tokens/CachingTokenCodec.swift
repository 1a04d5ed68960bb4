import Primitives

/// A token codec with a cache. Opening a token costs more than all other work for a cached result.
///
/// The cache holds only the permanent contents of a token. Expiry and revocation are checked on each call.
public struct CachingTokenCodec: TokenCodec {
    /// The maximum length of a cached token, in bytes. Longer tokens, which contain much data of another system,
    /// are opened each time, because 20,000 of them would fill the memory.
    static let maxLength = 1024

    private let codec: any TokenCodec
    private let cache: GenerationalCache<ByteExactString, Session>

    /// Creates a codec with a cache.
    ///
    /// - Parameters:
    ///   - codec: The codec whose results are cached.
    ///   - capacity: The maximum number of cached tokens. Default: 20,000.
    public init(_ codec: any TokenCodec, capacity: Int = 20_000) {
        self.codec = codec
        cache = GenerationalCache(capacity: capacity)
    }

    public func seal(_ session: Session) throws -> String { try codec.seal(session) }

    public func open(_ token: String) -> Session? {
        guard token.utf8.count <= Self.maxLength else { return codec.open(token) }
        return cache.value(ByteExactString(token)) { codec.open(token) }
    }
}
