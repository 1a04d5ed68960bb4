public import Primitives

/// A short delay of random length before credentials are rejected.
///
/// Known and unknown readers cost the same hash, but a small difference in time remains, because only an existing
/// row is fetched. The spread of the delay is hundreds of times that difference. An attacker therefore needs more
/// attempts than the login throttle admits to distinguish the two. Source: Pitfall 6, “User enumeration”.
public struct RejectionJitter: Sendable {
    private let maxDelay: Duration
    private let random: RandomSource
    private let sleep: @Sendable (Duration) async throws -> Void

    /// A setting without any delay.
    public static let none = RejectionJitter(maxDelay: .zero)

    /// - Parameters:
    ///   - maxDelay: The maximum delay. All shorter delays are equally likely. Default: 20 ms.
    ///   - random: The source of randomness.
    ///   - sleep: A closure that waits for a duration.
    public init(
        maxDelay: Duration = .milliseconds(20), random: RandomSource = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.maxDelay = maxDelay
        self.random = random
        self.sleep = sleep
    }

    /// Waits for a random delay. Returns immediately if the task is cancelled.
    package func wait() async {
        guard maxDelay > .zero else { return }
        let draw = random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        try? await sleep(maxDelay * (Double(draw) / Double(UInt32.max)))
    }
}
