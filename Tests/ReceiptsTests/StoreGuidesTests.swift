import Commerce
import Foundation
import Primitives
import Settings
import TestSupport
import Testing

@testable import Receipts

@Suite("Guides to the stores")
struct StoreGuidesTests {
    @Test("Show usable settings", arguments: ["GooglePlay", "AmazonAppstore"])
    func settings(article: String) async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Receipts/Receipts.docc/\(article).md").standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        let yaml = try #require(
            text.components(separatedBy: "```yaml\n").dropFirst().first?.components(separatedBy: "```").first)
        try await withTemporaryFolder { folder in
            let key = try await SigningKey("app", in: folder)
            try Data("2:shared".utf8).write(to: folder.appending(path: "amazon-shared-secret"))
            let account = FakeGooglePlay.account(
                key: try key.privatePEM, tokenURL: "https://oauth2.googleapis.com/token")
            try Data(account.utf8).write(to: folder.appending(path: "play-service-account.json"))
            let full = try yaml.replacing(#/MIIB\S+…/#, with: key.licence)
            let stores = try YAMLSettings.read(text: full, name: "a.yaml", folder: folder.path, environment: [:])
                .section("stores")
            for name in stores.names {
                let store = try #require(StoreName(name))
                let opened = try StoreRegistry.read(name: store, settings: stores.section(name))
                    .open(StoreServices(clock: .system, random: .system))
                #expect(opened.store == store)
            }
        }
    }
}
