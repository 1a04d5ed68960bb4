import Backends
import Foundation
import FrontDoors
import HTTPTypes
import HummingbirdTesting
import NIOCore
import PasswordHashing
import Primitives
import TestSupport
import Testing
import XML

@Suite("Pitfall 6: user enumeration")
struct EnumerationTests {
    @Test("All rejected sign-ins get identical bytes, in every request style", arguments: RequestStyle.all)
    func sameBytes(spelling: RequestStyle) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatefold-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let hasher = try PasswordHasher(cost: 1, pepper: Secret("a pepper of 32 bytes, for tests!"))
        let database = try SubscriberDatabase(path: folder.appending(path: "subscribers.sqlite").path)
        let foreign = "$1$k2XAnEHB$gSpCGj8tputEsDyOYa0191"
        let rows = [
            ("active", try hasher.hash("right")), ("suspended", try hasher.hash("right")), ("none", ""),
            ("keyed", try hasher.keyedHash("right")), ("foreign", foreign),
        ].map { "\($0.0),\($0.1),\($0.0 == "suspended" ? "suspended" : "automatic")\n" }
        let file = folder.appending(path: "subscribers.csv")
        try ("identifier,password_hash,state\n" + rows.joined()).write(to: file, atomically: true, encoding: .utf8)
        let report = try await SubscriberImport(into: database, hasher: hasher).run(file: file.path)
        try #require(report.added == 5)
        let backend = SubscriberDatabaseBackend(
            name: "embedded", database: database, proof: .init(field: "password"),
            verifier: PasswordVerifier(hasher: hasher, concurrency: 1))
        try await FrontDoorHarness.scripted(backend).test { client in
            var seen: Set<[String]> = []
            for user in ["unknown", "active", "suspended", "none", "keyed", "foreign"] {
                let response = try await client.call("sign_in", ["username": user, "password": "wrong"], spelling)
                seen.insert(
                    [response.status.description, String(buffer: response.body)]
                        + response.headers.map(\.description).sorted())
            }
            #expect(seen.count == 1)
            #expect(seen.first?[1].contains("notrecognised") == true)
            // Sign-in does not reveal the state of the subscription either.
            for user in ["active", "suspended"] {
                let document = try PugpigDocumentResponse(
                    try await client.call("sign_in", ["username": user, "password": "right"], spelling), .token)
                #expect(document.root.name == "token")
                #expect(document.root.attributes.isEmpty)
            }
        }
    }
}
