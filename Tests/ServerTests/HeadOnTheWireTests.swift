import Foundation
import FrontDoors
import Hummingbird
import HummingbirdTesting
import Primitives
import TestSupport
import Testing

@testable import Server

/// A server in front with persistent connections would read bytes after the head of a HEAD response as the next
/// response.
@Suite("HEAD responses on persistent connections")
struct HeadOnTheWireTests {
    private static let configuration = """
        server: {public_url: "https://editions.example.com"}
        stores:
          app-store: {kind: apple, bundles: [com.example.daily], verify_receipt: {enabled: true}}
        \(ConfigurationTests.minimal)
            default: true
            apps: [com.example.daily]
            stores: [app-store]
            content: {root: editions}
            catalogue:
              - {id: ed-1, published: 2026-01-01}
              - {id: free, published: 2026-01-02, free: true}
            baker: {}
            basispress: {}
            feed: {content: "https://cdn.example.com/daily/", newsstand: ["123"]}
            cloud_softphone: {methods: [GET, HEAD, POST]}
            deliveries: {kind: webhook, url: "https://billing.example.com/credit", secret: {env: DAILY}}
        """

    static let targets = [
        // Baker: shelf, purchases and download, with their rejections.
        "/issues/com.example.daily/u", "/issues/com.example.other/u", "/issues", "/purchases/com.example.daily/u",
        "/purchases/com.example.daily", "/issue/com.example.daily/u/free", "/issue/com.example.daily/u/ed-1",
        "/issue/com.example.daily/u/none", "/confirmpurchase/com.example.daily/u", "/apns/com.example.daily/u",
        // Basispress.
        "/api/protocol.json?id=com.example.daily", "/api/protocol.json?id=x", "/api/receipt.json?id=com.example.daily",
        "/api/receipt.json?id=x", "/push_tokens.json",
        // Cloud Softphone: incomplete requests and those that the store rejects.
        "/daily/iap", "/daily/iap?receipt=QUJD&productCode=a&username=1001",
        // Pugpig calls, receipts and feeds.
        "/verify_subscription?token=x", "/edition_credentials", "/edition_credentials/itunes", "/feed",
        "/daily/feed.xml",
        "/itunes/123", "/itunes/456", "/other/feed",
        // Linking, store notifications, content, health and an unknown path.
        "/link", "/daily/unlink", "/notifications/app-store", "/notifications/none", "/content/daily/free.hpub",
        "/auth-request/original-uri", "/healthz", "/nowhere",
    ]

    @Test("A HEAD response has no body, and the next response belongs to the next request", arguments: [true, false])
    func head(isPipelined: Bool) async throws {
        try await withParts(Self.configuration) { parts, configuration in
            let set = try parts.assemble(configuration)
            let router = MainRouter(
                publications: ReloadableSnapshot(set), clock: .system, readiness: { .ready })
            try await Application(router: router, server: .channelRetaining).test(.live) { client in
                let http = RawHTTP(port: client.port ?? 0)
                for target in Self.targets {
                    try await expectNoBody(target, isPipelined: isPipelined, http)
                }
            }
        }
    }

    private func expectNoBody(_ target: String, isPipelined: Bool, _ http: RawHTTP) async throws {
        let (head, get) = ("HEAD \(target) HTTP/1.1\r\nHost: a\r\n\r\n", "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        let last = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        do {
            let (first, second, third) = try await http.withConnection { connection in
                try await connection.send(isPipelined ? head + get + last : head)
                let first = try await connection.readResponse(isHead: true)
                if !isPipelined { try await connection.send(get) }
                let second = try await connection.readResponse()
                if !isPipelined { try await connection.send(last) }
                let third = try await connection.readResponse()
                try await connection.readNothingMore()
                return (first, second, third)
            }
            #expect(third.status == 200 && third.text == "ok\n", "\(target)")
            // A call that does not support HEAD has another status. Otherwise the length equals that of GET.
            if first.status == second.status, let length = first["Content-Length"], length != "0" {
                #expect(length == second["Content-Length"], "\(target)")
            }
        } catch {
            Issue.record("HEAD \(target): \(error)")
        }
    }
}
