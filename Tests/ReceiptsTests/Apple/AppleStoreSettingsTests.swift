import Commerce
import Foundation
import OutgoingRequests
import Primitives
import Settings
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("App Store settings")
struct AppleStoreSettingsTests {
    private func read(_ text: String, in folder: URL, environment: [String: String] = [:]) throws -> AppleStoreSettings
    {
        let section = try YAMLSettings.read(
            text: text, name: "gatefold.yaml", folder: folder.path, environment: environment)
        let settings = try StoreRegistry.read(name: AppleFixture.store, settings: section)
        try section.finish()
        return try #require(settings as? AppleStoreSettings)
    }

    private func withRoots(_ body: (URL) async throws -> Void) async throws {
        let authority = try await ReceiptAuthority.shared.value
        try await withTemporaryFolder { folder in
            try Data(authority.rootBytes).write(to: folder.appending(path: "root.cer"))
            try ReceiptAuthority.write(authority.root.text, "root.pem", in: folder)
            try ReceiptAuthority.write("hello", "hello.pem", in: folder)
            try await body(folder)
        }
    }

    @Test("Reads the settings and applies defaults to omitted keys")
    func good() async throws {
        try await withRoots { folder in
            let minimal = try read("kind: apple\nbundles: [com.example.daily]\nroots: [root.cer]", in: folder)
            #expect(minimal.environments == [.production] && minimal.verifyReceipt == nil && minimal.server == nil)
            #expect(minimal.apps.bundles == ["com.example.daily"] && minimal.apps.roots.count == 1)
            let maximal = try read(
                """
                kind: apple
                bundles: [com.example.daily, com.example.daily.ipad]
                environments: [production, sandbox]
                roots: [root.cer, root.pem]
                ocsp: soft
                shared_secret: {env: ALL}
                shared_secrets:
                  com.example.daily.ipad: {env: IPAD}
                verify_receipt:
                  enabled: true
                  sandbox: https://localhost:4443/verifyReceipt
                  timeout: 5s
                protection:
                  deadline: 8s
                  concurrency: {max_concurrent: 4}
                  breaker: {enabled: false}
                """, in: folder, environment: ["ALL": "a", "IPAD": "b"])
            #expect(maximal.apps.roots.count == 2 && maximal.apps.roots[0] == maximal.apps.roots[1])
            #expect(maximal.apps.appID == nil && maximal.environments == [.production, .sandbox])
            let numbered = try read(
                "kind: apple\nbundles: [com.example.daily]\napp_id: 361309726\nroots: [root.cer]", in: folder)
            #expect(numbered.apps.appID == 361_309_726)
            // One number for two apps would reject the notifications about one app.
            #expect(throws: SettingsError.self) {
                try read("kind: apple\nbundles: [a.b, c.d]\napp_id: 361309726\nroots: [root.cer]", in: folder)
            }
            let verify = try #require(maximal.verifyReceipt)
            #expect(verify.production.text == "https://buy.itunes.apple.com/verifyReceipt")
            #expect(verify.sandbox.text == "https://localhost:4443/verifyReceipt" && verify.http.timeout == 5)
            #expect(verify.secret(of: "com.example.daily.ipad")?.bytes == Array("b".utf8))
            #expect(verify.secret(of: "com.example.daily")?.bytes == Array("a".utf8))
            #expect(maximal.protection.deadline == 8 && maximal.protection.breaker == nil)
            let services = StoreServices(clock: .system, random: .seeded(1))
            #expect(try maximal.open(services).sells(app: "com.example.daily.ipad"))
        }
    }

    @Test("Allows empty roots only where every receipt goes to Apple, and then warns")
    func noRoots() async throws {
        try await withRoots { folder in
            let error = #expect(throws: SettingsError.self) { try read("kind: apple\nbundles: [a.b]", in: folder) }
            #expect(error?.key == "roots" && error?.description.contains("apple.com/certificateauthority") == true)
            let text = "kind: apple\nbundles: [a.b]\nverify_receipt: {enabled: true}"
            let section = try YAMLSettings.read(text: text, name: "a", folder: folder.path, environment: [:])
            _ = try StoreRegistry.read(name: AppleFixture.store, settings: section)
            #expect(section.warnings.map(\.key) == ["roots"])
            let local = try read("kind: apple\nbundles: [a.b]\nenvironments: [xcode]", in: folder)
            #expect(local.environments == [.xcode])
        }
    }

    @Test(
        "Rejects a mix of local test environments with production or sandbox",
        arguments: [
            "[production, xcode]", "[sandbox, local-testing]", "[]", "[Production]",
        ])
    func environments(_ list: String) async throws {
        try await withRoots { folder in
            let error = #expect(throws: SettingsError.self) {
                try read("kind: apple\nbundles: [a.b]\nroots: [root.cer]\nenvironments: \(list)", in: folder)
            }
            #expect(error?.key == "environments")
        }
    }

    @Test(
        "Names the key of each error",
        arguments: [
            ("roots: [nowhere.cer]", "roots"), ("roots: [hello.pem]", "roots"), ("app_id: daily", "app_id"),
            ("verify_receipt: {production: 'http://localhost/'}", "verify_receipt.production"),
            ("verify_receipt: {enable: true}", "verify_receipt.enable"), ("shared_secret: abc", "shared_secret"),
            ("protection: {cache: {}}", "protection.cache"), ("root: [root.cer]", "root"), ("bundles: []", "bundles"),
            ("server_api: {}", "server_api.issuer"),
        ])
    func bad(_ line: String, _ key: String) async throws {
        try await withRoots { folder in
            let others = ["bundles: [a.b]", "roots: [root.cer]"].filter { $0.prefix(5) != line.prefix(5) }
            let error = #expect(throws: SettingsError.self) {
                try read((["kind: apple", line] + others).joined(separator: "\n"), in: folder)
            }
            #expect(error?.key == key)
        }
    }
}

@Suite("Article on Apple")
struct AppleArticleTests {
    @Test("Shows a configuration that the settings reader accepts")
    func example() async throws {
        let article = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Receipts/Receipts.docc/Apple.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        let block = try #require(text.components(separatedBy: "```yaml\n").last?.components(separatedBy: "```").first)
        let authority = try await ReceiptAuthority.shared.value
        try await withTemporaryFolder { folder in
            for name in ["AppleIncRootCertificate.cer", "AppleRootCA-G3.cer"] {
                try Data(authority.rootBytes).write(to: folder.appending(path: name))
            }
            try await ReceiptAuthority.run(
                [
                    "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                    "SubscriptionKey_2X9R4HXF34.p8",
                ], in: folder)
            let stores = try YAMLSettings.read(
                text: block, name: "gatefold.yaml", folder: folder.path, environment: ["APPLE_SHARED_SECRET": "x"]
            ).section("stores")
            let section = try stores.section("app-store")
            let settings = try StoreRegistry.read(name: AppleFixture.store, settings: section)
            try section.finish()
            #expect(settings.environments == [.production, .sandbox] && section.warnings.isEmpty)
        }
    }
}
