import Foundation
import InPlayer
import TestSupport
import Testing

@Suite("The guide to the library")
struct GuideTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL

    private static func blocks() throws -> [String] {
        try String(
            contentsOf: root.appending(path: "Sources/InPlayer/InPlayer.docc/InPlayer.md"), encoding: .utf8
        ).components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    @Test("shows, word for word, what is compiled here, and comes from the manifest to a purchase in forty lines")
    func wordForWord() throws {
        let file = Self.root.appending(path: "Tests/InPlayerTests/Guide/Kiosk.swift")
        let compiled = try #require(
            try String(contentsOf: file, encoding: .utf8).components(separatedBy: "// mark: begin\n").last?
                .components(separatedBy: "// mark: end").first)
        let blocks = try Self.blocks()
        #expect(blocks[1] == compiled)
        #expect(blocks[...1].joined().split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
    }

    @Test("shows a manifest that is one, and names a product that there is")
    func manifest() async throws {
        let blocks = try Self.blocks()
        try await withTemporaryFolder { folder in
            try blocks[0].write(to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
            let run = try await CommandRun.of("/usr/bin/env", ["swift", "package", "dump-package"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.contains(#""InPlayer""#))
        }
        let own = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(own.contains(#".library(name: "InPlayer", targets: ["InPlayer"])"#))
    }

    @Test("shows a sign-in that tells a wrong password, and a purchase that ends with the content")
    func kiosk() async throws {
        let isPaid = Kept(false)
        let transport = ScriptedTransport { request in
            switch request.target {
            case "/accounts/authenticate":
                return request.form.contains("password=engine") ? .json(Shapes.session("a")) : Shapes.error(401)
            case "/items/43929/access":
                return isPaid.withLock(\.self) ? .json(Shapes.access) : Shapes.error(402)
            case "/v2/external-payments/apple/validate":
                isPaid.withLock { $0 = request.form == "receipt=signed&item_id=43929&access_fee_id=4805" }
                return .json(#"{"code":200,"message":"Submitted for payment"}"#)
            default: return Shapes.error(404)
            }
        }
        let kiosk = Kiosk(client: client(transport, signedIn: false))
        #expect(try await kiosk.signIn("ada@example.com", "wrong") == nil)
        #expect(try await kiosk.signIn("ada@example.com", "engine")?.fullName == "Ada Lovelace")
        let content = try await kiosk.content(of: 43_929, fee: 4_805) { product in
            #expect(product == "43929_4805")
            return "signed"
        }
        #expect(content == "<p>hello</p>")
    }
}
