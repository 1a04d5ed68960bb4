/// What a migration does to a table.
package struct TableChange: Sendable, Equatable {
    /// The kinds of change, from that which disturbs other programs least.
    package enum Effect: String, Sendable, Comparable {
        /// The table is new, so that nothing waits.
        case created
        /// The table gets an index. Writes wait until all its rows are read.
        case indexed
        /// Rows change. Writes of the same rows wait.
        case filled
        /// The columns change. All calls that use the table wait.
        case altered

        private var severity: Int {
            switch self {
            case .created: 0
            case .indexed: 1
            case .filled: 2
            case .altered: 3
            }
        }

        package static func < (one: Effect, other: Effect) -> Bool { one.severity < other.severity }
    }

    package let table: String
    package let effect: Effect

    /// Returns the changes of a migration's statements, one for each table, in the order of the statements.
    static func all(in sql: String) -> [TableChange] {
        let lines = sql.split(separator: "\n").map { line in line.prefix(upTo: line.comment ?? line.endIndex) }
        var all: [TableChange] = []
        for statement in lines.joined(separator: "\n").split(separator: ";") {
            guard let change = TableChange(of: statement) else { continue }
            if let known = all.firstIndex(where: { $0.table == change.table }) {
                if all[known].effect != .created, all[known].effect < change.effect { all[known] = change }
            } else {
                all.append(change)
            }
        }
        // Each migration adds a row to the first of these tables. The others belong to SQLite.
        return all.filter { change in
            change != TableChange(table: "schema_compatibility", effect: .filled)
                && !change.table.hasPrefix("sqlite_")
        }
    }

    private init(table: String, effect: Effect) {
        self.table = table
        self.effect = effect
    }

    /// - Parameter statement: A statement without comments. Nil is returned for one that changes no table.
    private init?(of statement: Substring) {
        let words = statement.split { $0.isWhitespace || $0 == "(" }.map(String.init)
        func word(after keyword: String) -> String? {
            words.firstIndex(of: keyword).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
        }
        let found: (String?, Effect)? =
            switch (words.first, words.dropFirst().first) {
            case ("CREATE", "TABLE"): (word(after: "TABLE"), .created)
            case ("CREATE", "INDEX"), ("CREATE", "UNIQUE"): (word(after: "ON"), .indexed)
            case ("ALTER", "TABLE"), ("DROP", "TABLE"): (word(after: "TABLE"), .altered)
            case ("INSERT", _): (word(after: "INTO"), .filled)
            case ("DELETE", _): (word(after: "FROM"), .filled)
            case ("UPDATE", _): (word(after: "UPDATE"), .filled)
            default: nil
            }
        guard case (let table?, let effect)? = found else { return nil }
        self.init(table: table, effect: effect)
    }
}

extension Substring {
    /// The start of a comment of SQL in a line.
    fileprivate var comment: Index? { firstRange(of: "--")?.lowerBound }
}
