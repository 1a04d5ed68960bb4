import Foundation
import Gatefold
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@Suite("Responses shown in the guides to Baker, Basispress and linking")
struct GuideResponsesTests {
    /// Returns the code blocks of a language in an article, with an elided ticket removed.
    private static func blocks(_ kind: String, in article: String) throws -> [String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/FrontDoors/FrontDoors.docc/\(article).md").standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "```\(kind)\n").dropFirst().compactMap {
            $0.split(separator: "\n```").first.map(String.init)
        }
    }

    private static func withoutDownloadToken(_ text: String) -> String {
        text.replacing(/\?ticket=[^"]*/, with: "?ticket=…")
    }

    @Test("are given")
    func responses() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let september = StorefrontHarness.editions.filter { $0.id.rawValue == "ed-09" }
            storefrontHarness.catalogue.replace(with: Catalogue(september))
            let receipt = storefrontHarness.store.accept(
                "one", storefrontHarness.store.purchase("com.example.september", id: "1"))
            var given: Set<String> = []
            func send(_ target: String, _ body: String? = nil) async throws {
                given.insert(Self.withoutDownloadToken(try await client.send(target, body).text))
            }
            let path = "com.example.daily/\(StorefrontHarness.user)"
            let installation = "app_id=com.example.daily&user_id=\(StorefrontHarness.user)"
            try await send("/issues/\(path)")
            try await send("/confirmpurchase/\(path)", "receipt_data=\(receipt)&type=issue")
            try await send("/purchases/\(path)")
            try await send("/api/protocol.json?id=com.example.daily")
            try await send("/api/receipt.json?id=com.example.daily&data=x")
            try await send("/daily/link", "\(installation)&token=\(try await storefrontHarness.signIn())")
            try await send("/daily/unlink", installation)
            storefrontHarness.catalogue.replace(
                with: Catalogue(
                    september.map {
                        Edition(id: $0.id, title: $0.title, published: $0.published, product: "com.example.september")
                    }))
            try await send("/api/receipt.json?id=com.example.daily&data=\(receipt.formEncoded)")
            for (article, count) in [("Baker", 3), ("Basispress", 3), ("Linking", 2)] {
                let shown = try Self.blocks("json", in: article)
                #expect(shown.count == count)
                for block in shown { #expect(given.contains(block), "\(article): \(block)") }
            }
        }
    }
}
