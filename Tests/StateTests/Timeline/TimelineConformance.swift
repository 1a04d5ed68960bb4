import Commerce
import Foundation
import Gatefold
import Primitives
import State
import TestSupport
import Testing

@Suite("Timeline of readers", .stateServers) struct TimelineConformance {
    private static let states = TestedStore<any StateStore>.durable { $0 }
    private static let reader = TimelineSubject.subscriber(subscriber(1))

    private func entry(
        _ number: Int, of subject: TimelineSubject = reader, at seconds: TimeInterval? = nil
    ) -> TimelineEntry {
        TimelineEntry(
            TimelineEvent(.refused, in: daily, detail: String(number)), of: subject,
            at: noon + (seconds ?? Double(number)))
    }

    private func details(
        _ store: any StateStore, of subject: TimelineSubject = reader, before position: TimelinePosition? = nil,
        limit: Int = 1_000
    ) async throws -> [String?] {
        try await store.entries(of: subject, before: position, limit: limit).map(\.entry.event.detail)
    }

    @Test("Returns an event with all that was recorded", arguments: states)
    func values(kind: TestedStore<any StateStore>) async throws {
        try await kind.with { store in
            let full = TimelineEntry(
                TimelineEvent(
                    .downloadRefused, in: daily, call: "download", reason: "session_revoked", device: device(3),
                    edition: EditionID("com.example.november"), backend: "members", freshness: "stale",
                    detail: "é\u{1F600}"),
                of: Self.reader, at: noon + 0.123_456, until: noon + 7, count: 3)
            let bare = TimelineEntry(
                TimelineEvent(.signIn), of: .identifier(TypedIdentifier(bytes: [UInt8](0..<16))!), at: noon)
            try await store.append(TimelineBatch([full, bare]))
            #expect(try await store.entries(of: full.subject, before: nil, limit: 9).map(\.entry) == [full])
            #expect(try await store.entries(of: bare.subject, before: nil, limit: 9).map(\.entry) == [bare])
        }
    }

    @Test("Pages are newest first, and none misses or repeats an event, also of one time", arguments: states)
    func pages(kind: TestedStore<any StateStore>) async throws {
        try await kind.with { store in
            // Two nodes write late and out of order.
            for number in [3, 1, 2, 5, 4] {
                try await store.append(TimelineBatch([entry(number, at: Double(number / 2) + 0.1)]))
            }
            try await store.append(TimelineBatch([entry(9, of: .subscriber(subscriber(2)))]))
            var (seen, position): ([String?], TimelinePosition?) = ([], nil)
            while let last = try await store.entries(of: Self.reader, before: position, limit: 2).last {
                seen += try await details(store, before: position, limit: 2)
                position = last.position
            }
            #expect(seen == ["4", "5", "2", "3", "1"])
        }
    }

    @Test("Only the newest events of a trimmed reader remain", arguments: states)
    func trimmed(kind: TestedStore<any StateStore>) async throws {
        try await kind.with { store in
            let other = TimelineSubject.owner(buyer(1))
            try await store.append(TimelineBatch((0..<250).map { entry($0) } + [entry(1, of: other)]))
            try await store.append(TimelineBatch([entry(250)], trimming: [Self.reader, other], to: 10))
            #expect(try await details(store) == (241...250).reversed().map { String($0) })
            #expect(try await details(store, of: other) == ["1"])
        }
    }

