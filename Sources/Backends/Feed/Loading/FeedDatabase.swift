import Foundation
import GRDB
import PasswordHashing
import Synchronization

/// A read-only database of a loaded feed.
///
/// All connections open at the same time, so that they read the same file even after another file has taken its
/// path. The file system frees the disk space when the last connection closes.
final class FeedDatabase: Sendable {
    /// The maximum number of lines about one reader. More lines are a mistake.
    static let maxLines = 10_000
    private static let connectionCount = 4

    let summary: FeedSummary
    private let connections: [DatabaseQueue]
    private let turn = Atomic(0)
    private let dummyHashes: DummyHashes

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        connections = try (0..<Self.connectionCount).map { _ in
            try DatabaseQueue(path: path, configuration: configuration)
        }
        summary = try connections[0].read { db in
            guard let data = try Data.fetchOne(db, sql: "SELECT summary FROM feed") else {
                throw FeedUnavailable.notLoadedYet
            }
            return try JSONDecoder().decode(FeedSummary.self, from: data)
        }
        dummyHashes = DummyHashes(key: summary.dummyHashKey)
    }

    /// The reader of an identifier, and the stored proof for the comparison. For an unknown identifier the proof is
    /// another reader's (see `DummyHashes`).
    struct Candidate: Sendable {
        /// The key of the reader, or nil when no reader or several readers have the identifier.
        let key: String?
        let proof: StoredProof?
        /// A Boolean value that indicates whether the proof is the reader's own.
        let isOwn: Bool
        /// A Boolean value that indicates whether lines with the identifier contradict each other, so that it is no
        /// reader's.
        var isAmbiguous = false
    }

    /// Returns the candidate for an identifier. The lookup reads a few pages, and reads the same pages for every
    /// identifier, known or not.
    ///
    /// - Parameter identifier: the folded identifier.
    func candidate(for identifier: String) async throws -> Candidate {
        // SQLite ends a text at a NUL, so an identifier with a NUL would match a shorter identifier.
        let wanted = identifier.utf8.contains(0) ? "" : identifier
        return try await read { [dummyHashes] db in
            let own = try Row.fetchAll(
                try db.cachedStatement(
                    sql: "SELECT key, proof, salt FROM line WHERE identifier = ? LIMIT \(Self.maxLines)"),
                arguments: [wanted])
            let maximum = try Int64.fetchOne(try db.cachedStatement(sql: "SELECT max(id) FROM line")) ?? 0
            let dummyHash = try Row.fetchOne(
                try db.cachedStatement(sql: "SELECT proof, salt FROM line WHERE id >= ? ORDER BY id LIMIT 1"),
                arguments: [dummyHashes.number(for: identifier, maximum: maximum)])
            let keys = Set(own.map { $0["key"] as String? ?? wanted })
            // Further lines of a reader may omit the proof, but must not have a different one.
            let proofs = Set(own.compactMap { $0["proof"] as String? })
            let salts = Set(own.compactMap { $0["salt"] as String? })
            if let key = keys.first, keys.count == 1, proofs.count <= 1, salts.count <= 1 {
                return Candidate(key: key, proof: Self.proof(proofs.first, salts.first), isOwn: true)
            }
            return Candidate(
                key: nil, proof: Self.proof(dummyHash?["proof"], dummyHash?["salt"]), isOwn: false,
                isAmbiguous: !own.isEmpty)
        }
    }

    private static func proof(_ value: String?, _ salt: String?) -> StoredProof? {
        value.map { StoredProof(value: $0, salt: salt) }
    }

    /// Returns the records about a reader, one per line. Empty when the feed has none.
    ///
    /// - Parameter byIdentifier: whether the identifier is the key.
    func records(of key: String, byIdentifier: Bool, requiresEveryField: Bool) async throws -> [Record] {
        guard !key.utf8.contains(0) else { return [] }
        let column = byIdentifier ? "identifier" : "key"
        let rows = try await read { db in
            try Data.fetchAll(
                try db.cachedStatement(
                    sql: "SELECT cells FROM line WHERE \(column) = ? ORDER BY id LIMIT \(Self.maxLines + 1)"),
                arguments: [key])
        }
        guard rows.count <= Self.maxLines else { throw FeedUnavailable.tooManyLines }
        return try rows.map { try record(Array($0), requiresEveryField) }
    }

    private func record(_ bytes: [UInt8], _ requiresEveryField: Bool) throws -> Record {
        guard let cells = FeedCells.decode(bytes), cells.allSatisfy({ $0.field < summary.fields.count }) else {
            throw FeedUnavailable.unreadable(code: 0)
        }
        let empty = requiresEveryField ? summary.fields.map { ($0, [String]()) } : []
        var record = Record(Dictionary(empty) { first, _ in first }, requiresEveryField: requiresEveryField)
        for cell in cells { record.append(cell.text, to: summary.fields[cell.field]) }
        return record
    }

    /// Throws an error when the file currently cannot be read.
    func health() async throws {
        _ = try await read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM line LIMIT 1") }
    }

    /// Returns whether the file can be read. Blocks the calling thread.
    func isReadable() -> Bool {
        (try? connections[0].read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM line LIMIT 1") }) == 1
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let number = turn.wrappingAdd(1, ordering: .relaxed).newValue
        let connection = connections[Int(UInt(bitPattern: number) % UInt(connections.count))]
        do {
            return try await connection.read(body)
        } catch let error as DatabaseError {
            throw FeedUnavailable.unreadable(code: Int(error.extendedResultCode.rawValue))
        }
    }
}
