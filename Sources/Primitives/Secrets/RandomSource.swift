#if canImport(Glibc)
    import Glibc
#endif

/// A source of the random bytes for salts, nonces and session references. It is injected so that tests are
/// repeatable.
public struct RandomSource: Sendable {
    private let generate: @Sendable (Int) -> [UInt8]

    /// Creates a source.
    ///
    /// - Parameter generate: Returns exactly the requested number of bytes.
    public init(_ generate: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.generate = generate
    }

    public func bytes(_ count: Int) -> [UInt8] { generate(count) }

    /// The operating system's cryptographic generator. It is called each time, because two copies of a machine's
    /// memory would use bytes fetched in advance twice.
    public static let system = RandomSource { count in
        #if canImport(Glibc)
            // A single call replaces the standard library's call for every eight bytes. getentropy(3) returns at
            // most 256 bytes.
            if count <= 256 {
                var bytes = [UInt8](repeating: 0, count: count)
                if getentropy(&bytes, count) == 0 { return bytes }
            }
        #endif
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
