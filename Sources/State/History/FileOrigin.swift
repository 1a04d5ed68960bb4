package import Foundation
package import Gatefold
import Primitives

/// The state that a file of this node belongs to.
package struct FileOrigin: Hashable, Sendable {
    /// The size of ``identity`` in bytes.
    static let identitySize = 16
    /// The tolerated difference in seconds between the clocks of two database servers.
    private static let clockTolerance: TimeInterval = 60

    /// A digest of what is known without the store, see ``identity(of:schema:key:)``.
    let identity: [UInt8]
    /// The generation that the store last confirmed.
    let generation: [UInt8]
    /// The time of that confirmation, by the store's clock.
    package let confirmedAt: Date

    init(identity: [UInt8], generation: [UInt8], confirmedAt: Date) {
        self.identity = identity
        self.generation = generation
        self.confirmedAt = confirmedAt
    }

    package init(identity: [UInt8], history: StateHistory, confirmedAt: Date) {
        self.init(identity: identity, generation: history.generation, confirmedAt: confirmedAt)
    }

    /// Returns a digest of the names of the database and the schema. The key of the pseudonyms distinguishes states of
    /// the same name, because pseudonyms of another key mean nothing. The servers' names may change.
    package static func identity(of database: String, schema: String, key: PseudonymKey) -> [UInt8] {
        Array(key.digest("state", [database, schema]).prefix(identitySize))
    }

    /// Returns whether the store has the state that the file belongs to: the same generation, or one that the end of all
    /// sessions began after the confirmation. Another database has another generation and no such end.
    func isContinued(by history: StateHistory) -> Bool {
        if history.generation == generation { return true }
        return history.floor.map { $0 > confirmedAt.addingTimeInterval(-Self.clockTolerance) } ?? false
    }
}

extension ByteReader {
    /// Reads a time within the range of the wall clock.
    mutating func readDate() -> Date? {
        guard let bits = read(UInt64.self) else { return nil }
        let seconds = Double(bitPattern: bits)
        return (0...253_402_300_799).contains(seconds) ? Date(timeIntervalSince1970: seconds) : nil
    }
}
