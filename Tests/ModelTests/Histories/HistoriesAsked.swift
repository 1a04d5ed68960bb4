/// How many histories are asked for, and from which on.
struct HistoriesAsked: Sendable {
    /// `GATEFOLD_HISTORIES` makes them more.
    let count: Int
    /// `GATEFOLD_HISTORY`: the seed of the first.
    let first: UInt64

    static let most = 100_000_000

    /// What is asked for and would test nothing.
    struct Unreadable: Error, Equatable, CustomStringConvertible {
        let name: String
        let text: String

        var description: String { "\(name) must be a number from 1 to \(HistoriesAsked.most), not \"\(text)\"" }
    }

    init(_ environment: [String: String]) throws(Unreadable) {
        count = try Self.number("GATEFOLD_HISTORIES", in: environment) ?? 2_000
        first = UInt64(try Self.number("GATEFOLD_HISTORY", in: environment) ?? 1)
    }

    private static func number(_ name: String, in environment: [String: String]) throws(Unreadable) -> Int? {
        guard let text = environment[name] else { return nil }
        guard let number = Int(text), (1...most).contains(number) else { throw Unreadable(name: name, text: text) }
        return number
    }
}
