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
                    file: 2026/a.pugpigpkg
                    summary: In it
                    author: They
                    cover: covers/a.png
                    sample: https://cdn.example.com/a.pdf
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
                    product: "store.a", file: "2026/a.pugpigpkg",
                    details: EditionDetails(
                        summary: "In it", author: "They", cover: "covers/a.png",
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

    @Test("stays in force when the configuration is read again, and is the gate's, the rule's and the feed's own")
    func reload() async throws {
        let text =
            ConfigurationTests.least + """

                    default: true
                    catalogue: {kind: baker, path: shelf.json}
                    feed: {content: https://cdn.example.com/daily/}
                """
        try await withParts(text) { parts, configuration in
            let first = try parts.assemble(configuration)
            let second = try parts.assemble(configuration, keeping: first)
            let id = PublicationID("daily")!
            #expect(first.catalogues[id] === second.catalogues[id])
            let kept = try #require(second.catalogues[id])
            #expect(second.directory.byID[id]?.publication.rule.currentCatalogue === kept.current)
            kept.current.replace(with: Catalogue([Edition(id: EditionID("a")!, title: "A", published: .distantPast)]))
            let router = MainRouter.make(
                publications: CurrentPublications(second), clock: .system, readiness: { .ready })
            try await Application(router: router).test(.router) { client in
                for path in ["/feed", "/daily/feed.xml"] {
                    let response = try await client.execute(uri: path, method: .get)
                    #expect(response.status == .ok)
                    // The no-cache rule of everything else leaves it alone.
                    #expect(response.headers[.cacheControl] == "public, max-age=60")
                    #expect(response.headers[.eTag] != nil)
                    #expect(String(buffer: response.body).contains("https://cdn.example.com/daily/a.pugpigpkg"))
                }
            }
        }
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
