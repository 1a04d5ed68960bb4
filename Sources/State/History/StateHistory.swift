package import Foundation

/// The current history of a state, as its table `generation` records it.
package struct StateHistory: Hashable, Sendable {
    /// The size of ``generation`` in bytes.
    package static let generationSize = StateGeneration.size

    /// The identifier of the history. The end of all sessions begins a new one.
    package let generation: [UInt8]
    /// The time before which all sessions are ended; nil if that never happened.
    package let floor: Date?

    package init(generation: [UInt8], floor: Date?) {
        self.generation = generation
        self.floor = floor
    }
}

extension SQLStateStore {
    package func history() async throws -> StateHistory {
        try await database.read { db in
            guard let row = try db.row("SELECT id, session_floor FROM generation") else {
                throw StateStoreError.unreadableRow(table: "generation")
            }
            let generation = Array(try StateRow.bytes(row, 0, "generation"))
            guard generation.count == StateHistory.generationSize else {
                throw StateStoreError.unreadableRow(table: "generation")
            }
            return StateHistory(
                generation: generation, floor: try StateRow.optional(StateRow.date, row, 1, "generation"))
        }
    }
}
