import Foundation
import GRDB

extension GenerationFile {
    /// Reconciles the tables with the file. Ends all sessions if the two show that the state was replaced by an
    /// older copy, or if neither can prove the contrary.
    ///
    /// - Returns: True if all sessions were ended.
    func reconcile(_ writer: some DatabaseWriter, at timestamp: Date) throws -> Bool {
        // The file is read before the tables: a write in between only increases the progress in the tables.
        let file = read()
        if case .generation(let file) = file, let tables = try writer.read(StateGeneration.recorded),
            tables.isContinuation(file)
        {
            return false
        }
        return try writer.write { db in
            // Read again in the transaction, because another process may have reconciled them meanwhile.
            let file = read()
            let tables = try StateGeneration.recorded(db)
            switch (file, tables) {
            case (.missing, nil):
                try write(try StateGeneration.begin(db, endingSessionsBefore: nil))
                return false
            case (.generation(let file), let tables?) where tables.isContinuation(file):
                return false
            default:
                let floor = StateGeneration.floor(at: timestamp, endingAllOf: [file.generation, tables])
                try write(try StateGeneration.begin(db, endingSessionsBefore: floor))
                return true
            }
        }
    }
}

extension StateGeneration {
    fileprivate func isContinuation(_ file: StateGeneration) -> Bool {
        id == file.id && revocations >= file.revocations
    }
}
