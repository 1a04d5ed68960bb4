import GRDB
import TestSupport

extension FrozenSchema {
    /// Creates the file that a release left.
    func restore(to path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }
}
