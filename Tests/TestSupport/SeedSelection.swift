/// The number of seeds to run and the first one, for a test with random runs.
public struct SeedSelection: Sendable {
    public let count: Int
    public let first: UInt64

    public static let limit = 100_000_000

    /// An error for an environment variable that would select no seed.
    public struct Unreadable: Error, Equatable, CustomStringConvertible {
        public let name: String
        public let text: String

        public init(name: String, text: String) {
            self.name = name
            self.text = text
        }

        public var description: String {
            "\(name) must be a number from 1 to \(SeedSelection.limit), not \"\(text)\""
        }
    }

    /// - Parameters:
    ///   - environment: The environment of the process.
    ///   - count: The name of the variable with the number of seeds.
    ///   - first: The name of the variable with the first seed. Default of the variable: 1.
    ///   - standard: The number of seeds without the variable.
    public init(
        _ environment: [String: String], count: String, first: String, default standard: Int
    ) throws(Unreadable) {
        self.count = try Self.number(count, in: environment) ?? standard
        self.first = UInt64(try Self.number(first, in: environment) ?? 1)
    }

    private static func number(_ name: String, in environment: [String: String]) throws(Unreadable) -> Int? {
        guard let text = environment[name] else { return nil }
        guard let number = Int(text), (1...limit).contains(number) else { throw Unreadable(name: name, text: text) }
        return number
    }
}
