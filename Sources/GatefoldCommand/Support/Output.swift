import ArgumentParser
import Foundation

/// How a subcommand answers: for people, or for programs.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write the answer as JSON.")
    var json = false

    /// Prints one value in the form asked for.
    func print(_ value: some Encodable, text: @autoclosure () -> String) throws {
        Swift.print(json ? try Self.encode(value) : text())
    }

    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
