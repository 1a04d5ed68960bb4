import Settings

/// The settings `statements` and `create_table`.
struct SQLCommandStatements: Sendable {
    static let maxStatements = 20

    let creation: BoundStatement?
    let insertion: BoundStatement
    let search: BoundStatement
    let steps: [BoundStatement]

    /// - Parameter parameters: The names that the statements may use.
    init(_ settings: SettingsSection, dialect: SQLDialect, parameters: Set<String>) throws(SettingsError) {
        guard let texts = try settings.strings("statements"), (1...Self.maxStatements).contains(texts.count) else {
            throw settings.error("statements", expected: "expected a list of 1 to \(Self.maxStatements) statements")
        }
        func bound(_ text: String) throws(SettingsError) -> BoundStatement {
            let statement: SQLStatement
            do {
                statement = try SQLStatement(text, dialect: dialect)
            } catch {
                throw settings.error("statements", expected: error.description)
            }
            if let stray = statement.parameters.subtracting(parameters).subtracting([IdempotencyTable.name]).min() {
                let known = parameters.sorted().map { ":\($0)" }.joined(separator: ", ")
                throw settings.error("statements", expected: "unknown parameter :\(stray); expected \(known)")
            }
            return statement.bound
        }
        var steps: [BoundStatement] = []
        for text in texts { steps.append(try bound(text)) }
        self.steps = steps
        creation = try settings.boolean("create_table", default: false) ? try bound(IdempotencyTable.creation) : nil
        insertion = try bound(IdempotencyTable.insertion)
        search = try bound(IdempotencyTable.search)
    }
}

extension BoundStatement {
    func ordered(_ change: SQLChange) -> [String?] {
        parameters.map { $0 == IdempotencyTable.name ? change.name : change.values[$0] }
    }
}
