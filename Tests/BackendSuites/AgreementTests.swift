import BackendBenches
import Foundation
import Gatefold
import TestSupport
import Testing

/// What a verification lists and what edition credentials open, for every reader of each bench's real system.
@Suite("In front of every system, under every policy") struct AgreementTests {
    @Test("an edition opens if and only if the verification lists it, or says everything", arguments: BenchCase.all)
    func agreement(system: BenchCase) async throws {
        try await system.withBackend(limit: 10) { _, backend in
            let now = Date()
            let known = [StandardReaders.firstEdition, StandardReaders.secondEdition].compactMap { EditionID($0) }
            let prefix = "com.example.daily."
            let shelf = Agreement.catalogue(at: now, prefix: prefix).editions
            let held = [
                Edition(id: known[0], title: "First", published: now - 200),
                // Not out yet, though the system lists it.
                Edition(id: known[1], title: "Second", published: now + 86_400),
            ]
            for policy in EntitlementPolicy.allCases {
                for catalogue in [Catalogue(), Catalogue(shelf), Catalogue(shelf + held)] {
                    let proxy = Self.proxy(backend, EntitlementRule(policy: policy, catalogue: catalogue))
                    for reader in StandardReaders.all {
                        let fields = ["email": reader.email, "password": reader.password]
                        guard case .signedIn(let token, _, _) = try await proxy.signIn(Inquiry(fields: fields)) else {
                            Issue.record("\(reader.email) is not recognised")
                            continue
                        }
                        let found = try await Agreement.contradictions(
                            of: proxy, token: token, about: known + Agreement.editions(prefix: prefix), at: now)
                        #expect(found == [], "\(reader.email) under \(policy), \(catalogue.editions.count) editions")
                    }
                }
            }
        }
    }

    private static func proxy(_ backend: any SubscriberBackend, _ rule: EntitlementRule) -> PublicationProxy {
        let id = PublicationID("daily")!
        let secret = Secret(Array("a secret of the suite".utf8))
        return PublicationProxy(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]), rule: rule),
            backend: backend,
            tokens: SealedTokenCodec(publication: id, secrets: SecretRing(current: secret), random: .system),
            editionSecrets: SecretRing(current: secret), state: VolatileStateStore(),
            revocations: RevocationList(publication: id), guesses: UnlimitedGuesses(), references: ReferenceKey(secret))
    }
}
