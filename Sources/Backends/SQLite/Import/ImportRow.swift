import CSV
import Gatefold

/// One row of a file, understood. Columns that the file does not have are nil or empty.
struct ImportRow: Sendable, Equatable {
    var line = 0
    var identifier = ""
    /// As typed, to be hashed.
    var password: String?
    var passwordHash: String?
    var state = SubscriberRecord.State.automatic
    var message: String?
    var hasAllEditions = false
    /// Each start once.
    var periods: [Period] = []
    var editions: Set<EditionID> = []
    var categories: Set<UserInfoCategory> = []

    /// A row of nothing but an identifier, which is folded.
    init(identifier: String, line: Int) {
        self.identifier = identifier
        self.line = line
    }

    /// - Parameter foldsProof: whether plain passwords are folded like identifiers.
    /// - Throws: what is wrong with the first bad cell.
    init(_ row: CSVRow, columns: ImportColumns, foldsProof: Bool) throws(ImportIssue) {
        guard row.fields.count == columns.all.count else {
            throw ImportIssue(
                line: row.line, column: nil,
                reason: "expected \(columns.all.count) fields, found \(row.fields.count)")
        }
        line = row.line
        for (index, column) in columns.all.enumerated() {
            // Exports hold no plain passwords, so theirs are what they are.
            let cell = column == .password ? row.fields[index] : SpreadsheetFormula.restore(row.fields[index])
            if let reason = take(cell, as: column, foldsProof: foldsProof) {
                throw ImportIssue(line: row.line, column: columns.names[index], reason: reason)
            }
        }
    }

    /// Returns what was expected when the cell is not it.
    private mutating func take(_ cell: String, as column: ImportColumns.Column, foldsProof: Bool) -> String? {
        switch column {
        case .identifier:
            let folded = CredentialFields.fold(cell)
            guard SubscriberDatabase.accepts(identifier: folded), !Self.hasControls(folded) else {
                return "expected 1 to \(CredentialFields.longestField) bytes without control characters"
            }
            identifier = folded
        case .password:
            if cell.isEmpty { return nil }
            let proof = foldsProof ? CredentialFields.fold(cell) : cell
            guard (1...PasswordHasher.longestPassword).contains(proof.utf8.count), !Self.hasControls(proof) else {
                return "expected at most \(PasswordHasher.longestPassword) bytes without control characters"
            }
            // Hashed once more it would be nobody's password.
            guard PasswordScheme(of: cell) == nil else {
                return "this is a hash; expected it in a column password_hash"
            }
            password = proof
        case .passwordHash:
            if cell.isEmpty { return nil }
            guard PasswordScheme(of: cell) != nil else {
                return "expected a password hash that says by itself what it is, such as $2y$… or {SSHA}…"
            }
            passwordHash = cell
        case .state:
            let name = cell.trimmingWhitespace().lowercased()
            guard let read = name.isEmpty ? .automatic : SubscriberRecord.State(rawValue: name) else {
                return "expected automatic, active, inactive or suspended"
            }
            state = read
        case .message:
            guard Self.accepts(message: cell) else {
                return "expected text without control characters"
            }
            message = cell.isEmpty ? nil : cell
        case .allEditions:
            switch cell.trimmingWhitespace().lowercased() {
            case "", "false", "no", "0": hasAllEditions = false
            case "true", "yes", "1": hasAllEditions = true
            default: return "expected true or false"
            }
        case .periods:
            for entry in ListText.split(cell) {
                guard let period = PeriodText.read(entry.trimmingWhitespace()[...]) else {
                    return "expected periods such as 2026-01-01/2026-12-31;2027-01-01/"
                }
                Period.add(period, to: &periods)
            }
        case .editions:
            for entry in ListText.split(cell) {
                guard let edition = EditionID(entry.trimmingWhitespace()) else {
                    return "expected edition identifiers between semicolons"
                }
                editions.insert(edition)
            }
        case .categories:
            for entry in ListText.split(cell) {
                guard let category = ListText.category(entry), Self.accepts(category: category)
                else {
                    return "expected entries such as scheme=value between semicolons"
                }
                categories.insert(category)
            }
        }
        return nil
    }

    /// What a message may be, so that every export can be imported again.
    static func accepts(message: String) -> Bool { !hasControls(message, besides: [0x09, 0x0A, 0x0D]) }

    static func accepts(category: UserInfoCategory) -> Bool { !hasControls(category.scheme + category.value) }

    private static func hasControls(_ text: String, besides allowed: [UInt8] = []) -> Bool {
        text.utf8.contains { ($0 < 0x20 || $0 == 0x7F) && !allowed.contains($0) }
    }
}
