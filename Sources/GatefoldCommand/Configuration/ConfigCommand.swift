import ArgumentParser
import Foundation
import Gatefold
import Server
import Settings

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Validate the configuration, or print an example.",
        subcommands: [ConfigCheckCommand.self, ConfigExampleCommand.self])
}

struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Validate the configuration, and report the first error.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let path: String
        let listen: String
        let publications: [String]
        let backends: [String]
    }

    func run() async throws {
        let read = try configuration.read()
        let found = try Bootstrap.check(read)
        for warning in read.warnings.map(\.description) + found {
            FileHandle.standardError.write(Data("warning: \(warning)\n".utf8))
        }
        let report = Report(
            path: configuration.path, listen: read.listen.description,
            publications: read.publications.map(\.publication.id.rawValue), backends: read.backends.map(\.name))
        try output.print(
            report,
            text: """
                \(report.path) is valid.
                listens on    \(report.listen)
                publications  \(report.publications.joined(separator: ", "))
                backends      \(report.backends.joined(separator: ", "))
                """)
    }
}

struct ConfigExampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example", abstract: "Print an example configuration with every key and its meaning.")

    func run() {
        print(ExampleConfiguration.text)
    }
}
