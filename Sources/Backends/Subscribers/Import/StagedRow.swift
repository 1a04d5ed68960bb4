import Foundation
import Gatefold

/// A row of an import that is staged in the database until all rows are there.
struct StagedRow: Codable {
    let line: Int
    let hash: String?
    let state: String
    let message: String?
    let all: Bool
    /// The periods, in milliseconds since 1970: the start, then the end if there is one.
    let periods: [[Int64]]
    let editions: [String]
    /// The categories, each as a scheme and a value.
    let categories: [[String]]

    init(_ row: ImportRow) {
        line = row.line
        hash = row.passwordHash
        state = row.state.rawValue
        message = row.message
        all = row.hasAllEditions
        periods = row.periods.map { [Milliseconds.of($0.start)] + ($0.end.map { [Milliseconds.of($0)] } ?? []) }
        editions = row.editions.map(\.rawValue)
        categories = row.categories.map { [$0.scheme, $0.value] }
    }

    func row(of identifier: String) throws -> ImportRow {
        guard let state = SubscriberRecord.State(rawValue: state), periods.allSatisfy({ (1...2).contains($0.count) }),
            categories.allSatisfy({ $0.count == 2 })
        else { throw UnreadableRow(table: "staged", column: "row") }
        var row = ImportRow(identifier: identifier, line: line)
        row.passwordHash = hash
        row.state = state
        row.message = message
        row.hasAllEditions = all
        row.periods = periods.map { period in
            Period(
                start: Milliseconds.date(period[0]), end: period.count > 1 ? Milliseconds.date(period[1]) : nil)
        }
        row.editions = Set(
            try editions.map { name in
                guard let edition = EditionID(name) else { throw UnreadableRow(table: "staged", column: "row") }
                return edition
            })
        row.categories = Set(categories.map { UserInfoCategory(scheme: $0[0], value: $0[1]) })
        return row
    }
}
