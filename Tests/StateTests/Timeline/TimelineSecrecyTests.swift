import Accounts
import Commerce
import Foundation
import GRDB
import Gatefold
import Primitives
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Personal data in the timeline") struct TimelineSecrecyTests {
    private static let planted = [
        "planted.reader@example.com", "planted.stranger@example.com", "planted-password", "planted-wrong",
        "planted-device", "planted-key-4711", "planted-edition",
    ]

    @Test(
        "Pitfall 37: a planted identifier, key, password, device, refused edition or token is in no row, in no encoding"
    )
    func planted() async throws {
        try await withTemporaryFolder { folder in
            let store = try SQLStateStore(path: folder + "/state.sqlite")
            let key = PseudonymKey(Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
            let recorder = TimelineRecorder(store: store, pseudonymKey: key)
            let tokens = try await calls(store, key, recorder)
            await recorder.flush()

            let (events, readers) = try await store.pool.read { db in
                (
                    try Row.fetchAll(db, sql: "SELECT * FROM reader_event").map(Self.bytes),
                    try Row.fetchAll(db, sql: "SELECT * FROM known_reader").map(Self.bytes)
                )
            }
            let kinds = [
                "device_added", "sign_in", "sign_in_refused", "credentials_issued", "session_ended", "refused",
                "purchase_rejected",
            ]
            for kind in kinds { #expect(events.contains { $0.contains(Data(kind.utf8)) }, "\(kind)") }
            #expect(readers.count == 1)
            let stored = (events + readers).flatMap(\.self)
            for planted in Self.planted + tokens {
                for needle in Self.encodings(of: planted) {
                    #expect(!stored.contains { $0.range(of: needle) != nil }, "\(planted)")
                }
            }
            // The search finds what is there.
            #expect(stored.contains { $0.range(of: Data("wrong_credentials".utf8)) != nil })
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/state.sqlite-wal"))
            for planted in Self.planted.prefix(4) + tokens {
                #expect(bytes.range(of: Data(planted.utf8)) == nil, "\(planted)")
            }
        }
    }

    /// Makes calls with planted values, and returns the tokens.
    private func calls(_ store: SQLStateStore, _ key: PseudonymKey, _ recorder: TimelineRecorder) async throws
        -> [String]
    {
        let backend = ScriptedBackend(name: "members")
        backend.authenticateWith { credentials in
            let reader = Subscriber(backend: "members", key: "planted-key-4711", upstreamSession: "planted-password")
            guard credentials.identifier == "planted.reader@example.com" else { return .rejected(message: nil) }
            return credentials["password"] == "planted-password"
                ? .authenticated(reader) : .rejected(message: nil, found: FoundSubscribers([reader]))
        }
        var publication = Publication(
            id: daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: .accessBased, catalogue: Catalogue()))
        publication.deviceField = "device"
        let secrets = SecretRing(current: Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
        let service = AuthorizationService(
            publication: publication, backend: backend,
            tokens: SealedTokenCodec(publication: daily, secrets: secrets, random: .seeded(60)),
            editionSecrets: secrets, state: store, revocations: RevocationList(publication: daily),
            loginThrottle: UnlimitedLoginAttempts(), pseudonymKey: key, random: .seeded(61)
        ).recording(in: recorder)
        func signIn(_ identifier: String, _ password: String) async throws -> SignInResult {
            try await service.signIn(
                CallContext(fields: ["email": identifier, "password": password, "device": "planted-device"]))
        }
        _ = try await signIn("Planted.Stranger@example.com", "planted-wrong")
        _ = try await signIn("planted.reader@example.com", "planted-wrong")
        guard case .signedIn(let token, _, _) = try await signIn("planted.reader@example.com", "planted-password")
        else {
            Issue.record("expected a session")
            return []
        }
        let issued = try await service.editionCredentials(
            token: token, edition: "com.example.november", CallContext())
        guard case .granted(let pair, _, _) = issued else {
            Issue.record("expected credentials")
            return []
        }
        let owner = key.owner(installation: "planted-device", of: "com.example.app")
        recorder.recordUnverified(
            TimelineEvent(.purchaseRejected, in: daily, reason: RefusalReason.receiptMalformed.rawValue),
            of: .owner(owner), client: nil)
        backend.response(Subscription(state: .suspended))
        let refused = try await service.editionCredentials(token: token, edition: "planted-edition", CallContext())
        if case .granted = refused { Issue.record("expected a refusal") }
        try await service.signOut(token: token, CallContext())
        return [token, pair.password]
    }

    /// Returns the values of a row.
    private static func bytes(_ row: Row) -> [Data] {
        row.map { _, value in
            switch value.storage {
            case .null: Data()
            case .int64(let number): Data(String(number).utf8)
            case .double(let number): Data(String(number).utf8)
            case .string(let text): Data(text.utf8)
            case .blob(let data): data
            }
        }
    }

    /// The text as it is, in upper case, in hexadecimal digits, in base64 and as digests without a key.
    private static func encodings(of text: String) -> [Data] {
        let bytes = Array(text.utf8)
        return [
            Data(bytes), Data(text.uppercased().utf8), Data(Hexadecimal.encode(bytes).utf8),
            Data(Data(bytes).base64EncodedString().prefix(16).utf8),
        ]
    }
}
