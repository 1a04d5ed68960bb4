import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Primitives
import TestSupport
import Testing
import XML

@testable import FrontDoors

@Suite("Feed of editions")
struct PugpigFeedDoorTests {
    private static let secret = Secret("a secret of the edition formula")
    private let clock = ManualClock()
    private let catalogue: CurrentCatalogue

    init() {
        let now = clock.now
        catalogue = CurrentCatalogue(
            Catalogue([
                Edition(
                    id: EditionID("paid")!, title: "Paid & more", published: now - 7_200, product: "store.paid",
                    details: EditionDetails(
                        summary: "What is in it", cover: "covers/paid.png", sample: "paid-sample.xml",
                        categories: ["region=north", "News"])),
                Edition(
                    id: EditionID("free")!, title: "Free", published: now - 86_400, isFree: true, file: "free/index.xml"
                ),
                Edition(id: EditionID("draft")!, title: "Draft", published: now - 60, isDraft: true),
                Edition(id: EditionID("next")!, title: "Next", published: now + 600),
                Edition(id: EditionID("gone")!, title: "Gone", published: now - 90_000, withdrawn: now - 3_600),
            ]))
    }

    private var codec: SealedTokenCodec {
        SealedTokenCodec(publication: .title, secrets: SecretRing(current: Self.secret), random: .seeded(3))
    }

    private func test(
        drafts: Bool = true, _ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void
    ) async throws {
        let feed = PublicationFeed(
            FeedSettings(
                title: "Title", id: "urn:uuid:1", address: "https://www.example.com/title/feed",
                content: ContentAddress("https://cdn.example.com/title/")!, showsDrafts: drafts,
                newsstandApps: ["com.example.title"]),
            catalogue: catalogue,
            verifier: FeedCredentialsVerifier(
                secrets: SecretRing(current: Self.secret), tokens: codec,
                pseudonymKey: PseudonymKey(Secret("a secret for pseudonyms"))),
            revocations: RevocationList(publication: .title))
        let snapshot = FeedSnapshot(FeedDirectory(default: feed, byID: [.title: feed]), clock: clock.wall)
        try await Application(responder: RuledResponder(table: RouteTable([snapshot]))).test(.router, body)
    }

    private func root(_ response: TestResponse) throws -> XMLElement {
        let bytes = Array(response.body.readableBytesView)
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Fixtures/atom/feed.rng").standardizedFileURL
        #expect(try RelaxNGSchema(String(contentsOf: file, encoding: .utf8)).errors(in: bytes) == [])
        return try XMLDocument(parsing: bytes).root
    }

    private func ids(_ root: XMLElement) -> [String] {
        root.children.filter { $0.name == "entry" }.compactMap { $0.child("id")?.text }
    }

    private func links(_ root: XMLElement, _ id: String) -> [String: String] {
        let entry = root.children.first { $0.child("id")?.text == id && $0.name == "entry" }
        let links = entry?.children.filter { $0.name == "link" } ?? []
        return Dictionary(links.map { ($0.attributes["rel"] ?? "", $0.attributes["href"] ?? "") }) { $1 }
    }

