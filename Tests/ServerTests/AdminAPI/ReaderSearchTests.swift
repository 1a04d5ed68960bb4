import Backends
import Commerce
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import JSON
import Primitives
import State
import TestSupport
import Testing

@testable import AdminAPI
@testable import Server

@Suite("Admin API: search for readers") struct ReaderSearchTests {
    private typealias Fixture = AdminAPIFixture

    @Test("Finds a reader by the identifier in any letter case, and by the backend's own key")
    func names() async throws {
        try await Fixture.with { fixture in
            try await fixture.add("grace@example.com,active,,")
            let token = try await fixture.token(.support)
            let found = await fixture.readers("Grace@Example.com", token)
            let reader = try #require(found.first)
            #expect(found.count == 1 && reader.matched == "identifier")
            let subscriber = try #require(ReaderHandle.open(reader.handle, key: fixture.key))
            #expect(subscriber.backend == "house" && subscriber.key == reader.key)
            #expect(reader.json["pseudonym"]?.text == fixture.key.reference(to: subscriber).description)
            let byKey = await fixture.readers(reader.key, token)
            #expect(byKey.map(\.key) == [reader.key] && byKey.first?.matched == "key")
            let nobody = await fixture.find("nobody@example.com", token)
            #expect(nobody.json["readers"]?.items?.isEmpty == true && nobody.json["is_complete"] == true)
            #expect(await fixture.send(.get, fixture.path(reader.handle), token).status == 200)
        }
    }

