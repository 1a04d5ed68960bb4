import BackendFixtures
import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

/// Compares verification with edition credentials for every reader of each fixture's real system.
@Suite("Agreement of verification and edition credentials") struct AgreementTests {
    @Test(
        "An edition opens if and only if the verification lists it or reports all editions",
        arguments: BackendFixtureCase.all)
    func agreement(system: BackendFixtureCase) async throws {
        try await system.withBackend(limit: 10) { _, backend in
            let now = Date()
            let known = [StandardReaders.firstEdition, StandardReaders.secondEdition].compactMap { EditionID($0) }
            let prefix = "com.example.daily."
            let shelf = Agreement.catalogue(at: now, prefix: prefix).editions
            let held = [
                Edition(id: known[0], title: "First", published: now - 200),
                // Not published yet, although the system lists it.
                Edition(id: known[1], title: "Second", published: now + 86_400),
            ]
            for policy in EntitlementPolicy.allCases {
                for catalogue in [Catalogue(), Catalogue(shelf), Catalogue(shelf + held)] {
                    let authorizationService = Self.authorizationService(
                        backend, EntitlementRule(policy: policy, catalogue: catalogue))
                    for reader in StandardReaders.all {
                        let fields = ["email": reader.email, "password": reader.password]
                        guard
                            case .signedIn(let token, _, _) = try await authorizationService.signIn(
                                CallContext(fields: fields))
                        else {
                            Issue.record("\(reader.email) was rejected")
                            continue
                        }
                        let found = try await Agreement.contradictions(
                            of: authorizationService, token: token, about: known + Agreement.editions(prefix: prefix),
                            at: now)
                        #expect(found == [], "\(reader.email) under \(policy), \(catalogue.editions.count) editions")
                    }
                }
            }
        }
    }

    private static func authorizationService(_ backend: any SubscriberBackend, _ rule: EntitlementRule)
        -> AuthorizationService
    {
        let id = PublicationID("daily")!
        let secret = Secret(Array("a secret of the suite".utf8))
        return AuthorizationService(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]), rule: rule),
            backend: backend,
            tokens: SealedTokenCodec(publication: id, secrets: SecretRing(current: secret), random: .system),
            editionSecrets: SecretRing(current: secret), state: InMemoryStateStore(),
            revocations: RevocationList(publication: id), loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: PseudonymKey(secret))
    }
}
