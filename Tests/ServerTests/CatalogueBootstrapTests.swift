import Catalogues
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Primitives
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Catalogue in the configuration")
struct CatalogueBootstrapTests {
    private func read(_ catalogue: String) throws -> GatefoldConfiguration {
        try GatefoldConfiguration(
            try YAMLSettings.read(
                text: ConfigurationTests.minimal + "\n" + catalogue, name: "gatefold.yaml", folder: "/srv",
                environment: ConfigurationTests.environment))
    }

    @Test("Reads all details of an edition")
    func everything() throws {
        let editions = try read(
            """
                catalogue:
                  - id: a
                    title: A
                    published: 2026-11-01T06:00:00Z
                    product: store.a
                    file: 2026/a b.pugpigpkg
                    summary: In it
                    author: They
                    cover: covers/a b.png
                    sample: HTTPS://cdn.example.com/a.pdf
                    previews: [p/1.png]
                    categories: [News, region=north]
                    contents:
                      - {pages: "4", text: Weather}
                    updated: 2026-11-02
                  - {id: b, published: 2026-11-01, draft: true}
                  - {id: c, published: 2026-10-01, free: true, withdrawn: 2026-10-02}
            """
        ).publications[0].publication.rule.catalogue.editions
        #expect(
            editions.first
                == Edition(
                    id: EditionID("a")!, title: "A", published: Date(timeIntervalSince1970: 1_793_512_800),
                    product: "store.a", file: "2026/a b.pugpigpkg",
                    details: EditionDetails(
                        summary: "In it", author: "They", cover: "covers/a%20b.png",
                        sample: "https://cdn.example.com/a.pdf",
                        previews: ["p/1.png"], categories: ["News", "region=north"],
                        contents: [.init(pages: "4", text: "Weather")],
                        updated: Date(timeIntervalSince1970: 1_793_577_600))))
        #expect(editions.map(\.isDraft) == [false, true, false])
        #expect(editions.last?.withdrawn != nil && editions.last?.isFree == true)
    }

    @Test(
        "Rejects mistakes with the expected value",
        arguments: [
            (
                "[{id: a, published: 2026-01-01, product: p}, {id: b, published: 2026-01-02, product: p}]",
                "catalogue[1].product: the editions a and b share a product"
            ),
            (
                "[{id: a, published: 2026-01-01}, {id: b, published: 2026-01-02, product: a}]",
                "catalogue[1].product: the editions a and b share a product"
            ),
            ("[{id: a, published: 2026-01-01}, {id: a, published: 2026-01-02}]", "the edition a is listed twice"),
            ("[{id: a, published: 2026-01-01, file: ../b}]", "catalogue[0].file: expected a path below"),
            ("[{id: a, published: 2026-01-01, cover: 'javascript:x'}]", "catalogue[0].cover: expected an http"),
            ("[{id: a, published: 2026-01-01, cover: //cdn.example.com/x}]", "catalogue[0].cover: expected an http"),
            ("[{id: a, published: 2026-01-01, sample: 'http:x'}]", "catalogue[0].sample: expected an http"),
            ("[{id: a, published: 2026-01-01, file: a%20b}]", "catalogue[0].file: expected a path below"),
            ("[{id: a, published: 2026-01-01, prise: 3}]", "unknown key"),
            ("{kind: gopher}", "expected one of atom, baker, odbc, postgresql, sqlite"),
            ("{kind: atom}", "catalogue.url: missing"),
            ("{kind: atom, url: 'ftp://x/y'}", "expected an address such as"),
            ("{kind: baker, path: shelf.json, refrech: 1m}", "did you mean `refresh`?"),
            ("{kind: sqlite, path: x}", "catalogue.query: missing"),
        ])
    func mistakes(text: String, message: String) {
        #expect {
            try read("    catalogue: \(text)")
        } throws: { error in
            "\(error)".contains(message)
        }
    }

    @Test("Rejects a feed without its required settings")
    func feed() throws {
        #expect(throws: SettingsError.self) { try read("    feed: {content: https://x.example.com/, drafts: feed}") }
        #expect(throws: SettingsError.self) { try read("    feed: {}") }
        #expect(throws: SettingsError.self) { try read("    content: {root: /x}\n    feed: {newsstand: [a]}") }
        let feed = try read("    feed_password: true\n    content: {root: /x}\n    feed: {drafts: feed}").publications[
            0
        ].frontDoors[PugpigFeedDoor.self]
        #expect(feed?.content.prefix == "/content/daily/" && feed?.id.hasPrefix("urn:uuid:") == true)
        #expect(
            try read("    feed: {enabled: false, content: https://x.example.com/}").publications[0].frontDoors[
                PugpigFeedDoor.self] == nil)
    }

    private static let following =
        ConfigurationTests.minimal + """

                default: true
                feed: {content: https://cdn.example.com/daily/}
                catalogue:
            """

    private static let source = following + " {kind: baker, path: shelf.json"

    private func write(_ names: [String], alongside configuration: GatefoldConfiguration) throws {
        let items = names.map { #"{"name": "\#($0)", "date": "2026-10-01 00:00:00"}"# }
        let folder = URL(filePath: configuration.state.location.folder)
        try Data("[\(items.joined(separator: ","))]".utf8).write(to: folder.appending(path: "shelf.json"))
    }

    @Test("A reload preserves the followed catalogue for the gate, the rule and the feed")
    func reload() async throws {
        try await withParts(Self.source + "}") { parts, configuration in
            let id = PublicationID("daily")!
            try write(["a", "b"], alongside: configuration)
            let first = try parts.assemble(configuration)
            let catalogue = try #require(first.catalogues[id])
            await catalogue.follow()
            let same = try parts.assemble(configuration, reusing: first)
            #expect(same.catalogues[id] === catalogue)
            let changed = try parts.assemble(
                try reread(configuration, Self.source + ", refresh: 1h}"), reusing: same)
            let next = try #require(changed.catalogues[id])
            #expect(next !== catalogue && next.current.value == catalogue.current.value)
            #expect(changed.directory.byID[id]?.publication.rule.currentCatalogue === next.current)
            try write(["a", "c"], alongside: configuration)
            await next.follow()
            let router = MainRouter(
                publications: ReloadableSnapshot(changed), clock: .system, readiness: { .ready })
            try await Application(router: router).test(.router) { client in
                for path in ["/feed", "/daily/feed.xml"] {
                    let response = try await client.execute(uri: path, method: .get)
                    #expect(response.status == .ok)
                    // The general no-cache headers do not apply here.
                    #expect(response.headers[.cacheControl] == "public, max-age=60")
                    #expect(response.headers[.eTag] != nil)
                    #expect(String(buffer: response.body).contains("https://cdn.example.com/daily/c.pugpigpkg"))
                }
            }
        }
    }

    @Test("A catalogue that moves to a source shows the former editions until the source responds")
    func fromList() async throws {
        try await withParts(Self.following + " [{id: a, published: 2026-01-01}]") { parts, configuration in
            let id = PublicationID("daily")!
            let first = try parts.assemble(configuration)
            let next = try parts.assemble(try reread(configuration, Self.source + "}"), reusing: first)
            #expect(next.catalogues[id]?.current.value.editions.map(\.id.rawValue) == ["a"])
            await next.catalogues[id]?.follow()
            #expect(next.catalogues[id]?.current.value.editions.count == 1)
        }
    }

    @Test("A catalogue never fetched is pending, at the start and after a reload, and the feed is unavailable")
    func pending() async throws {
        try await withParts(Self.source + "}") { parts, configuration in
            let set = try parts.assemble(configuration)
            await CatalogueFollower.begin(set.catalogues) { _ in }
            let bare = try parts.assemble(try reread(configuration, ConfigurationTests.minimal))
            let added = try parts.assemble(configuration, reusing: bare)
            for publications in [set, added] {
                #expect(publications.catalogues.all.map(\.current.value.isPending) == [true])
                let router = MainRouter(
                    publications: ReloadableSnapshot(publications), clock: .system, readiness: { .ready })
                try await Application(router: router).test(.router) { client in
                    let feed = try await client.execute(uri: "/feed", method: .get)
                    #expect(feed.status == .serviceUnavailable && feed.headers[.retryAfter] != nil)
                }
            }
        }
    }

    /// Returns the configuration after a change of its file.
    private func reread(_ configuration: GatefoldConfiguration, _ text: String) throws -> GatefoldConfiguration {
        let folder = URL(filePath: configuration.state.location.folder)
        return try GatefoldConfiguration(
            try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: folder.path, environment: ConfigurationTests.environment))
    }

    @Test("A stale catalogue marks the node as degraded and is measured")
    func health() async throws {
        let text = ConfigurationTests.minimal + "\n    catalogue: {kind: baker, path: nothing.json}"
        try await withParts(text) { parts, configuration in
            let publications = ReloadableSnapshot(try parts.assemble(configuration))
            let administration = CatalogueAdministration(publications: publications, clock: .system)
            await publications.value.catalogues.all[0].follow()
            let line = try #require(administration.health().first)
            #expect(
                !line.isGood && line.text == "catalogue daily: stale, 0 editions, never fetched, 1 failed fetches since"
            )
            administration.measure()
        }
    }
}
