public import Foundation
import GRDB

extension SQLiteStateStore {
    public func sessionFloor() async throws -> Date? {
        // What is read from a file that is gone is not what others write down.
        try pool.checkFiles()
        let (floor, now) = try await pool.read { db in
            let floor = try Double.fetchOne(try db.cachedStatement(sql: "SELECT session_floor FROM generation"))
            return (floor, try StateGeneration.recorded(db))
        }
        if let now { try? generation.raise(to: now) }
        return floor.map { Date(timeIntervalSince1970: $0) }
    }
}

extension GenerationFile {
    /// Brings the tables and the file into agreement, and ends all sessions where they show that the state was replaced by an
    /// older copy, or that nothing can show the contrary.
    ///
    /// - Returns: whether it was.
    func settle(_ writer: some DatabaseWriter, at moment: Date) throws -> Bool {
        // The file before the tables: what is written meanwhile only makes the tables say more.
        let file = read()
        if case .generation(let file) = file, let tables = try writer.read(StateGeneration.recorded),
            tables.continues(file)
        {
            return false
        }
        return try writer.write { db in
            // Again: another process may have settled it.
            let file = read()
            let tables = try StateGeneration.recorded(db)
            switch (file, tables) {
            case (.missing, nil):
                try write(try StateGeneration.begin(db, endingSessionsBefore: nil))
                return false
            case (.generation(let file), let tables?) where tables.continues(file):
                return false
            default:
                let floor = StateGeneration.floor(at: moment, endingAllOf: [file.generation, tables])
                try write(try StateGeneration.begin(db, endingSessionsBefore: floor))
                return true
            }
        }
    }
}

extension StateGeneration {
    fileprivate func continues(_ file: StateGeneration) -> Bool {
        id == file.id && revocations >= file.revocations
    }
}
