import Foundation
import Gatefold

/// A splitter that extracts the identifying fields from a row.
struct FeedRowSplitter {
    /// The maximum length of a key in bytes. The limit exists because a token contains the key.
    static let maxKeyLength = 1024

    /// The fields, which already include those of the columns.
    let fields: FeedFields
    private let identifier: Int
    private let key: Int?
    private let proof: Int?
    private let salt: Int?
    /// The fields that are not stored among the cells, so that the proof and the salt of a reader are stored in one
    /// place only.
    private let left: Set<Int>

    init(_ plan: FeedPlan) {
        var fields = FeedFields()
        let columns = plan.columns
        identifier = fields.number(of: columns.identifier)
        key = columns.key.map { fields.number(of: $0) }
        proof = columns.proof.map { fields.number(of: $0) }
        salt = columns.salt.map { fields.number(of: $0) }
        let secret = Set([columns.proof, columns.salt].compactMap(\.self)).subtracting(plan.retainedFields)
        left = Set(secret.map { fields.number(of: $0) })
        self.fields = fields
    }

    func split(_ row: FeedRow) -> Result<FeedWriter.Line, FeedIssue> {
        func text(_ field: Int?) throws(FeedIssue) -> String? {
            guard let field else { return nil }
            var found: String?
            for cell in row.cells where cell.field == field {
                guard found == nil else { throw FeedIssue(line: row.line, "several values in \(fields.names[field])") }
                found = cell.text
            }
            return found
        }
        do throws(FeedIssue) {
            let name = CredentialFields.fold(try text(identifier) ?? "")
            guard Self.accepts(name, atMost: CredentialFields.maxFieldLength) else {
                throw FeedIssue(line: row.line, "no usable \(fields.names[identifier])")
            }
            var number: String?
            if let key {
                let trimmed = (try text(key) ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
                guard Self.accepts(trimmed, atMost: Self.maxKeyLength) else {
                    throw FeedIssue(line: row.line, "no usable \(fields.names[key])")
                }
                number = trimmed
            }
            var proof = try text(proof)
            // An empty proof proves nothing. Source: Pitfall 14, “Empty passwords and blank fields that succeed”.
            if proof?.allSatisfy(\.isWhitespace) == true { proof = nil }
            // SQLite ends a text at a NUL.
            if proof?.utf8.contains(0) == true { throw FeedIssue(line: row.line, "a NUL in the proof") }
            return .success(
                FeedWriter.Line(
                    identifier: name, key: number, proof: proof, salt: try text(salt),
                    cells: FeedCells.encode(row.cells.filter { !left.contains($0.field) })))
        } catch {
            return .failure(error)
        }
    }

    private static func accepts(_ text: String, atMost maxLength: Int) -> Bool {
        (1...maxLength).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }
    }
}
