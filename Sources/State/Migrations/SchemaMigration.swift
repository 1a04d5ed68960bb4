import Crypto
import Foundation
import Primitives

/// A change of the tables of a schema. It never changes once a release has it.
///
/// The version of a schema is the number of its last migration. During a rolling upgrade, programs of two releases use one
/// schema: the newer one has migrated it, and the older one goes on and restarts. ``compatibleSince`` states which programs
/// may do so. See “Adding a migration” in the article ``State`` for the rules.
package struct SchemaMigration: Sendable {
    let number: Int64
    let name: String
    /// The oldest version of the schema whose programs may use the tables after this migration; nil if the migration is
    /// older than this rule, so that no program without it may use them.
    let compatibleSince: Int64?
    /// The statements, with the record of ``compatibleSince``.
    let sql: String

    package init(number: Int64, name: String, compatibleSince: Int64? = nil, sql: String) {
        self.number = number
        self.name = name
        self.compatibleSince = compatibleSince
        self.sql = compatibleSince.map { sql + "\n" + SchemaCompatibility.record($0, of: number) } ?? sql
    }

    /// A Boolean value that indicates whether programs of the former version of the schema may go on.
    var isAdditive: Bool { compatibleSince.map { $0 < number } ?? false }

    /// The name in the table `grdb_migrations` of an embedded state.
    var identifier: String { "\(number) \(name)" }

    /// The SHA-256 of the statements in lower-case hexadecimal digits.
    package var checksum: String { Hexadecimal.encode(SHA256.hash(data: Data(sql.utf8))) }
}