    @Test("Finds a reader by the pseudonym of a log line, and by the device, if the timeline has the reader")
    func pseudonyms() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            let ada = fixture.ada
            let pseudonym = fixture.key.reference(to: ada.subscriber)
            #expect(await fixture.readers(pseudonym.description, token).isEmpty)
            let unknown = await fixture.find(ada.device.description, token)
            #expect(unknown.json["readers"]?.items?.isEmpty == true && unknown.json["is_complete"] == false)
            try await fixture.know(ada.subscriber)
            for (query, matched) in [(pseudonym.description, "pseudonym"), (ada.device.description, "device")] {
                let found = await fixture.readers(query, token)
                #expect(found.map(\.key) == [ada.subscriber.key] && found.first?.matched == matched)
            }
        }
    }

    @Test("Finds the reader of a token, also of an expired session, and sends no token to a subscriber system")
    func tokens() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            let service = try #require(fixture.publications.value.directory.byID[Fixture.daily])
            let issued = Date(timeIntervalSinceNow: -9_000)
            let session = Session(
                publication: Fixture.daily, subscriber: fixture.ada.subscriber, device: nil,
                reference: SessionPseudonym(fixture.ada.device), issuedAt: issued, expiresAt: issued + 60)
            let sealed = try fixture.codec(of: service).seal(session)
            let found = await fixture.readers(sealed, token)
            #expect(found.map(\.key) == [fixture.ada.subscriber.key] && found.first?.matched == "token")
            // Another publication does not know it, and nothing tells it from garbage.
            let foreign = await fixture.find(sealed, token, in: Fixture.weekly)
            let garbage = await fixture.find(String(repeating: "A", count: sealed.count), token, in: Fixture.weekly)
            #expect(foreign.status == 200 && foreign.text == garbage.text)
            #expect(ReaderSearch.resemblesToken(sealed) && ReaderSearch.resemblesToken(token))
        }
    }

    @Test("Finds the subscriber with whom the buyer of a transaction is linked, and says if there is none")
    func orders() async throws {
        let stores = """
            stores:
              app-store: {kind: apple, bundles: [com.example.daily], verify_receipt: {enabled: true}}

            """
        let text = (stores + Fixture.configuration).replacing(
            "    backend: house\n", with: "    backend: house\n    stores: [app-store]\n    apps: [com.example.daily]\n"
        )
        try await Fixture.with(text) { fixture in
            let token = try await fixture.token(.support)
            let buyer = fixture.key.owner(installation: "1", of: "com.example.daily")
            let now = Date(timeIntervalSince1970: 1_793_000_000)
            let store = try #require(StoreName("app-store"))
            let bought = ["com.example.daily.1", "com.example.weekly.1"].map { product in
                StoreTransaction(
                    store: store, id: "order of \(product)", original: "order of \(product)", product: product,
                    purchased: now, environment: .production, reported: now)
            }
            let receipt = try await fixture.state.persist(
                IncomingReceipt(
                    publication: Fixture.daily, store: store, owner: buyer, receipt: StoreReceipt([.receipt: "r"]),
                    credit: nil), at: now)
            _ = try await fixture.state.settle(
                receipt, proving: bought, claims: ClaimRule(maxPersons: 10), delivering: [], at: now)
            let unlinked = await fixture.find(bought[0].id, token).json
            #expect(unlinked["readers"]?.items?.isEmpty == true && unlinked["is_complete"] == false)
            let ada = fixture.ada.subscriber
            try await fixture.state.link(
                buyer, to: fixture.key.owner(ada), reference: fixture.key.reference(to: ada), in: Fixture.daily,
                sealed: try fixture.key.seal(ada), limit: 10, at: now)
            let found = await fixture.readers(bought[0].id, token)
            #expect(found.map(\.key) == [ada.key] && found.first?.matched == "order")
            let foreign = await fixture.find(bought[1].id, token).json
            #expect(foreign["readers"]?.items?.isEmpty == true && foreign["is_complete"] == true)
        }
    }

    @Test(
        "Identifiers are not taken for tokens",
        arguments: [
            "ada@example.com", "6f1c0a9d2b7e34", "0b6f3f5e-9d3b-4a51-8a43-3e2f9a1c7d10",
            "uid=ada,ou=people,dc=example,dc=com,o=a-very-long-organisation-name-of-a-publisher",
            String(repeating: "a", count: 64),
        ])
    func identifiers(text: String) { #expect(!ReaderSearch.resemblesToken(text)) }

    @Test("A reader of another publication is not found, by whatever name")
    func isolation() async throws {
        try await Fixture.with { fixture in
            try await fixture.add("zora@example.com,active,,", to: "other")
            let zoe = fixture.zoe
            try await fixture.know(zoe.subscriber)
            let token = try await fixture.token(.admin)
            let zora = try #require(await fixture.readers("zora@example.com", token, in: Fixture.weekly).first)
            let own = try await fixture.token(.admin, in: [Fixture.daily])
            let empty = await fixture.find("nobody@example.com", own).text
            for query in [
                "zora@example.com", zora.key, fixture.key.reference(to: zoe.subscriber).description,
                zoe.device.description, "planted-weekly",
            ] {
                #expect(await fixture.find(query, own).text == empty, "\(query)")
                #expect(await fixture.find(query, own, in: Fixture.weekly).status == 404)
            }
        }
    }

    @Test("A backend that does not respond is reported, and is not taken for one without the reader")
    func outage() async throws {
        let text = Fixture.remoteConfiguration.replacing("  house:", with: "  gone:").replacing(
            "  other:",
            with: """
                  house: {kind: chain, members: [{backend: members}, {backend: gone}]}
                  members: {kind: sqlite, path: house.sqlite}
                  other:
                """)
        try await Fixture.with(text) { fixture in
            try await fixture.add("grace@example.com,active,,", to: "members")
            let token = try await fixture.token(.support)
            for (query, count) in [("grace@example.com", 1), ("nobody@example.com", 0)] {
                let found = await fixture.find(query, token).json
                #expect(found["readers"]?.items?.count == count && found["is_complete"] == false)
                let failed = found["unavailable"]?.items ?? []
                #expect(failed.contains { $0["backend"]?.text == "gone" && $0["cause"]?.text?.isEmpty == false })
            }
        }
    }

    @Test("The audit log has the search before its result, without the query, and each reader who was found")
    func audit() async throws {
        try await Fixture.with { fixture in
            try await fixture.add("grace@example.com,active,,")
            let token = try await fixture.token(.support)
            let reader = try #require(await fixture.readers("grace@example.com", token).first)
            let entries = try await fixture.audited()
            let entered = AuditSubject.identifier("grace@example.com", fixture.key).description
            let pseudonym = try #require(reader.json["pseudonym"]?.text)
            #expect(entries.map(\.action) == ["reader.search", "reader.search", "reader.search"])
            #expect(entries.map(\.subject) == [entered, entered, "subscriber:\(pseudonym)"])
            #expect(entries[1].details.contains("found=1"))
            #expect(!"\(entries)".contains("grace"))
            #expect(!fixture.lines.withLock { $0.joined() }.contains("grace"))
        }
    }
}

extension AdminAPIFixture {
    /// Records an event of a reader, so that the pseudonym is known.
    func know(_ subscriber: Subscriber, _ event: TimelineEvent = TimelineEvent(.signIn, in: daily)) async throws {
        let pseudonym = key.reference(to: subscriber)
        let known = KnownReader(pseudonym: pseudonym, sealed: try SealedReader(subscriber, key))
        try await state.append(
            TimelineBatch(
                [TimelineEntry(event, of: .subscriber(pseudonym), at: Date(timeIntervalSinceNow: -1))], readers: [known]
            ))
    }

    /// Returns the codec of the tokens of a publication.
    func codec(of service: AuthorizationService) throws -> any TokenCodec {
        let configuration = try #require(publications.value.configuration)
        let publication = try #require(
            configuration.publications.first { $0.publication.id == service.publication.id })
        return try Bootstrap.tokenCodec(for: publication, in: configuration, random: .system)
    }
}
