import Foundation
import InPlayer
import TestSupport
import Testing

@Suite("Guide to the library")
struct GuideTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL

    private static func article() throws -> String {
        try String(contentsOf: root.appending(path: "Sources/InPlayer/InPlayer.docc/InPlayer.md"), encoding: .utf8)
    }

    private static func blocks() throws -> [String] {
        try article().components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    /// Returns the code between the markers of a file in this folder.
    private static func compiled(_ file: String) throws -> String {
        let text = try String(contentsOf: root.appending(path: "Tests/InPlayerTests/Guide/\(file)"), encoding: .utf8)
        return try #require(
            text.components(separatedBy: "// mark: begin\n").last?.components(separatedBy: "// mark: end").first)
    }

    @Test("shows exactly the code compiled here, and needs forty lines from the manifest to a purchase")
    func quoted() throws {
        let blocks = try Self.blocks()
        #expect(Array(blocks.dropFirst()) == [try Self.compiled("Kiosk.swift"), try Self.compiled("Clients.swift")])
        #expect(blocks[...1].joined().split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
    }

    @Test("has no other code blocks")
    func fences() throws {
        let fences = try Self.article().split(separator: "\n").filter { $0.hasPrefix("```") }
        #expect(fences.count == 6)
        for (number, fence) in fences.enumerated() { #expect(fence == (number % 2 == 0 ? "```swift" : "```")) }
    }

    @Test("shows a client that calls the configured service, and is nil for an invalid URL")
    func madeClient() async throws {
        try await withTemporaryFolder { folder in
            let client = try #require(makeClient(services: "https://editions.example.com/daily/", folder: folder))
            #expect(client.environment.services == "https://editions.example.com/daily")
            #expect(client.environment.notificationKeys == "https://editions.example.com/daily/iot/keys")
            for address in ["", "editions.example.com", "ftp://editions.example.com", "https://a.example/?b=c"] {
                #expect(makeClient(services: address, folder: folder) == nil, "\(address)")
            }
        }
    }

    @Test("shows a valid manifest with an existing product")
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

    @Test("shows a sign-in that detects a wrong password, and a purchase that returns the content")
    func kiosk() async throws {
        let isPaid = Locked(false)
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
        let others: [TransportResponse] = [
            Shapes.error(402), Shapes.error(404), Shapes.error(429), .json("<html>", status: 401),
        ]
        for response in others {
            let other = Kiosk(client: client(ScriptedTransport { _ in response }, signedIn: false))
            await #expect(throws: InPlayerError.self) { try await other.signIn("ada@example.com", "engine") }
        }
        #expect(try await kiosk.signIn("ada@example.com", "engine")?.fullName == "Ada Lovelace")
        let content = try await kiosk.content(of: 43_929, fee: 4_805) { product in
            #expect(product == "43929_4805")
            return "signed"
        }
        #expect(content == "<p>hello</p>")
    }
}
