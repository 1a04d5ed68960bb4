/// The number of histories to run and the first seed.
struct HistorySelection: Sendable {
    /// The number of histories. `GATEFOLD_HISTORIES` overrides it.
    let count: Int
    /// The seed of the first history. `GATEFOLD_HISTORY` overrides it.
    let first: UInt64

    static let limit = 100_000_000

    /// An error for an environment variable that would select no history.
    struct Unreadable: Error, Equatable, CustomStringConvertible {
        let name: String
        let text: String

        var description: String { "\(name) must be a number from 1 to \(HistorySelection.limit), not \"\(text)\"" }
    }

    init(_ environment: [String: String]) throws(Unreadable) {
        count = try Self.number("GATEFOLD_HISTORIES", in: environment) ?? 2_000
        first = UInt64(try Self.number("GATEFOLD_HISTORY", in: environment) ?? 1)
    }

    private static func number(_ name: String, in environment: [String: String]) throws(Unreadable) -> Int? {
        guard let text = environment[name] else { return nil }
        guard let number = Int(text), (1...limit).contains(number) else { throw Unreadable(name: name, text: text) }
        return number
    }
}
