import Foundation
import Gatefold
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@Suite("The answers that the guides to Baker, Basispress and linking show")
struct GuideAnswersTests {
    /// The blocks of code of a kind in an article, an elided ticket cut off.
    private static func blocks(_ kind: String, in article: String) throws -> [String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/FrontDoors/FrontDoors.docc/\(article).md").standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "```\(kind)\n").dropFirst().compactMap {
            $0.split(separator: "\n```").first.map(String.init)
        }
    }

    private static func withoutTicket(_ text: String) -> String {
        text.replacing(/\?ticket=[^"]*/, with: "?ticket=…")
    }

    @Test("are given")
    func answers() async throws {
        try await withKiosk { kiosk, client async throws in
            let september = Kiosk.editions.filter { $0.id.rawValue == "ed-09" }
            kiosk.catalogue.replace(with: Catalogue(september))
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("com.example.september", id: "1"))
            var given: Set<String> = []
            func ask(_ target: String, _ body: String? = nil) async throws {
                given.insert(Self.withoutTicket(try await client.ask(target, body).text))
            }
            let path = "com.example.daily/\(Kiosk.user)"
            let installation = "app_id=com.example.daily&user_id=\(Kiosk.user)"
            try await ask("/issues/\(path)")
            try await ask("/confirmpurchase/\(path)", "receipt_data=\(receipt)&type=issue")
            try await ask("/purchases/\(path)")
            try await ask("/api/protocol.json?id=com.example.daily")
            try await ask("/api/receipt.json?id=com.example.daily&data=x")
            try await ask("/daily/link", "\(installation)&token=\(try await kiosk.signIn())")
            try await ask("/daily/unlink", installation)
            kiosk.catalogue.replace(
                with: Catalogue(
                    september.map {
                        Edition(id: $0.id, title: $0.title, published: $0.published, product: "com.example.september")
                    }))
            try await ask("/api/receipt.json?id=com.example.daily&data=\(receipt.formEncoded)")
            for (article, count) in [("Baker", 3), ("Basispress", 3), ("Linking", 2)] {
                let shown = try Self.blocks("json", in: article)
                #expect(shown.count == count)
                for block in shown { #expect(given.contains(block), "\(article): \(block)") }
            }
        }
    }
}
