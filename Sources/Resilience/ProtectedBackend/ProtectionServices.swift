public import Gatefold
public import Primitives

/// The services that the protections of a backend use.
public struct ProtectionServices: Sendable {
    let clock: WallClock
    let random: RandomSource
    let pseudonymKey: PseudonymKey
    /// Receives events. Must return immediately.
    let observe: @Sendable (BackendEvent) -> Void
    /// The credential facts that are shared with other processes on the same state.
    let credentialFacts: CredentialFacts
    /// The node's part of the concurrency limits; nil if this process has all of them.
    package var slotShares: SlotShares?

    public init(
        clock: WallClock, random: RandomSource, pseudonymKey: PseudonymKey,
        observe: @escaping @Sendable (BackendEvent) -> Void = { _ in },
        credentialFacts: CredentialFacts = CredentialFacts()
    ) {
        self.clock = clock
        self.random = random
        self.pseudonymKey = pseudonymKey
        self.observe = observe
        self.credentialFacts = credentialFacts
    }

    /// Returns the node's part of a backend's concurrency limit; nil if it has all of it.
    func slots(of backend: String) -> (@Sendable () -> Int)? {
        guard let slotShares else { return nil }
        return { slotShares.slots(of: backend) }
    }
}
