import Catalogues
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("A publication's catalogue in the configuration")
struct CatalogueAssemblyTests {
    private func read(_ catalogue: String) throws -> GatefoldConfiguration {
        try GatefoldConfiguration(
            try YAMLSettings.read(
                text: ConfigurationTests.least + "\n" + catalogue, name: "gatefold.yaml", folder: "/srv",
                environment: ConfigurationTests.environment))
    }

    @Test("says everything about an edition")
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
        "is refused with what was expected",
        arguments: [
            (
                "[{id: a, published: 2026-01-01, product: p}, {id: b, published: 2026-01-02, product: p}]",
                "catalogue[1].product: the editions a and b have one product"
            ),
            (
                "[{id: a, published: 2026-01-01}, {id: b, published: 2026-01-02, product: a}]",
                "catalogue[1].product: the editions a and b have one product"
            ),
            ("[{id: a, published: 2026-01-01}, {id: a, published: 2026-01-02}]", "the edition a stands twice"),
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

    @Test("needs what its feed needs")
    func feed() throws {
        #expect(throws: SettingsError.self) { try read("    feed: {content: https://x.example.com/, drafts: feed}") }
        #expect(throws: SettingsError.self) { try read("    feed: {}") }
        #expect(throws: SettingsError.self) { try read("    content: {root: /x}\n    feed: {newsstand: [a]}") }
        let feed = try read("    feed_password: true\n    content: {root: /x}\n    feed: {drafts: feed}").publications[
            0
        ].feed
        #expect(feed?.content.prefix == "/content/daily/" && feed?.id.hasPrefix("urn:uuid:") == true)
        #expect(try read("    feed: {enabled: false, content: https://x.example.com/}").publications[0].feed == nil)
    }

    private static let following =
        ConfigurationTests.least + """

                default: true
                feed: {content: https://cdn.example.com/daily/}
                catalogue:
            """

    private static let source = following + " {kind: baker, path: shelf.json"

    private func write(_ names: [String], beside configuration: GatefoldConfiguration) throws {
        let items = names.map { #"{"name": "\#($0)", "date": "2026-10-01 00:00:00"}"# }
        let folder = URL(filePath: configuration.state.path).deletingLastPathComponent()
        try Data("[\(items.joined(separator: ","))]".utf8).write(to: folder.appending(path: "shelf.json"))
    }

    @Test("stays in force when the configuration is read again, and is the gate's, the rule's and the feed's own")
    func reload() async throws {
        try await withParts(Self.source + "}") { parts, configuration in
            let id = PublicationID("daily")!
            try write(["a", "b"], beside: configuration)
            let first = try parts.assemble(configuration)
            let kept = try #require(first.catalogues[id])
            await kept.follow()
            let same = try parts.assemble(configuration, keeping: first)
            #expect(same.catalogues[id] === kept)
            let changed = try parts.assemble(
                try reread(configuration, Self.source + ", refresh: 1h}"), keeping: same)
            let next = try #require(changed.catalogues[id])
            #expect(next !== kept && next.current.value == kept.current.value)
            #expect(changed.directory.byID[id]?.publication.rule.currentCatalogue === next.current)
            try write(["a", "c"], beside: configuration)
            await next.follow()
            let router = MainRouter.make(
                publications: CurrentPublications(changed), clock: .system, readiness: { .ready })
            try await Application(router: router).test(.router) { client in
                for path in ["/feed", "/daily/feed.xml"] {
                    let response = try await client.execute(uri: path, method: .get)
                    #expect(response.status == .ok)
                    // The no-cache rule of everything else leaves it alone.
                    #expect(response.headers[.cacheControl] == "public, max-age=60")
                    #expect(response.headers[.eTag] != nil)
                    #expect(String(buffer: response.body).contains("https://cdn.example.com/daily/c.pugpigpkg"))
                }
            }
        }
    }

    @Test("that moves from the configuration to a source shows what it showed until that one answers")
    func fromList() async throws {
        try await withParts(Self.following + " [{id: a, published: 2026-01-01}]") { parts, configuration in
            let id = PublicationID("daily")!
            let first = try parts.assemble(configuration)
            let next = try parts.assemble(try reread(configuration, Self.source + "}"), keeping: first)
            #expect(next.catalogues[id]?.current.value.editions.map(\.id.rawValue) == ["a"])
            await next.catalogues[id]?.follow()
            #expect(next.catalogues[id]?.current.value.editions.count == 1)
        }
    }

    @Test("that was never fetched is awaited, at the start and where a reload adds it: no door shows an empty one")
    func awaited() async throws {
        try await withParts(Self.source + "}") { parts, configuration in
            let set = try parts.assemble(configuration)
            await CatalogueFollower.begin(set.catalogues) { _ in }
            let bare = try parts.assemble(try reread(configuration, ConfigurationTests.least))
            let added = try parts.assemble(configuration, keeping: bare)
            for publications in [set, added] {
                #expect(publications.catalogues.all.map(\.current.value.isAwaited) == [true])
                let router = MainRouter.make(
                    publications: CurrentPublications(publications), clock: .system, readiness: { .ready })
                try await Application(router: router).test(.router) { client in
                    let feed = try await client.execute(uri: "/feed", method: .get)
                    #expect(feed.status == .serviceUnavailable && feed.headers[.retryAfter] != nil)
                }
            }
        }
    }

    /// The configuration after a change of its file.
    private func reread(_ configuration: GatefoldConfiguration, _ text: String) throws -> GatefoldConfiguration {
        let folder = URL(filePath: configuration.state.path).deletingLastPathComponent()
        return try GatefoldConfiguration(
            try YAMLSettings.read(
                text: text, name: "gatefold.yaml", folder: folder.path, environment: ConfigurationTests.environment))
    }

    @Test("has a node be degraded while it is old, and is measured")
    func health() async throws {
        let text = ConfigurationTests.least + "\n    catalogue: {kind: baker, path: nothing.json}"
        try await withParts(text) { parts, configuration in
            let publications = CurrentPublications(try parts.assemble(configuration))
            let administration = CatalogueAdministration(publications: publications, clock: .system)
            await publications.value.catalogues.all[0].follow()
            let line = try #require(administration.health().first)
            #expect(
                !line.isGood && line.text == "catalogue daily: old, 0 editions, never fetched, 1 failed fetches since")
            administration.measure()
        }
    }
}
