import ArgumentParser
import Foundation

/// The output format of a subcommand: text or JSON.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print the result as JSON.")
    var json = false

    /// Prints one value in the selected format.
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
