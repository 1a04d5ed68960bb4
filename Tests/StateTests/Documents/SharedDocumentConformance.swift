import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import Primitives
import State
import Synchronization
import TestSupport
import Testing

@Suite("Shared documents", .stateServers) struct SharedDocumentConformance {
    private static let all = TestedStore<any SharedDocumentStore>.durable { $0 }
    private static let name = "catalogue daily 0a"

    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    private final class Content: Sendable {
        let data = Mutex(Data())
    }

    private func update(_ text: String, due: Date = noon) -> SharedDocuments.Update {
        SharedDocuments.Update(content: Data(text.utf8), details: Data("details of \(text)".utf8), due: due)
    }

    private func content(_ documents: SharedDocuments) async throws -> String? {
        guard case .known(let document) = await documents.knowledge(of: Self.name) else { return nil }
        let content = Content()
        guard try await documents.readContent(of: document, { part in content.data.withLock { $0 += part } }) else {
            return nil
        }
        return String(decoding: content.data.withLock(\.self), as: UTF8.self)
    }

    @Test("Another node has a content of several parts within a second, and the former one is deleted", arguments: all)
    func followed(kind: TestedStore<any SharedDocumentStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(2, clock: clock.wall) { stores in
            let nodes = stores.map { SharedDocuments($0, clock: clock.wall) }
            #expect(await nodes[1].knowledge(of: Self.name) == .none)
            var versions: [Data] = []
            for text in ["first", String(repeating: "second", count: SharedDocuments.partSize / 4), "third", ""] {
                #expect(
                    try await nodes[0].update(Self.name, isDue: { _ in true }) { _, _ in self.update(text) } != nil)
                clock.advance(by: 1)
                #expect(try await content(nodes[1]) == text)
                let document = try #require(try await stores[1].sharedDocuments().first)
                #expect(document.details == Data("details of \(text)".utf8) && document.due == noon)
                for version in versions { #expect(try await stores[1].part(0, of: version, in: Self.name) == nil) }
                versions.append(try #require(document.version))
            }
        }
    }

    @Test("A failed fetch retains the content", arguments: all)
    func retained(kind: TestedStore<any SharedDocumentStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let node = SharedDocuments(store, clock: clock.wall)
            #expect(
                try await node.update(Self.name, isDue: { $0 == nil }) { _, document in
                    SharedDocuments.Update(retaining: document, details: Data(), due: noon)
                } != nil)
            #expect(try await content(node) == nil)
            try await node.update(Self.name, isDue: { _ in true }) { _, _ in self.update("text") }
            #expect(
                try await node.update(Self.name, isDue: { _ in true }) { _, document in
                    SharedDocuments.Update(retaining: document, details: Data([1]), due: noon + 60)
                } != nil)
            #expect(try await content(node) == "text")
            #expect(try await store.sharedDocuments().map(\.due) == [noon + 60])
        }
    }

    @Test("Of many nodes that find a document due at the same time, one fetches it", arguments: all)
    func once(kind: TestedStore<any SharedDocumentStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(3, clock: clock.wall) { stores in
            let nodes = stores.map { SharedDocuments($0, clock: clock.wall) }
            let fetches = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        try await nodes[number % 3].update(
                            Self.name, isDue: { $0.map { $0.due <= noon } ?? true }
                        ) { _, _ in
                            fetches.count.withLock { $0 += 1 }
                            return self.update("text", due: noon + 60)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(fetches.count.withLock(\.self) == 1)
        }
    }

    @Test("A node that was paused past its lease changes nothing, in any step", arguments: all)
    func paused(kind: TestedStore<any SharedDocumentStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(2, clock: clock.wall) { stores in
            let nodes = stores.map { SharedDocuments($0, clock: clock.wall) }
            let written = try await nodes[0].update(Self.name, isDue: { _ in true }) { _, _ in
                // The pause is longer than the lease, and another node fetches meanwhile.
                clock.advance(by: Lease.duration + 1)
                try await nodes[1].update(Self.name, isDue: { _ in true }) { _, _ in self.update("newer") }
                return self.update("older")
            }
            #expect(written == nil)
            clock.advance(by: 1)
            #expect(try await content(nodes[0]) == "newer")
            // The store itself rejects an owner whose lease another one has taken or had.
            let former: [UInt8] = [1]
            #expect(try await stores[0].takeLease(Self.name, owner: former, for: 1))
            let older = SharedDocument(name: Self.name, version: Data([7]), parts: 1, due: noon)
            #expect(try await stores[0].storePart(Data([0]), 0, of: Data([7]), in: Self.name, owner: former))
            clock.advance(by: 2)
            #expect(try await stores[1].takeLease(Self.name, owner: [2], for: 30))
            #expect(try await !stores[0].storePart(Data([9]), 0, of: Data([7]), in: Self.name, owner: former))
            #expect(try await stores[0].replace(older, owner: former) == nil)
            // An incomplete content never becomes current.
            let incomplete = SharedDocument(name: Self.name, version: Data([7]), parts: 2, due: noon)
            #expect(try await stores[1].replace(incomplete, owner: [2]) == nil)
            clock.advance(by: 1)
            #expect(try await content(nodes[0]) == "newer")
        }
    }

    @Test("After the death of the fetching node another one fetches when the lease ends", arguments: all)
    func killed(kind: TestedStore<any SharedDocumentStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(2, clock: clock.wall) { stores async throws in
            #expect(try await stores[0].takeLease(Self.name, owner: [1], for: Lease.duration))
            #expect(try await stores[0].storePart(Data([0]), 0, of: Data([7]), in: Self.name, owner: [1]))
            let node = SharedDocuments(stores[1], clock: clock.wall)
            #expect(try await node.update(Self.name, isDue: { _ in true }) { _, _ in self.update("text") } == nil)
            clock.advance(by: Lease.duration)
            #expect(try await node.update(Self.name, isDue: { _ in true }) { _, _ in self.update("text") } != nil)
            // What the dead node had stored is gone.
            #expect(try await stores[1].part(0, of: Data([7]), in: Self.name) == nil)
        }
    }

    @Test("A damaged content is not used", arguments: all)
    func damaged(kind: TestedStore<any SharedDocumentStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let node = SharedDocuments(store, clock: clock.wall)
            try await node.update(Self.name, isDue: { _ in true }) { _, _ in self.update("text") }
            let document = try #require(try await store.sharedDocuments().first)
            #expect(try await store.takeLease(Self.name, owner: [1], for: 30))
            #expect(
                try await store.storePart(
                    Data("tent".utf8), 0, of: try #require(document.version), in: Self.name, owner: [1]))
            #expect(try await content(node) == nil)
        }
    }

    private static let states = TestedStore<any StateStore>.durable { $0 }

    @Test("The state's retention deletes documents that no node fetches any more", arguments: states)
    func discarded(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let node = SharedDocuments(store, clock: clock.wall)
            try await node.update("old", isDue: { _ in true }) { _, _ in self.update("old") }
            try await node.update(Self.name, isDue: { _ in true }) { _, _ in
                self.update("text", due: noon + 30 * 86_400)
            }
            let old = try #require(try await store.sharedDocuments().first { $0.name == "old" }?.version)
            clock.advance(by: 31 * 86_400)
            _ = try await store.maintain()
            #expect(try await store.sharedDocuments().map(\.name) == [Self.name])
            #expect(try await store.part(0, of: old, in: "old") == nil)
            #expect(try await content(node) == "text")
        }
    }

    @Test("The state's retention deletes the parts of a fetch whose node died, after its lease", arguments: states)
    func orphans(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let node = SharedDocuments(store, clock: clock.wall)
            try await node.update(Self.name, isDue: { _ in true }) { _, _ in
                self.update("text", due: noon + 30 * 86_400)
            }
            clock.advance(by: 3600)
            #expect(try await store.takeLease(Self.name, owner: [1], for: Lease.duration))
            for number in 0..<40 {
                #expect(try await store.storePart(Data([0]), number, of: Data([7]), in: Self.name, owner: [1]))
            }
            // The fetch is in progress.
            _ = try await store.maintain()
            #expect(try await store.part(39, of: Data([7]), in: Self.name) == Data([0]))
            clock.advance(by: 3601)
            _ = try await store.maintain()
            for number in 0..<40 { #expect(try await store.part(number, of: Data([7]), in: Self.name) == nil) }
            #expect(try await content(node) == "text")
        }
    }

    @Test("Former contents are deleted in small batches", arguments: all)
    func batches(kind: TestedStore<any SharedDocumentStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            #expect(try await store.takeLease(Self.name, owner: [1], for: Lease.duration))
            for number in 0..<40 {
                #expect(try await store.storePart(Data([0]), number, of: Data([7]), in: Self.name, owner: [1]))
            }
            #expect(try await store.replace(SharedDocument(name: Self.name, due: noon), owner: [1]) != nil)
            #expect(try await store.part(39, of: Data([7]), in: Self.name) != nil)
            #expect(try await !store.deleteFormerParts(of: Self.name, owner: [2]))
            var calls = 1
            while try await store.deleteFormerParts(of: Self.name, owner: [1]) { calls += 1 }
            #expect(calls > 1)
            for number in 0..<40 { #expect(try await store.part(number, of: Data([7]), in: Self.name) == nil) }
        }
    }

    @Test("The sequence number grows with each write, also when the clock is set back", arguments: states)
    func sequence(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let node = SharedDocuments(store, clock: clock.wall)
            var last: Int64 = 0
            for step in [0, 0, -3600, 60] as [TimeInterval] {
                clock.step(by: step)
                let written = try #require(
                    try await node.update(Self.name, isDue: { _ in true }) { _, _ in self.update("text") })
                #expect(written.sequence > last)
                last = written.sequence
                #expect(try await store.sharedDocuments() == [written])
            }
        }
    }

    @Test("A content whose predecessor cannot be deleted is current, and the failure is reported")
    func undeletable() async throws {
        let store = FailingStore()
        let events = Counter()
        let node = SharedDocuments(
            store, clock: ManualClock(noon).wall,
            observe: { event in if event.failure == .notDeleted { events.count.withLock { $0 += 1 } } })
        let written = try await node.update(Self.name, isDue: { _ in true }) { _, _ in self.update("") }
        #expect(written?.sequence == 7)
        #expect(events.count.withLock(\.self) == 1)
    }

    @Test("A result that cannot be stored is reported, once a minute")
    func unstorable() async throws {
        let clock = ManualClock(noon)
        let store = FailingStore()
        await store.set(away: true)
        let events = Counter()
        let node = SharedDocuments(
            store, clock: clock.wall,
            observe: { event in if event.failure == .notStored { events.count.withLock { $0 += 1 } } })
        for expected in [1, 1, 2] {
            await #expect(throws: StateStoreError.self) {
                try await node.update(Self.name, isDue: { _ in true }) { _, _ in self.update("") }
            }
            #expect(events.count.withLock(\.self) == expected)
            clock.advance(by: 30)
        }
    }

    /// A store that fails while a test says so, and never deletes anything.
    private actor FailingStore: SharedDocumentStore {
        var isAway = false
        func set(away: Bool) { isAway = away }
        func sharedDocuments() throws -> [SharedDocument] {
            if isAway { throw StateStoreError.unavailable(reason: "a test") }
            return []
        }
        func part(_ number: Int, of version: Data, in name: String) -> Data? { nil }
        func storePart(_ content: Data, _ number: Int, of version: Data, in name: String, owner: [UInt8]) -> Bool {
            true
        }
        func replace(_ document: SharedDocument, owner: [UInt8]) -> Int64? { 7 }
        func deleteFormerParts(of name: String, owner: [UInt8]) throws -> Bool {
            throw StateStoreError.unavailable(reason: "a test")
        }
        func takeLease(_ name: String, owner: [UInt8], for duration: TimeInterval) -> Bool { true }
        func extendLease(_ name: String, owner: [UInt8], for duration: TimeInterval) -> Bool { true }
        func endLease(_ name: String, owner: [UInt8]) {}
    }

    @Test("Without the store for half a minute, a node knows that it has to fetch for itself")
    func absence() async {
        let clock = ManualClock(noon)
        let store = FailingStore()
        let node = SharedDocuments(store, clock: clock.wall)
        #expect(await node.knowledge(of: Self.name) == .none)
        await store.set(away: true)
        clock.advance(by: 1)
        #expect(await node.knowledge(of: Self.name) == .unavailable)
        clock.advance(by: 28)
        #expect(await node.knowledge(of: Self.name) == .unavailable)
        clock.advance(by: 1)
        #expect(await node.knowledge(of: Self.name) == .absent)
        await store.set(away: false)
        clock.advance(by: 1)
        #expect(await node.knowledge(of: Self.name) == .none)
    }

    @Test("One failed read after a pause of the process does not mean that the store is away")
    func pausedReader() async {
        let clock = ManualClock(noon)
        let store = FailingStore()
        let node = SharedDocuments(store, clock: clock.wall)
        #expect(await node.knowledge(of: Self.name) == .none)
        await store.set(away: true)
        clock.advance(by: 600)
        for expected in [.unavailable, .unavailable, .absent] as [SharedDocuments.Knowledge] {
            #expect(await node.knowledge(of: Self.name) == expected)
            clock.advance(by: 1)
        }
    }

    @Test("Nodes whose clocks differ by minutes fetch once in each interval, and agree on the last result")
    func differentClocks() async throws {
        guard StateServersTrait.isEnabled else { return }
        let servers = try #require(StateServers.current)
        let schema = StateServers.freshSchema()
        // The store itself has the time of the database server.
        let stores = try (0..<3).map { _ in
            try SQLStateStore(postgreSQL: try servers.settings(), schema: schema, library: try LibPQ())
        }
        let system = WallClock.system
        let clocks = [-300, 0, 300].map { (offset: TimeInterval) in
            WallClock({ system.now.addingTimeInterval(offset) }, elapsed: { system.elapsed })
        }
        let nodes = zip(stores, clocks).map { SharedDocuments($0, clock: $1) }
        var last: Int64 = 0
        for round in 0..<20 {
            let (fetches, before) = (Counter(), last)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        try await nodes[(number + round) % 3].update(
                            Self.name, isDue: { ($0?.sequence ?? 0) == before }
                        ) { _, _ in
                            fetches.count.withLock { $0 += 1 }
                            return self.update("\(round)", due: clocks[(number + round) % 3].now)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(fetches.count.withLock(\.self) == 1)
            for node in nodes { #expect(try await content(node) == "\(round)") }
            last = try #require(try await stores[0].sharedDocuments().first?.sequence)
            #expect(last > before)
        }
    }
}
