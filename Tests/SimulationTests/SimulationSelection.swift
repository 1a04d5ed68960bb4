/// The number of seeds to run and the first one.
struct SimulationSelection: Sendable {
    /// The number of seeds. `GATEFOLD_SIMULATIONS` overrides it.
    let count: Int
    /// The first seed. `GATEFOLD_SIMULATION` overrides it.
    let first: UInt64

    static let limit = 100_000_000

    /// An error for an environment variable that would select no seed.
    struct Unreadable: Error, Equatable, CustomStringConvertible {
        let name: String
        let text: String

        var description: String { "\(name) must be a number from 1 to \(SimulationSelection.limit), not \"\(text)\"" }
    }

    init(_ environment: [String: String]) throws(Unreadable) {
        count = try Self.number("GATEFOLD_SIMULATIONS", in: environment) ?? 1_000
        first = UInt64(try Self.number("GATEFOLD_SIMULATION", in: environment) ?? 1)
    }

    private static func number(_ name: String, in environment: [String: String]) throws(Unreadable) -> Int? {
        guard let text = environment[name] else { return nil }
        guard let number = Int(text), (1...limit).contains(number) else { throw Unreadable(name: name, text: text) }
        return number
    }
}