    @Test("A pseudonym of the log leads to the reader, until the reader is erased", arguments: states)
    func knownReader(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2) { stores async throws in
            let key = PseudonymKey(Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
            let reader = Subscriber(backend: "members", key: "planted-4711 \u{e9}")
            let pseudonym = key.reference(to: reader)
            let known = KnownReader(pseudonym: pseudonym, sealed: try SealedReader(reader, key))
            let subject = TimelineSubject.subscriber(pseudonym)
            for store in stores { try await store.append(TimelineBatch([entry(1, of: subject)], readers: [known])) }
            #expect(try await stores[1].knownReader(pseudonym)?.subscriber(key) == reader)
            #expect(try await stores[1].knownReader(subscriber(9)) == nil)
            let other = PseudonymKey(Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
            #expect(try await stores[1].knownReader(pseudonym)?.subscriber(other) == nil)

            try await stores[0].append(TimelineBatch([entry(2)]))
            #expect(try await stores[0].eraseTimeline(of: [subject, .owner(buyer(1))]) == 2)
            #expect(try await stores[1].knownReader(pseudonym) == nil)
            #expect(try await details(stores[1], of: subject).isEmpty)
            #expect(try await details(stores[1]) == ["2"])
            #expect(try await stores[1].eraseTimeline(of: [subject]) == 0)
        }
    }

    @Test("The erasure of a buyer's purchases erases the events of the purchases", arguments: states)
    func buyerErased(kind: TestedStore<any StateStore>) async throws {
        try await kind.with { store in
            try await store.append(TimelineBatch([entry(1, of: .owner(buyer(1))), entry(2, of: .owner(buyer(2)))]))
            #expect(try await store.erase(buyer(1)) == 0)
            #expect(try await details(store, of: .owner(buyer(1))).isEmpty)
            #expect(try await details(store, of: .owner(buyer(2))) == ["2"])
        }
    }

    @Test("Pitfall 21: events and readers are deleted by age, by the store's clock", arguments: states)
    func retention(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let key = PseudonymKey(Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
            let reader = Subscriber(backend: "members", key: "1")
            let known = KnownReader(pseudonym: key.reference(to: reader), sealed: try SealedReader(reader, key))
            store.retainTimeline(for: 10 * 86_400)
            try await store.append(TimelineBatch((0..<2_500).map { entry($0) }))
            clock.advance(by: 43_200)
            try await store.append(TimelineBatch([], readers: [known]))
            clock.advance(by: 43_200)
            try await store.maintain(for: 8, clock)
            try await store.append(TimelineBatch([entry(1, at: 9 * 86_400)]))
            #expect(try await details(store, limit: 9_999).count == 2_501)
            // A clock that jumps deletes nothing for as long as an operator may need to notice it.
            clock.step(by: 400 * 86_400)
            _ = try await store.maintain()
            #expect(try await details(store, limit: 9_999).count == 2_501)
            clock.step(by: -400 * 86_400)
            try await store.maintain(for: 2, clock)
            #expect(try await details(store) == ["1"])
            #expect(try await store.knownReader(known.pseudonym) != nil)
            try await store.maintain(for: 1, clock)
            #expect(try await store.knownReader(known.pseudonym) == nil)
        }
    }

    @Test("A page of the staff's actions and the events, each once and by time", arguments: states)
    func merged(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let key = PseudonymKey(Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
            let subscriber = Subscriber(backend: "members", key: "1")
            let (pseudonym, owner) = (key.reference(to: subscriber), key.owner(subscriber))
            var reader = TimelineReader()
            reader.add(subscriber, key)
            reader.add(identifier: "Ann@Example.com ", key)
            let audited: [AuditSubject] = [.subscriber(pseudonym), .owner(owner), .identifier("ann@example.com ", key)]
            let subjects: [TimelineSubject] = [
                .subscriber(pseudonym), .owner(owner), .identifier(key.typedIdentifier("ann@example.com")),
            ]
            for number in 0..<9 {
                try await store.append(
                    TimelineBatch([entry(number, of: subjects[number % 3], at: Double(2 * number))]))
                clock.advance(by: 2)
                try await store.append(
                    AuditRecord(
                        .tokenRevoke, by: AuditActor(.commandLineUser, name: "ada@console"), of: audited[number % 3],
                        details: AuditDetails([("number", String(number))])),
                    to: AuditChain(key))
                try await store.append(TimelineBatch([entry(100 + number, of: .subscriber(Self.otherReader))]))
            }
            var (seen, cursor): ([String], TimelineCursor?) = ([], nil)
            repeat {
                let page = try await ReaderTimeline(store).page(of: reader, after: cursor, limit: 4)
                #expect(page.items.count == 4 || page.next == nil)
                seen += page.items.map { item in
                    switch item {
                    case .event(let stored): stored.entry.event.detail ?? ""
                    case .staff(let entry): entry.details.split(separator: "\n").joined()
                    }
                }
                cursor = page.next.flatMap { TimelineCursor($0.description) }
                #expect(cursor == page.next)
            } while cursor != nil
            #expect(seen == (0..<9).reversed().flatMap { ["number=\($0)", String($0)] })
        }
    }

    private static let otherReader = subscriber(77)
}
