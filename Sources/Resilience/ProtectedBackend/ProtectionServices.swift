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
}
