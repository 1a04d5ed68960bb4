import State

/// The migrations in the output of `state migrate`.
struct MigrationReport: Encodable {
    struct Step: Encodable {
        let number: Int64
        let name: String
        let additive: Bool
        let compatibleSince: Int64?
        let tables: [Table]

        enum CodingKeys: String, CodingKey {
            case number, name, additive, tables
            case compatibleSince = "compatible_since"
        }
    }

    struct Table: Encodable {
        let name: String
        let effect: String
        let rows: Int64?
    }

    /// The version of the schema before the migrations.
    let version: Int64
    /// The version that this release knows.
    let known: Int64
    let migrations: [Step]
    private let isPlan: Bool
    private let steps: [MigrationPlan.Step]

    enum CodingKeys: CodingKey { case version, known, migrations }

    /// - Parameter isPlan: Whether the migrations are still to apply.
    init(_ plan: MigrationPlan, isPlan: Bool) {
        version = plan.version
        known = plan.known
        steps = plan.steps
        self.isPlan = isPlan
        migrations = plan.steps.map { step in
            Step(
                number: step.number, name: step.name, additive: step.isAdditive, compatibleSince: step.compatibleSince,
                tables: step.changes.map { Table(name: $0.table, effect: $0.effect.rawValue, rows: $0.rows) })
        }
    }

    var text: String { ([summary] + steps.flatMap(Self.lines)).joined(separator: "\n") }

    private var summary: String {
        if version > known {
            return "Nothing to do: the state has version \(version) of a newer release, which this release may use."
        }
        if steps.isEmpty { return "Nothing to do: the state has version \(version)." }
        return isPlan
            ? "The state has version \(version). \(steps.count) migrations lead to version \(known):"
            : "Migrated the state from version \(version) to \(known):"
    }

    private static func lines(_ step: MigrationPlan.Step) -> [String] {
        let rule =
            step.isAdditive
            ? "additive, programs since version \(step.compatibleSince ?? 0) go on"
            : "not additive, stop older programs"
        return ["\(step.number) \(step.name): \(rule)"]
            + step.changes.map { change in
                let rows = change.rows.map { ", about \($0) rows" } ?? ""
                return "    \(change.table): \(description(change.effect))\(rows)"
            }
    }

    private static func description(_ effect: TableChange.Effect) -> String {
        switch effect {
        case .created: "new"
        case .indexed: "index, writes wait until it is built"
        case .filled: "rows change"
        case .altered: "columns change, all calls wait"
        }
    }
}
