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
    private static let otherReader = TimelineSubject.subscriber(subscriber(77))
    private static let key = PseudonymKey(Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
    /// A clock that is ahead of all events of a test.
    private let clock = ManualClock(noon + 86_400)

    private func entry(
        _ detail: String, of subject: TimelineSubject = reader, _ kind: TimelineEvent.Kind = .refused,
        in category: TimelineCategory? = nil, at seconds: TimeInterval = 0
    ) -> TimelineEntry {
        TimelineEntry(
            TimelineEvent(kind, in: daily, detail: detail), of: subject, in: category, at: noon + seconds)
    }

    private func entry(_ number: Int, of subject: TimelineSubject = reader) -> TimelineEntry {
        entry(String(number), of: subject, at: Double(number))
    }

    private func details(
        _ store: any StateStore, of subject: TimelineSubject = reader, before position: TimelinePosition? = nil,
        limit: Int = 1_000
    ) async throws -> [String?] {
        try await store.entries(of: subject, before: position, limit: limit).map(\.entry.event.detail)
    }

    private func identified(_ reader: Subscriber) throws -> KnownReader {
        KnownReader(pseudonym: Self.key.reference(to: reader), sealed: try SealedReader(reader, Self.key))
    }

    // MARK: Entries

    @Test("Returns an event with all that was recorded", arguments: states)
    func values(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(clock: clock.wall) { store in
            let full = TimelineEntry(
                TimelineEvent(
                    .downloadRefused, in: daily, call: "download", reason: "session_revoked", device: device(3),
                    edition: EditionID("com.example.november"), backend: "members", freshness: "stale",
                    detail: "é\u{1F600}"),
                of: Self.reader, at: noon + 0.123_456, until: noon + 7, count: 3)
            let bare = TimelineEntry(
                TimelineEvent(.signIn), of: .identifier(TypedIdentifier(bytes: [UInt8](0..<16))!), in: .unverified,
                at: noon)
            try await store.append(TimelineBatch([full, bare]))
            #expect(try await store.entries(of: full.subject, before: nil, limit: 9).map(\.entry) == [full])
            #expect(try await store.entries(of: bare.subject, before: nil, limit: 9).map(\.entry) == [bare])
        }
    }

    @Test(
        "Pages are newest first, and none misses or repeats an event, also of one time or category", arguments: states)
    func pages(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(clock: clock.wall) { store in
            // Two nodes write late and out of order.
            for number in [3, 1, 2, 5, 4] {
                let kind: TimelineEvent.Kind = number == 5 ? .signIn : number == 2 ? .subscriptionChanged : .refused
                try await store.append(
                    TimelineBatch([entry(String(number), kind, at: Double(number / 2) + 0.1)]))
            }
            try await store.append(TimelineBatch([entry(9, of: Self.otherReader)]))
            var (seen, position): ([String?], TimelinePosition?) = ([], nil)
            while let last = try await store.entries(of: Self.reader, before: position, limit: 2).last {
                seen += try await details(store, before: position, limit: 2)
                position = last.position
            }
            #expect(seen == ["4", "5", "2", "3", "1"])
        }
    }

    @Test("Pitfall 30: a batch that is sent again, whole or in parts, is stored once", arguments: states)
    func repeatedBatch(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2, clock: clock.wall) { stores in
            func send(_ numbers: Range<Int>, as first: Int64, from writer: UInt8 = 1) async throws {
                try await stores[0].append(
                    TimelineBatch(
                        numbers.map { entry(String($0), .signIn, at: Double($0)) },
                        from: [UInt8](repeating: writer, count: 16), number: first))
            }
            try await send(0..<4, as: 1)
            try await send(0..<4, as: 1)
            try await send(0..<2, as: 1)
            try await send(2..<6, as: 3)
            try await send(5..<5, as: 6)
            try await send(6..<8, as: 7)
            #expect(try await details(stores[1]) == (0..<8).reversed().map { String($0) })
            // The numbers of another process are its own.
            try await send(8..<9, as: 1, from: 2)
            #expect(try await details(stores[1]).count == 9)
        }
    }

    @Test("A refused call that an app repeats for hours is one entry, on all nodes", arguments: states)
    func repeatedRefusal(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2, clock: clock.wall) { stores in
            // Noon is the beginning of six hours.
            for hour in 0..<12 {
                try await stores[hour % 2].append(
                    TimelineBatch([
                        entry("same", at: Double(hour * 3_600)), entry("same", at: Double(hour * 3_600 + 60)),
                        entry("in", .signIn, at: Double(hour * 3_600 + 30)),
                    ]))
            }
            let all = try await stores[0].entries(of: Self.reader, before: nil, limit: 99).map(\.entry)
            let refused = all.filter { $0.event.kind == .refused }
            #expect(refused.map(\.count) == [12, 12])
            #expect(refused.map(\.time) == [noon + 6 * 3_600, noon])
            #expect(refused.map(\.lastTime) == [noon + 11 * 3_600 + 60, noon + 5 * 3_600 + 60])
            // Each sign-in has its own time.
            #expect(all.count { $0.event.kind == .signIn } == 12)
        }
    }

    @Test("An event of a process whose clock is ahead has the store's time", arguments: states)
    func clockAhead(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(clock: clock.wall) { store in
            try await store.append(TimelineBatch([entry("ahead", at: 400 * 86_400), entry("right", at: 86_399)]))
            let all = try await store.entries(of: Self.reader, before: nil, limit: 9)
            #expect(all.map(\.position.time) == [noon + 86_400, noon + 86_399])
            #expect(all.allSatisfy { $0.entry.lastTime <= noon + 86_400 })
        }
    }

    // MARK: Deletion

    @Test("Only the newest events of a trimmed category remain, and no other event is displaced", arguments: states)
    func trimmed(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(clock: clock.wall) { store in
            let other = TimelineSubject.owner(buyer(1))
            let rare = [entry("in", .signIn), entry("changed", .subscriptionChanged)]
            try await store.append(TimelineBatch(rare + (1..<250).map { entry($0) } + [entry(1, of: other)]))
            try await store.trimTimeline(
                [TimelineSection(Self.reader, .refusals), TimelineSection(other, .refusals)], to: 10)
            #expect(try await details(store) == (240..<250).reversed().map { String($0) } + ["changed", "in"])
            #expect(try await details(store, of: other) == ["1"])
        }
    }

    @Test("The erasure of a buyer's purchases erases the events of the purchases", arguments: states)
    func buyerErased(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(clock: clock.wall) { store in
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
            let reader = try identified(Subscriber(backend: "members", key: "1"))
            let subject = TimelineSubject.subscriber(reader.pseudonym)
            store.retainTimeline(TimelineRetention(time: 10 * 86_400))
            clock.advance(by: 3_600)
            try await store.append(TimelineBatch((0..<2_500).map { entry($0, of: subject) }, readers: [reader]))
            try await store.maintain(for: 9, clock)
            try await store.append(TimelineBatch([entry("1", of: subject, at: 9 * 86_400)], readers: [reader]))
            #expect(try await details(store, of: subject, limit: 9_999).count == 2_501)
            // A clock that jumps deletes nothing for as long as an operator may need to notice it.
            clock.step(by: 400 * 86_400)
            _ = try await store.maintain()
            #expect(try await details(store, of: subject, limit: 9_999).count == 2_501)
            clock.step(by: -400 * 86_400)
            try await store.maintain(for: 2, clock)
            // The reader is known for as long as there is an event, though the row is older.
            #expect(try await details(store, of: subject) == ["1"])
            #expect(try await store.knownReader(reader.pseudonym) != nil)
            try await store.maintain(for: 9, clock)
            #expect(try await details(store, of: subject).isEmpty)
            #expect(try await store.knownReader(reader.pseudonym) == nil)
        }
    }

    @Test("Events that anyone can cause are deleted sooner, and are few in all", arguments: states)
    func unverified(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            store.retainTimeline(TimelineRetention(unverifiedTime: 2 * 86_400, maxUnverified: 100))
            func stranger(_ number: Int) -> TimelineSubject {
                .identifier(Self.key.typedIdentifier("stranger \(number)"))
            }
            func count() async throws -> Int {
                var count = 0
                for number in 0..<300 { count += try await details(store, of: stranger(number)).count }
                return count
            }
            clock.advance(by: 3_600)
            try await store.append(
                TimelineBatch(
                    (0..<300).map { entry("a", of: stranger($0), in: .unverified, at: Double($0)) } + [entry(1)]))
            #expect(try await count() == 300)
            try await store.maintain(for: 1, clock)
            #expect(try await count() == 100)
            #expect(try await details(store, of: stranger(299)) == ["a"])
            try await store.maintain(for: 2, clock)
            #expect(try await count() == 0)
            #expect(try await details(store) == ["1"])
        }
    }

    // MARK: Erasure

    @Test("A pseudonym of the log leads to the reader, until the reader is erased", arguments: states)
    func knownReader(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2, clock: clock.wall) { stores async throws in
            let reader = Subscriber(backend: "members", key: "planted-4711 \u{e9}")
            let known = try identified(reader)
            let subject = TimelineSubject.subscriber(known.pseudonym)
            for (number, store) in stores.enumerated() {
                try await store.append(TimelineBatch([entry(number, of: subject)], readers: [known]))
            }
            #expect(try await stores[1].knownReader(known.pseudonym)?.subscriber(Self.key) == reader)
            #expect(try await stores[1].knownReader(subscriber(9)) == nil)
            let other = PseudonymKey(Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
            #expect(try await stores[1].knownReader(known.pseudonym)?.subscriber(other) == nil)

            try await stores[0].append(TimelineBatch([entry(2)]))
            #expect(try await stores[0].eraseTimeline(of: [subject, .owner(buyer(1))]) == 2)
            #expect(try await stores[1].knownReader(known.pseudonym) == nil)
            #expect(try await details(stores[1], of: subject).isEmpty)
            #expect(try await details(stores[1]) == ["2"])
            #expect(try await stores[1].eraseTimeline(of: [subject]) == 0)
        }
    }

    @Test("An erased reader has no events, whichever process writes them and whenever they happened", arguments: states)
    func erased(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(2, clock: clock.wall) { stores in
            let reader = try identified(Subscriber(backend: "members", key: "1"))
            let subject = TimelineSubject.subscriber(reader.pseudonym)
            func append(_ entries: TimelineEntry...) async throws {
                try await stores[1].append(TimelineBatch(entries + [entry("other")], readers: [reader]))
            }
            func isErased() async throws -> Bool {
                let isEmpty = try await details(stores[0], of: subject).isEmpty
                return try await stores[0].knownReader(reader.pseudonym) == nil && isEmpty
            }
            try await append(entry("before", of: subject))
            clock.advance(by: 100)
            #expect(try await stores[0].eraseTimeline(of: [subject]) == 1)
            // A batch that waited, with a sign-in from before the erasure.
            try await append(entry("late", of: subject, at: 50), entry("in", of: subject, .signIn, at: 60))
            #expect(try await isErased())
            // The app goes on with its token.
            for day in 0..<20 {
                clock.advance(by: 86_400)
                try await append(entry("polled", of: subject, at: Double(day + 1) * 86_400 + 100))
                _ = try await stores[0].maintain()
            }
            #expect(try await isErased())
            #expect(try await details(stores[0], of: Self.reader).contains("other"))

            // The reader is back. Earlier events do not return.
            let back = clock.now.timeIntervalSince(noon)
            try await append(
                entry("late", of: subject, at: 50), entry("in", of: subject, .signIn, at: back),
                entry("now", of: subject, at: back))
            #expect(Set(try await details(stores[0], of: subject)) == ["in", "now"])
            try await append(entry("later", of: subject, at: back))
            #expect(try await details(stores[0], of: subject).count == 3)
            #expect(try await stores[0].knownReader(reader.pseudonym) != nil)
        }
    }

    @Test("An erasure ends when no token of the reader is left and none arrived", arguments: states)
    func erasureEnds(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let identifier = TimelineSubject.identifier(Self.key.typedIdentifier("ann@example.com"))
            try await store.record(TokenBounds(lifetime: 5 * 86_400, afterExpiry: 86_400), of: daily)
            _ = try await store.eraseTimeline(of: [identifier, Self.reader])
            func append(_ subject: TimelineSubject) async throws -> Int {
                try await store.append(
                    TimelineBatch([entry("a", of: subject, at: clock.now.timeIntervalSince(noon))]))
                return try await details(store, of: subject).count
            }
            // An expired token may be sent for longer than it could be valid.
            for _ in 0..<4 {
                try await store.maintain(for: 30, clock)
                #expect(try await append(Self.reader) == 0)
            }
            try await store.maintain(for: 1, clock)
            #expect(try await append(identifier) == 1)
            try await store.maintain(for: 40, clock)
            #expect(try await append(Self.reader) == 1)
        }
    }

    @Test("Pitfall 26: an erasure amid the writes of another node leaves nothing", arguments: states)
    func erasedAmid(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2, clock: clock.wall) { stores in
            let subjects = (1...4).map { TimelineSubject.subscriber(subscriber($0)) }
            try await withThrowingTaskGroup { group in
                for (number, store) in stores.enumerated() {
                    group.addTask { [self] in
                        for round in 0..<15 {
                            // Each node has its own order.
                            let ordered = number == 0 ? subjects : subjects.reversed()
                            let entries = ordered.flatMap { subject in
                                (0..<10).map {
                                    entry("\($0 / 3)", of: subject, $0 % 2 == 0 ? .signIn : .refused, at: Double(round))
                                }
                            }
                            try await store.append(TimelineBatch(entries))
                            try await store.trimTimeline(
                                Set(ordered.map { TimelineSection($0, .sessions) }), to: 3)
                        }
                    }
                }
                group.addTask { _ = try await stores[0].eraseTimeline(of: subjects) }
                group.addTask { _ = try await stores[1].eraseTimeline(of: subjects.reversed()) }
                try await group.waitForAll()
            }
            for subject in subjects { #expect(try await details(stores[0], of: subject).isEmpty) }
        }
    }

    // MARK: Pages

    @Test("A page of the staff's actions and the events, each once and by time", arguments: states)
    func merged(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let subscriber = Subscriber(backend: "members", key: "1")
            let (pseudonym, owner) = (Self.key.reference(to: subscriber), Self.key.owner(subscriber))
            var reader = TimelineReader()
            reader.add(subscriber, Self.key)
            reader.add(identifier: "Ann@Example.com ", Self.key)
            let audited: [AuditSubject] = [
                .subscriber(pseudonym), .owner(owner), .identifier("ann@example.com ", Self.key),
            ]
            let subjects: [TimelineSubject] = [
                .subscriber(pseudonym), .owner(owner), .identifier(Self.key.typedIdentifier("ann@example.com")),
            ]
            for number in 0..<9 {
                try await store.append(
                    TimelineBatch([entry(String(number), of: subjects[number % 3], at: Double(2 * number))]))
                clock.advance(by: 2)
                try await store.append(
                    AuditRecord(
                        .tokenRevoke, by: AuditActor(.commandLineUser, name: "ada@console"), of: audited[number % 3],
                        details: AuditDetails([("number", String(number))])),
                    to: AuditChain(Self.key))
                try await store.append(TimelineBatch([entry(100 + number, of: Self.otherReader)]))
            }
            var (seen, cursor): ([String], TimelineCursor?) = ([], nil)
            repeat {
                let page = try await ReaderTimeline(store).page(
                    of: reader, after: cursor, limit: 4, includesReads: true)
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
}
