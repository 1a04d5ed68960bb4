import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Rejection jitter")
struct RejectionJitterTests {
    private final class Waits: Sendable {
        let all = Mutex<[Duration]>([])
    }

    private func harness(_ waits: Waits) -> AuthorizationService {
        let id = PublicationID("daily")!
        return AuthorizationService(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: .accessBased)),
            backend: ScriptedBackend(),
            tokens: SealedTokenCodec(publication: id, secrets: SecretRing(current: .one), random: .seeded(1)),
            editionSecrets: SecretRing(current: .two), state: InMemoryStateStore(),
            revocations: RevocationList(publication: id), loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: PseudonymKey(.one),
            rejectionJitter: RejectionJitter(maxDelay: .milliseconds(20), random: .seeded(5)) { wait in
                waits.all.withLock { $0.append(wait) }
            })
    }

    @Test("Pitfall 6: delays every rejection of credentials by a random time, and nothing else")
    func waits() async throws {
        let waits = Waits()
        let authorizationService = harness(waits)
        for _ in 0..<1_000 {
            _ = try await authorizationService.signIn(
                CallContext(fields: ["email": "ada@example.com", "password": "wrong"]))
        }
        _ = try await authorizationService.signIn(
            CallContext(fields: ["email": "ada@example.com", "password": "right"]))
        _ = try await authorizationService.signIn(CallContext(fields: ["email": "ada@example.com"]))
        let all = waits.all.withLock { $0 }
        #expect(all.count == 1_000)
        #expect(all.allSatisfy { (.zero ... .milliseconds(20)).contains($0) })
        // The delays are spread over the whole range: about a tenth of them lies in each tenth.
        for tenth in 0..<10 {
            let count = all.count { Int($0 / .milliseconds(2)) == tenth }
            #expect((50...150).contains(count), "\(tenth): \(count)")
        }
    }
}
