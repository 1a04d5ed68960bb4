import Foundation
import InPlayer
import TestSupport
import Testing

@Suite("Session in a file")
struct SessionStorageTests {
    private let session = StoredSession(
        accessToken: "a", refreshToken: "r", expires: Date(timeIntervalSince1970: 1_793_534_400), account: nil)

    @Test("survives a restart, is readable by its owner only, and is deleted on removal")
    func received() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("session.json")
            let storage = FileSessionStorage(file)
            #expect(try storage.load() == nil)
            try storage.remove()
            try storage.save(session)
            var other = session
            other.accessToken = "b"
            try storage.save(other)
            #expect(try FileSessionStorage(file).load() == other)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["session.json"])
            try storage.remove()
            #expect(try storage.load() == nil)
        }
    }

    @Test("is stored with its account")
    func account() async throws {
        try await withTemporaryFolder { folder in
            let storage = FileSessionStorage(folder.appendingPathComponent("session.json"))
            let transport = ScriptedTransport { _ in .json(Shapes.session("new")) }
            let client = InPlayerClient(
                merchant: InPlayerMerchant(uuid: "m"), storage: storage, transport: transport, now: { Shapes.now })
            let session = try await client.accounts.signIn("ada", password: "engine")
            #expect(session.account?.metadata == ["city": "London"])
            #expect(try storage.load() == session)
        }
    }

    @Test("an unreadable or unwritable storage causes a storage error instead of a sign-out")
    func broken() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("session.json")
            try Data("{".utf8).write(to: file)
            let transport = ScriptedTransport { _ in .json(Shapes.session("new")) }
            func client(_ storage: FileSessionStorage) -> InPlayerClient {
                InPlayerClient(merchant: InPlayerMerchant(uuid: "m"), storage: storage, transport: transport)
            }
            var error = await #expect(throws: InPlayerError.self) {
                try await client(FileSessionStorage(file)).accounts.current()
            }
            guard case .storage = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(FileManager.default.fileExists(atPath: file.path))
            let nowhere = FileSessionStorage(folder.appendingPathComponent("none/session.json"))
            error = await #expect(throws: InPlayerError.self) {
                try await client(nowhere).accounts.signIn("a", password: "b")
            }
            guard case .storage = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("never reveals its tokens")
    func redacted() {
        let shown = "\(session) \(String(reflecting: session)) \(String(describing: [session]))"
        #expect(!shown.contains("\"a\"") && !shown.contains("refreshToken"))
        let request = TransportRequest(method: "GET", url: "https://x/y?password=1", body: Array("secret".utf8))
        #expect("\(request)" == "GET https://x/y")
        #expect(!"\(StoreReceipt.apple("MIIB"))".contains("MIIB"))
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("inplayer-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
