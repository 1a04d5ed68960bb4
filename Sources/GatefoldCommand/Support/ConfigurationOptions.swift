import ArgumentParser
import Foundation
import Gatefold
import Server

/// The options that locate the configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    var path: String { config ?? environment["GATEFOLD_CONFIG"] ?? "gatefold.yaml" }

    var environment: [String: String] { ProcessInfo.processInfo.environment }

    func read() throws -> GatefoldConfiguration {
        try GatefoldConfiguration.read(path: path, environment: environment)
    }
}

extension GatefoldConfiguration {
    /// Returns the publication with the given name. Without a name, returns the default publication or the only
    /// one.
    func publication(named name: String?) throws -> PublicationConfiguration {
        if let name {
            guard let found = publications.first(where: { $0.publication.id.rawValue == name }) else {
                let names = publications.map(\.publication.id.rawValue).joined(separator: ", ")
                throw CommandFailure(.usage, "no publication \(name); expected one of \(names)")
            }
            return found
        }
        if let found = publications.first(where: \.isDefault) ?? (publications.count == 1 ? publications.first : nil) {
            return found
        }
        throw CommandFailure(.usage, "expected --publication, because the configuration has no default one")
    }
}

/// The option that selects a publication.
struct PublicationOption: ParsableArguments {
    @Option(name: .shortAndLong, help: "The publication. Default: the default publication.")
    var publication: String?
}
