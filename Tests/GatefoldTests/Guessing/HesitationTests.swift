import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

@Suite("Hesitation")
struct HesitationTests {
    private final class Waits: Sendable {
        let all = Mutex<[Duration]>([])
    }

    private func rig(_ waits: Waits) -> PublicationProxy {
        let id = PublicationID("daily")!
        return PublicationProxy(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: .accessBased)),
            backend: ScriptedBackend(),
            tokens: SealedTokenCodec(publication: id, secrets: SecretRing(current: .one), random: .seeded(1)),
            editionSecrets: SecretRing(current: .two), state: VolatileStateStore(),
            revocations: RevocationList(publication: id), guesses: UnlimitedGuesses(), references: ReferenceKey(.one),
            hesitation: Hesitation(longest: .milliseconds(20), random: .seeded(5)) { wait in
                waits.all.withLock { $0.append(wait) }
            })
    }

    @Test("Pitfall 6: comes before every refusal of credentials, for a random time, and before nothing else")
    func waits() async throws {
        let waits = Waits()
        let proxy = rig(waits)
        for _ in 0..<1_000 {
            _ = try await proxy.signIn(Inquiry(fields: ["email": "ada@example.com", "password": "wrong"]))
        }
        _ = try await proxy.signIn(Inquiry(fields: ["email": "ada@example.com", "password": "right"]))
        _ = try await proxy.signIn(Inquiry(fields: ["email": "ada@example.com"]))
        let all = waits.all.withLock { $0 }
        #expect(all.count == 1_000)
        #expect(all.allSatisfy { (.zero ... .milliseconds(20)).contains($0) })
        // Spread over the whole of it, a tenth in each tenth but for chance.
        for tenth in 0..<10 {
            let count = all.count { Int($0 / .milliseconds(2)) == tenth }
            #expect((50...150).contains(count), "\(tenth): \(count)")
        }
    }
}
