package import Foundation
package import Gatefold
import Synchronization

/// A store of shared documents with the faults that a test sets, in front of another store.
package final class FaultyDocumentStore: SharedDocumentStore {
    package struct Faults: Sendable {
        /// A Boolean value that indicates whether every call fails.
        package var isAway = false
        /// A Boolean value that indicates whether documents cannot be replaced.
        package var rejectsReplacement = false
        /// A Boolean value that indicates whether the parts that are read differ from those that were written.
        package var damagesParts = false
        /// The number of parts that were read.
        package fileprivate(set) var partsRead = 0
    }

    private struct Fault: Error {}

    private let store: any SharedDocumentStore
    private let state = Mutex(Faults())

    package init(_ store: any SharedDocumentStore) { self.store = store }

    package var faults: Faults { state.withLock(\.self) }

    package func set(_ change: (inout Faults) -> Void) { state.withLock { change(&$0) } }

    /// Returns the store, unless it is away.
    private var available: any SharedDocumentStore {
        get throws { if faults.isAway { throw Fault() } else { store } }
    }

    package func sharedDocuments() async throws -> [SharedDocument] { try await available.sharedDocuments() }

    package func part(_ number: Int, of version: Data, in name: String) async throws -> Data? {
        set { $0.partsRead += 1 }
        let part = try await available.part(number, of: version, in: name)
        return faults.damagesParts ? part.map { Data($0.reversed()) } : part
    }

    package func storePart(
        _ content: Data, _ number: Int, of version: Data, in name: String, owner: [UInt8]
    ) async throws -> Bool {
        try await available.storePart(content, number, of: version, in: name, owner: owner)
    }

    package func replace(_ document: SharedDocument, owner: [UInt8]) async throws -> Int64? {
        if faults.rejectsReplacement { throw Fault() }
        return try await available.replace(document, owner: owner)
    }

    package func deleteFormerParts(of name: String, owner: [UInt8]) async throws -> Bool {
        try await available.deleteFormerParts(of: name, owner: owner)
    }

    package func takeLease(_ name: String, owner: [UInt8], for duration: TimeInterval) async throws -> Bool {
        try await available.takeLease(name, owner: owner, for: duration)
    }

    package func extendLease(_ name: String, owner: [UInt8], for duration: TimeInterval) async throws -> Bool {
        try await available.extendLease(name, owner: owner, for: duration)
    }

    package func endLease(_ name: String, owner: [UInt8]) async throws {
        try await available.endLease(name, owner: owner)
    }
}
