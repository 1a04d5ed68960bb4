/// A short wait of random length before a reader is told that the credentials are wrong.
///
/// Whoever is known and whoever is not cost the same hash, but not to the microsecond: a row that is there is fetched, and
/// one that is not isn't. The wait's spread is hundreds of times what is left, so that telling the two apart takes more
/// attempts than the guess limits admit (PITFALLS row 6).
public struct Hesitation: Sendable {
    private let longest: Duration
    private let random: RandomSource
    private let sleep: @Sendable (Duration) async throws -> Void

    /// No wait at all.
    public static let none = Hesitation(longest: .zero)

    /// - Parameter longest: every wait shorter than this is as likely as any other.
    public init(
        longest: Duration = .milliseconds(20), random: RandomSource = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.longest = longest
        self.random = random
        self.sleep = sleep
    }

    /// Waits. A question that is cancelled meanwhile goes on at once.
    func wait() async {
        guard longest > .zero else { return }
        let draw = random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        try? await sleep(longest * (Double(draw) / Double(UInt32.max)))
    }
}
