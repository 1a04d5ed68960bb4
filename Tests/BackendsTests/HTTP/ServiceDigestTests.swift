import BackendFixtures
import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Digest authentication with the reader's password")
struct ServiceDigestTests {
    private func with(
        _ body: (PHPService, any SubscriberBackend) async throws -> Void
    ) async throws {
        try await PHPService.run { service in
            let backend = try openService(
                """
                kind: http
                base: \(service.base)/digest
                credentials: {identifier: email, proofs: [password]}
                calls:
                  sign_in:
                    authorization: {digest: {user: "{email}", password: "{password}"}}
                    read: {result: {json: /result}}
                    authenticated: {when: {result: ok}}
                    rejected: {status: [401], by_status: true}
                  subscription: {read: {state: {json: /state}}}
                """)
            try await body(service, backend)
        }
    }

    private let wrong = ["email": "ada@example.com", "password": "wrong"]

    @Test("The right password is authenticated, and the wrong one is rejected")
    func passwords() async throws {
        try await with { _, backend in
            let right = try await backend.authenticate(StandardReaders.ada.fields, identifier: "email")
            #expect(right != nil)
            let nobody = try await backend.authenticate(wrong, identifier: "email")
            #expect(nobody == nil)
        }
    }

    @Test("A 401 without a supported challenge is an outage")
    func noChallenge() async throws {
        try await with { service, backend in
            try service.setMode("nochallenge")
            for fields in [StandardReaders.ada.fields, wrong] {
                await #expect(throws: AuthorizationFailure.noChallenge) {
                    try await backend.authenticate(fields, identifier: "email")
                }
            }
            try service.setMode("")
            #expect(try await backend.authenticate(StandardReaders.ada.fields, identifier: "email") != nil)
            try service.setMode("nochallenge")
            await #expect(throws: AuthorizationFailure.noChallenge, "with the stored nonce") {
                try await backend.authenticate(StandardReaders.ada.fields, identifier: "email")
            }
        }
    }

    @Test("A stale nonce is retried once with a new one; a second stale nonce is an outage")
    func stale() async throws {
        try await with { service, backend in
            try service.setMode("stale1")
            #expect(try await backend.authenticate(StandardReaders.ada.fields, identifier: "email") != nil)
            try service.setMode("stale9")
            for fields in [StandardReaders.ada.fields, wrong] {
                await #expect(throws: AuthorizationFailure.alwaysStale) {
                    try await backend.authenticate(fields, identifier: "email")
                }
            }
        }
    }
}
