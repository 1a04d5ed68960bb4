/// Where salts, nonces and session references come from, passed in so that tests can repeat themselves.
public struct RandomSource: Sendable {
    private let generate: @Sendable (Int) -> [UInt8]

    /// - Parameter generate: returns exactly as many bytes as asked for.
    public init(_ generate: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.generate = generate
    }

    public func bytes(_ count: Int) -> [UInt8] { generate(count) }

    /// The operating system's cryptographic generator.
    public static let system = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
