import Foundation
import Gatefold
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

    private func update(_ text: String, due: Date = noon) -> SharedDocuments.Update {
        SharedDocuments.Update(content: Data(text.utf8), details: Data("details of \(text)".utf8), due: due)
    }

    private func content(_ documents: SharedDocuments) async throws -> String? {
        guard case .known(let document) = await documents.knowledge(of: Self.name) else { return nil }
        var content = Data()
        guard try await documents.readContent(of: document, { content += $0 }) else { return nil }
        return String(decoding: content, as: UTF8.self)
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
                    try await nodes[0].update(Self.name, isDue: { _ in true }) { _, _ in self.update(text) })
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
                })
            #expect(try await content(node) == nil)
            try await node.update(Self.name, isDue: { _ in true }) { _, _ in self.update("text") }
            #expect(
                try await node.update(Self.name, isDue: { _ in true }) { _, document in
                    SharedDocuments.Update(retaining: document, details: Data([1]), due: noon + 60)
                })
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
            let isWritten = try await nodes[0].update(Self.name, isDue: { _ in true }) { _, _ in
                // The pause is longer than the lease, and another node fetches meanwhile.
                clock.advance(by: Lease.duration + 1)
                try await nodes[1].update(Self.name, isDue: { _ in true }) { _, _ in self.update("newer") }
                return self.update("older")
            }
            #expect(!isWritten)
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
            #expect(try await !stores[0].replace(older, owner: former))
            // An incomplete content never becomes current.
            let incomplete = SharedDocument(name: Self.name, version: Data([7]), parts: 2, due: noon)
            #expect(try await !stores[1].replace(incomplete, owner: [2]))
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
            #expect(try await !node.update(Self.name, isDue: { _ in true }) { _, _ in self.update("text") })
            clock.advance(by: Lease.duration)
            #expect(try await node.update(Self.name, isDue: { _ in true }) { _, _ in self.update("text") })
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

    @Test("Documents that no node fetches any more are deleted with their contents", arguments: all)
    func discarded(kind: TestedStore<any SharedDocumentStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            let node = SharedDocuments(store, clock: clock.wall)
            try await node.update("old", isDue: { _ in true }) { _, _ in self.update("old") }
            try await node.update(Self.name, isDue: { _ in true }) { _, _ in
                self.update("text", due: noon + 30 * 86_400)
            }
            let old = try #require(try await store.sharedDocuments().first { $0.name == "old" }?.version)
            clock.advance(by: 31 * 86_400)
            #expect(try await content(node) == "text")
            #expect(try await store.sharedDocuments().map(\.name) == [Self.name])
            #expect(try await store.part(0, of: old, in: "old") == nil)
        }
    }

    /// A store that fails while a test says so.
    private actor FailingStore: SharedDocumentStore {
        var isAway = false
        func set(away: Bool) { isAway = away }
        func sharedDocuments() throws -> [SharedDocument] {
            if isAway { throw StateStoreError.unavailable(reason: "a test") }
            return []
        }
        func part(_ number: Int, of version: Data, in name: String) -> Data? { nil }
        func storePart(_ content: Data, _ number: Int, of version: Data, in name: String, owner: [UInt8]) -> Bool {
            false
        }
        func replace(_ document: SharedDocument, owner: [UInt8]) -> Bool { false }
        func discardSharedDocuments(dueBefore timestamp: Date) {}
        func takeLease(_ name: String, owner: [UInt8], for duration: TimeInterval) -> Bool { false }
        func extendLease(_ name: String, owner: [UInt8], for duration: TimeInterval) -> Bool { false }
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
}
