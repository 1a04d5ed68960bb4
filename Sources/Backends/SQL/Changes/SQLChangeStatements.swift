import Settings

/// The settings `statements` and `create_table`.
struct SQLChangeStatements: Sendable {
    static let mostStatements = 20

    let creation: BoundStatement?
    let insertion: BoundStatement
    let search: BoundStatement
    let steps: [BoundStatement]

    /// - Parameter parameters: the names that the statements may use.
    init(_ settings: SettingsSection, dialect: SQLDialect, parameters: Set<String>) throws(SettingsError) {
        guard let texts = try settings.strings("statements"), (1...Self.mostStatements).contains(texts.count) else {
            throw settings.error("statements", expected: "expected a list of 1 to \(Self.mostStatements) statements")
        }
        func bound(_ text: String) throws(SettingsError) -> BoundStatement {
            let statement: SQLStatement
            do {
                statement = try SQLStatement(text, dialect: dialect)
            } catch {
                throw settings.error("statements", expected: error.description)
            }
            if let stray = statement.parameters.subtracting(parameters).subtracting([SQLMark.name]).min() {
                let known = parameters.sorted().map { ":\($0)" }.joined(separator: ", ")
                throw settings.error("statements", expected: "unknown parameter :\(stray); expected \(known)")
            }
            return statement.bound
        }
        var steps: [BoundStatement] = []
        for text in texts { steps.append(try bound(text)) }
        self.steps = steps
        creation = try settings.boolean("create_table", default: false) ? try bound(SQLMark.creation) : nil
        insertion = try bound(SQLMark.insertion)
        search = try bound(SQLMark.search)
    }
}

extension BoundStatement {
    func ordered(_ change: SQLChange) -> [String?] {
        parameters.map { $0 == SQLMark.name ? change.name : change.values[$0] }
    }
}
