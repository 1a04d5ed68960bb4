import Foundation
import GRDB
import Gatefold
import Synchronization

/// A loaded feed, read only.
///
/// All its connections are opened at once: so they read this file and no other, also when another one has taken its
/// path, and the file's room on the disk is given back when the last of them is closed.
final class FeedDatabase: Sendable {
    /// More lines about one reader are a mistake.
    static let mostLines = 10_000
    private static let connectionCount = 4

    let summary: FeedSummary
    private let connections: [DatabaseQueue]
    private let turn = Atomic(0)
    private let decoys: Decoys

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        connections = try (0..<Self.connectionCount).map { _ in
            try DatabaseQueue(path: path, configuration: configuration)
        }
        summary = try connections[0].read { db in
            guard let data = try Data.fetchOne(db, sql: "SELECT summary FROM feed") else {
                throw FeedUnavailable.noneYet
            }
            return try JSONDecoder().decode(FeedSummary.self, from: data)
        }
        decoys = Decoys(key: summary.decoyKey)
    }

    /// Whose an identifier is, and what to compare the proof with: for nobody, somebody else's (see ``Decoys``).
    struct Candidate: Sendable {
        /// Nil when it is nobody's, or more than one reader's.
        let key: String?
        let proof: StoredProof?
        /// Whether the proof is the reader's own.
        let isOwn: Bool
    }

    /// Looks at a few pages, the same ones for everybody.
    ///
    /// - Parameter identifier: folded.
    func candidate(for identifier: String) async throws -> Candidate {
        // SQLite's text ends at a NUL, so an identifier with one would be taken for a shorter one.
        let wanted = identifier.utf8.contains(0) ? "" : identifier
        return try await read { [decoys] db in
            let own = try Row.fetchAll(
                try db.cachedStatement(
                    sql: "SELECT key, proof, salt FROM line WHERE identifier = ? LIMIT \(Self.mostLines)"),
                arguments: [wanted])
            let most = try Int64.fetchOne(try db.cachedStatement(sql: "SELECT max(id) FROM line")) ?? 0
            let decoy = try Row.fetchOne(
                try db.cachedStatement(sql: "SELECT proof, salt FROM line WHERE id >= ? ORDER BY id LIMIT 1"),
                arguments: [decoys.number(for: identifier, most: most)])
            let keys = Set(own.map { $0["key"] as String? ?? wanted })
            // A reader's further lines may leave the proof out, but not have another.
            let proofs = Set(own.compactMap { $0["proof"] as String? })
            let salts = Set(own.compactMap { $0["salt"] as String? })
            if let key = keys.first, keys.count == 1, proofs.count <= 1, salts.count <= 1 {
                return Candidate(key: key, proof: Self.proof(proofs.first, salts.first), isOwn: true)
            }
            return Candidate(key: nil, proof: Self.proof(decoy?["proof"], decoy?["salt"]), isOwn: false)
        }
    }

    private static func proof(_ value: String?, _ salt: String?) -> StoredProof? {
        value.map { StoredProof(value: $0, salt: salt) }
    }

    /// What the feed has about a reader, line by line; empty when it has nothing.
    ///
    /// - Parameter byIdentifier: whether the identifier is the key.
    func records(of key: String, byIdentifier: Bool, namesEveryField: Bool) async throws -> [Record] {
        guard !key.utf8.contains(0) else { return [] }
        let column = byIdentifier ? "identifier" : "key"
        let rows = try await read { db in
            try Data.fetchAll(
                try db.cachedStatement(
                    sql: "SELECT cells FROM line WHERE \(column) = ? ORDER BY id LIMIT \(Self.mostLines + 1)"),
                arguments: [key])
        }
        guard rows.count <= Self.mostLines else { throw FeedUnavailable.tooManyLines }
        return try rows.map { try record(Array($0), namesEveryField) }
    }

    private func record(_ bytes: [UInt8], _ namesEveryField: Bool) throws -> Record {
        guard let cells = FeedCells.decode(bytes), cells.allSatisfy({ $0.field < summary.fields.count }) else {
            throw FeedUnavailable.unreadable(code: 0)
        }
        let empty = namesEveryField ? summary.fields.map { ($0, [String]()) } : []
        var record = Record(Dictionary(empty) { first, _ in first }, namesEveryField: namesEveryField)
        for cell in cells { record.append(cell.text, to: summary.fields[cell.field]) }
        return record
    }

    /// Throws when the file can not be read at present.
    func health() async throws {
        _ = try await read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM line LIMIT 1") }
    }

    /// The same for a thread that may be kept waiting.
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
