import CSV
import Gatefold
import PasswordHashing

/// A parsed row of a file. Columns that the file does not have are nil or empty.
struct ImportRow: Sendable, Equatable {
    var line = 0
    var identifier = ""
    /// The plain password, to be hashed.
    var password: String?
    var passwordHash: String?
    var state = SubscriberRecord.State.automatic
    var message: String?
    var hasAllEditions = false
    /// The periods, each start once.
    var periods: [Period] = []
    var editions: Set<EditionID> = []
    var categories: Set<UserInfoCategory> = []

    /// Creates a row that holds only a folded identifier.
    init(identifier: String, line: Int) {
        self.identifier = identifier
        self.line = line
    }

    /// - Parameter foldsProof: Whether plain passwords are folded like identifiers.
    /// - Throws: The issue in the first bad cell.
    init(_ row: CSVRow, columns: ImportColumns, foldsProof: Bool) throws(ImportIssue) {
        guard row.fields.count == columns.all.count else {
            throw ImportIssue(
                line: row.line, column: nil,
                reason: "expected \(columns.all.count) fields, found \(row.fields.count)")
        }
        line = row.line
        for (index, column) in columns.all.enumerated() {
            // Exports hold no plain passwords, so passwords are taken verbatim.
            let cell = column == .password ? row.fields[index] : SpreadsheetFormula.restore(row.fields[index])
            if let reason = take(cell, as: column, foldsProof: foldsProof) {
                throw ImportIssue(line: row.line, column: columns.names[index], reason: reason)
            }
        }
    }

    /// Parses a cell. Returns nil on success, otherwise a description of the expected value.
    private mutating func take(_ cell: String, as column: ImportColumns.Column, foldsProof: Bool) -> String? {
        switch column {
        case .identifier:
            let folded = CredentialFields.fold(cell)
            guard SubscriberDatabase.accepts(identifier: folded), !Self.hasControls(folded) else {
                return "expected 1 to \(CredentialFields.maxFieldLength) bytes without control characters"
            }
            identifier = folded
        case .password:
            if cell.isEmpty { return nil }
            let proof = foldsProof ? CredentialFields.fold(cell) : cell
            guard (1...PasswordHasher.maxPasswordLength).contains(proof.utf8.count), !Self.hasControls(proof) else {
                return "expected at most \(PasswordHasher.maxPasswordLength) bytes without control characters"
            }
            // Hashing the hash again would produce a password that no reader has.
            guard PasswordScheme(of: cell) == nil else {
                return "this is a hash; expected it in a column password_hash"
            }
            password = proof
        case .passwordHash:
            if cell.isEmpty { return nil }
            guard PasswordScheme(of: cell) != nil else {
                return "expected a password hash in a self-describing format, such as $2y$… or {SSHA}…"
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
            for entry in ListFormat.split(cell) {
                guard let period = PeriodFormat.read(entry.trimmingWhitespace()[...]) else {
                    return "expected periods such as 2026-01-01/2026-12-31;2027-01-01/"
                }
                Period.add(period, to: &periods)
            }
        case .editions:
            for entry in ListFormat.split(cell) {
                guard let edition = EditionID(entry.trimmingWhitespace()) else {
                    return "expected edition identifiers separated by semicolons"
                }
                editions.insert(edition)
            }
        case .categories:
            for entry in ListFormat.split(cell) {
                guard let category = ListFormat.category(entry), Self.accepts(category: category)
                else {
                    return "expected entries such as scheme=value separated by semicolons"
                }
                categories.insert(category)
            }
        }
        return nil
    }

    /// Returns whether a message is acceptable. Messages are restricted so that every export can be imported again.
    static func accepts(message: String) -> Bool { !hasControls(message, excluding: [0x09, 0x0A, 0x0D]) }

    static func accepts(category: UserInfoCategory) -> Bool { !hasControls(category.scheme + category.value) }

    private static func hasControls(_ text: String, excluding allowed: [UInt8] = []) -> Bool {
        text.utf8.contains { ($0 < 0x20 || $0 == 0x7F) && !allowed.contains($0) }
    }
}