    @Test("shows published, priced and deleted editions to every client, and is cacheable")
    func everybody() async throws {
        try await test { client in
            for path in ["/feed", "/feed.xml", "/title/feed", "/title/feed.xml"] {
                let response = try await client.execute(uri: path, method: .get)
                #expect(response.status == .ok)
                #expect(response.headers[.contentType] == "application/atom+xml; charset=utf-8")
                #expect(response.headers[.vary] == "Authorization")
                #expect(response.headers[.cacheControl] == "public, max-age=60")
                #expect(response.headers[.eTag] != nil && response.headers[.lastModified] != nil)
                let root = try root(response)
                #expect(ids(root) == ["paid", "free"])
                #expect(root.child("deleted-entry")?.attributes["ref"] == "gone")
                let paid = links(root, "paid")
                let file = "https://cdn.example.com/title/paid.pugpigpkg"
                #expect(paid["http://opds-spec.org/acquisition/buy"] == file && paid["alternate"] == file)
                #expect(paid["http://opds-spec.org/acquisition/sample"]?.hasSuffix("/paid-sample.xml") == true)
                #expect(paid["http://opds-spec.org/image"] == "https://cdn.example.com/title/covers/paid.png")
                #expect(
                    links(root, "free")["http://opds-spec.org/acquisition"]
                        == "https://cdn.example.com/title/free/index.xml")
                let entry = try #require(root.child("entry"))
                #expect(
                    entry.children.filter { $0.name == "category" }.compactMap { $0.attributes["scheme"] }
                        == ["http://schema.pugpig.com/region", "http://schema.pugpig.com/category"])
                #expect(
                    entry.children.filter { $0.name == "link" }.compactMap { $0.attributes["type"] }
                        == [
                            "image/png", "application/pugpigpkg+xml", "application/pugpigpkg+xml",
                            "application/atom+xml",
                        ])
            }
        }
    }

    @Test("validates with xmllint")
    func xmllint() async throws {
        try await test { client in
            let body = try await client.execute(uri: "/feed", method: .get).body
            try await withTemporaryFolder { folder in
                try Data(body.readableBytesView).write(to: folder.appending(path: "feed.xml"))
                let schema = URL(filePath: #filePath).deletingLastPathComponent()
                    .appending(path: "../../../Fixtures/atom/feed.rng").standardizedFileURL.path
                let run = try await CommandRun.of(
                    "/usr/bin/xmllint", ["--noout", "--relaxng", schema, "feed.xml"], in: folder)
                #expect(run.status == 0, "\(run.errors)")
            }
        }
    }

    private func credentials(expired: Bool = false) throws -> String {
        let token = try codec.seal(
            Session(
                publication: .title, subscriber: Subscriber(backend: "b", key: "1"), device: nil,
                reference: SessionPseudonym(bytes: [1, 2, 3, 4])!, issuedAt: clock.now - 100,
                expiresAt: clock.now + (expired ? -1 : 3_600)))
        let password = EditionPassword.makeForFeed(token: token, secret: Self.secret)
        return "Basic " + Data("\(token):\(password)".utf8).base64EncodedString()
    }

    @Test("shows drafts only to valid feed credentials, and in no shared cache")
    func drafts() async throws {
        let (good, expired) = (try credentials(), try credentials(expired: true))
        try await test { client in
            let response = try await client.execute(uri: "/feed", method: .get, headers: [.authorization: good])
            let root = try root(response)
            #expect(ids(root) == ["next", "draft", "paid", "free"])
            let drafts = root.children.filter { $0.child("control")?.child("draft")?.text == "yes" }
            #expect(drafts.compactMap { $0.child("id")?.text } == ["next", "draft"])
            // The gate opens no draft without credentials, so the app must request them.
            for draft in ["draft", "next"] {
                #expect(links(root, draft)["http://opds-spec.org/acquisition"] == nil)
                #expect(links(root, draft)["http://opds-spec.org/acquisition/buy"]?.contains("/\(draft).") == true)
            }
            #expect(response.headers[.cacheControl] == "private, no-cache")
            #expect(response.headers[.vary] == "Authorization")
            // The public feed has the same address, so its date must not validate this feed.
            let date = try await client.execute(
                uri: "/feed", method: .get,
                headers: [.authorization: good, .ifModifiedSince: "Fri, 31 Dec 2027 23:59:59 GMT"])
            #expect(date.status == .ok)
            let rejected = try await client.execute(uri: "/feed", method: .get, headers: [.authorization: expired])
            #expect(ids(try self.root(rejected)) == ["paid", "free"])
        }
        try await test(drafts: false) { client in
            let response = try await client.execute(uri: "/feed", method: .get, headers: [.authorization: good])
            #expect(ids(try root(response)) == ["paid", "free"])
            #expect(response.headers[.cacheControl] == "public, max-age=60")
        }
    }

    @Test(
        "treats rejected credentials as absent, not as 401", arguments: ["Basic eDp5", "Bearer x", "Basic", ""])
    func rejected(value: String) async throws {
        try await test { client in
            let response = try await client.execute(uri: "/feed", method: .get, headers: [.authorization: value])
            #expect(response.status == .ok)
            #expect(ids(try root(response)) == ["paid", "free"])
            #expect(response.headers[.cacheControl] == "private, no-cache")
            #expect(response.headers[.wwwAuthenticate] == nil)
        }
    }

    @Test("changes at the publication date of an edition, and yields 304 before it")
    func appears() async throws {
        try await test { [clock] client in
            let first = try await client.execute(uri: "/feed", method: .get)
            let tag = try #require(first.headers[.eTag])
            let modified = try #require(first.headers[.lastModified])
            clock.advance(by: 599)
            for headers: HTTPFields in [[.ifNoneMatch: tag], [.ifModifiedSince: modified]] {
                let same = try await client.execute(uri: "/feed", method: .get, headers: headers)
                #expect(same.status == .notModified)
                #expect(same.headers[.cacheControl] == "public, max-age=60")
            }
            clock.advance(by: 1)
            for headers: HTTPFields in [[.ifNoneMatch: tag], [.ifModifiedSince: modified]] {
                let next = try await client.execute(uri: "/feed", method: .get, headers: headers)
                #expect(next.status == .ok)
                #expect(ids(try root(next)) == ["next", "paid", "free"])
            }
        }
    }

    @Test("changes with the catalogue, even within the same second")
    func replaced() async throws {
        try await test { [catalogue] client in
            let first = try await client.execute(uri: "/feed", method: .get)
            let editions = catalogue.value.editions.filter { $0.id.rawValue != "free" }
            catalogue.replace(with: Catalogue(editions))
            let modified = try #require(first.headers[.lastModified])
            let next = try await client.execute(uri: "/feed", method: .get, headers: [.ifModifiedSince: modified])
            #expect(next.status == .ok)
            #expect(ids(try root(next)) == ["paid"])
        }
    }

    @Test("yields 503 while the catalogue is pending, so that apps keep their copy")
    func pending() async throws {
        let good = try credentials()
        try await test { [catalogue] client in
            let before = try await client.execute(uri: "/feed", method: .get)
            let tag = try #require(before.headers[.eTag])
            catalogue.replace(with: .pending)
            for (path, headers): (String, HTTPFields) in [
                ("/feed", [:]), ("/title/feed.xml", [.ifNoneMatch: tag]), ("/feed", [.authorization: good]),
                ("/itunes/com.example.title", [:]),
            ] {
                let response = try await client.execute(uri: path, method: .get, headers: headers)
                #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == "30")
                #expect(response.headers[.cacheControl] == NoCacheHeaders.cacheControl)
                #expect(response.headers[.eTag] == nil)
            }
        }
    }

    @Test("escapes an archive's name and keeps the query of a picture address")
    func addresses() async throws {
        catalogue.replace(
            with: Catalogue([
                Edition(
                    id: EditionID("may")!, title: "May", published: clock.now - 60, file: "2026/May Ausgäbe.zip",
                    details: EditionDetails(cover: "covers/5.jpg?v=3&w=2", sample: "/samples/5.pdf"))
            ]))
        try await test { client in
            let links = links(try root(try await client.execute(uri: "/feed", method: .get)), "may")
            #expect(links["alternate"] == "https://cdn.example.com/title/2026/May%20Ausg%C3%A4be.zip")
            #expect(links["http://opds-spec.org/image"] == "https://cdn.example.com/title/covers/5.jpg?v=3&w=2")
            #expect(links["http://opds-spec.org/acquisition/sample"] == "https://cdn.example.com/samples/5.pdf")
        }
    }

    @Test("is served only at its own paths, and only to GET and HEAD")
    func routes() async throws {
        try await test { client in
            for path in ["/feed/", "/title/feed/", "/other/feed", "//feed", "/itunes/com.example.other"] {
                #expect(try await client.execute(uri: path, method: .get).status == .notFound)
            }
            let head = try await client.execute(uri: "/feed", method: .head)
            #expect(head.status == .ok && head.body.readableBytes == 0)
            #expect(try await client.execute(uri: "/feed", method: .post).status == .methodNotAllowed)
            #expect(try await client.execute(uri: "/feed", method: .options).headers[.allow] == "GET, HEAD, OPTIONS")
        }
    }

    @Test("has a Newsstand variant with the covers of published editions")
    func newsstand() async throws {
        try await test { client in
            let response = try await client.execute(uri: "/itunes/com.example.title", method: .get)
            let root = try root(response)
            #expect(ids(root) == ["paid"])
            let icon = root.child("entry")?.child("cover_art_icons")?.child("cover_art_icon")
            #expect(icon?.attributes["src"] == "https://cdn.example.com/title/covers/paid.png")
            #expect(icon?.attributes["size"] == "SOURCE")
        }
    }
}
