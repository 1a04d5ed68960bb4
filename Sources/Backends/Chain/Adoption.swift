import Foundation
import Gatefold
import Synchronization

/// Takes readers over into a store of our own while they sign in with another system: how weak hashes and whole systems are
/// left behind without anybody noticing.
///
/// Works beside the sign-in and never delays or fails it. What was not written because too much is under way, or because
/// the store was busy, is written at the reader's next sign-in.
final class Adoption: Sendable {
    /// Hashing one password takes a core; sign-ins need the others.
    static let mostAtOnce = 2
    static let mostWaiting = 64
    private static let memory = 100_000

    private struct State {
        var present = 0
        /// Digests of what was written down last, by the digest of whose it is.
        var written = BoundedMemory<[UInt8], [UInt8]>(capacity: Adoption.memory)
    }

    private let chain: String
    private let adopter: any SubscriberAdopter
    private let references: ReferenceKey
    private let observe: @Sendable (BackendEvent) -> Void
    private let state = Mutex(State())
    private let work = WorkLimit(most: Adoption.mostAtOnce)

    init(
        chain: String, adopter: any SubscriberAdopter, references: ReferenceKey,
        observe: @escaping @Sendable (BackendEvent) -> Void
    ) {
        self.chain = chain
        self.adopter = adopter
        self.references = references
        self.observe = observe
    }

    /// The adopter's name.
    var name: String { adopter.name }

    /// Takes the reader over, later and if there is room.
    ///
    /// - Parameter memberships: the other systems in which these credentials were right; nothing happens without one.
    func consider(_ credentials: Credentials, in memberships: [ChainMembership], inquiry: Inquiry) {
        guard !memberships.isEmpty else { return }
        let enters = state.withLock { state in
            guard state.present < Self.mostAtOnce + Self.mostWaiting else { return false }
            state.present += 1
            return true
        }
        guard enters else { return report("adoption_dropped") }
        Task { [self] in
            await work.run {
                do {
                    try await adopt(credentials, memberships, inquiry)
                } catch {
                    report("adoption_failed", BackendCause.words(of: error))
                }
            }
            state.withLock { $0.present -= 1 }
        }
    }

    /// Waits until nothing is under way.
    func settled() async {
        while state.withLock(\.present) > 0 { await Task.yield() }
    }

    private func adopt(
        _ credentials: Credentials, _ memberships: [ChainMembership], _ inquiry: Inquiry
    ) async throws {
        var told: [Subscription] = []
        for membership in memberships {
            told.append(try await membership.backend.subscription(of: membership.subscriber, inquiry: inquiry))
        }
        let subscription = SubscriptionUnion.of(told)
        // Who is unknown by now, or has to sign in again, is no reader to keep.
        guard subscription.state != .unknown, subscription.state != .stale else { return }
        let origins = memberships.map {
            AdoptionOrigin(backend: $0.subscriber.backend, reference: references.reference(to: $0.subscriber))
        }
        let reader = references.digest("adopted reader", [credentials.identifier])
        let content = digest(credentials, origins, subscription)
        if state.withLock({ $0.written[reader] == content }) { return }
        switch try await adopter.adopt(credentials, from: origins, subscription: subscription) {
        case .written: report("adopted")
        case .othersReader(let backend): report("adoption_conflict", words(origins, backend))
        case .unchanged, .notOurs: break
        }
        state.withLock { $0.written.keep(content, for: reader) }
    }

    /// Keyed, so that it says nothing about the password to who reads the memory.
    private func digest(
        _ credentials: Credentials, _ origins: [AdoptionOrigin], _ subscription: Subscription
    ) -> [UInt8] {
        var parts = origins.flatMap { [$0.backend, $0.reference.description] }
        parts += ["credentials"] + credentials.names.flatMap { [$0, credentials[$0] ?? ""] }
        parts += ["state", subscription.state.rawValue, subscription.message ?? ""]
        switch subscription.entitlement {
        case .allEditions: parts.append("all")
        case .editions(let held): parts += ["editions"] + held.map(\.rawValue).sorted()
        }
        parts.append("periods")
        parts += subscription.periods.map { "\($0.start.timeIntervalSince1970) \($0.end?.timeIntervalSince1970 ?? 0)" }
        parts.append("info")
        parts += subscription.userInfo.flatMap { [$0.scheme, $0.value] }
        return references.digest("adopted content", parts)
    }

    private func words(_ origins: [AdoptionOrigin], _ backend: String) -> String {
        "a reader of \(origins.map(\.backend).joined(separator: ", ")) has the identifier of one adopted from \(backend)"
    }

    private func report(_ event: String, _ detail: String? = nil) {
        observe(BackendEvent(backend: chain, name: event, detail: detail))
    }
}
