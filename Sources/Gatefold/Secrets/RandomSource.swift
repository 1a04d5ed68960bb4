#if canImport(Glibc)
    import Glibc
#endif

/// Where salts, nonces and session references come from, passed in so that tests can repeat themselves.
public struct RandomSource: Sendable {
    private let generate: @Sendable (Int) -> [UInt8]

    /// - Parameter generate: returns exactly as many bytes as asked for.
    public init(_ generate: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.generate = generate
    }

    public func bytes(_ count: Int) -> [UInt8] { generate(count) }

    /// The operating system's cryptographic generator, asked anew each time: what is fetched in advance would be given twice by
    /// two copies of a machine's memory.
    public static let system = RandomSource { count in
        #if canImport(Glibc)
            // In one call, where the standard library makes one for every eight bytes; so much is given at once (getentropy(3)).
            if count <= 256 {
                var bytes = [UInt8](repeating: 0, count: count)
                if getentropy(&bytes, count) == 0 { return bytes }
            }
        #endif
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
