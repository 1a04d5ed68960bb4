public import ArgumentParser
import Catalogues
public import Gatefold
import Push
import Server

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Tell apps of new editions.",
        subcommands: [PushSendCommand.self, PushStatusCommand.self, PushTokensCommand.self])
}

/// A publication whose apps are told, and what its campaigns need.
struct PushOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption

    func office() throws -> PushOffice {
        let configuration = try configuration.read()
        let publication = try configuration.publication(named: publication.publication)
        guard let settings = publication.push else {
            throw CommandFailure(
                .configuration,
                "expected publications.\(publication.publication.id).push in the configuration")
        }
        return PushOffice(
            publication: publication.publication.id, settings: settings,
            store: try Assembly.existingStateStore(configuration),
            statePath: configuration.state.path)
    }

    /// Requires that the publication's catalogue has the edition. One that has no catalogue knows no better.
    ///
    /// - Throws: ``CommandFailure`` where the catalogue lacks it, or has never been fetched.
    func requireEdition(_ edition: EditionID) throws {
        let configuration = try configuration.read()
        let publication = try configuration.publication(named: publication.publication)
        let id = publication.publication.id
        let memory = CatalogueMemory(folder: configuration.catalogueFolder, publication: id)
        guard let catalogue = publication.knownCatalogue(memory) else {
            throw CommandFailure(
                .unavailable, "no catalogue of \(id) has been fetched with success, so that no edition is known")
        }
        if case .editions(let written) = publication.catalogue, written.isEmpty { return }
        guard catalogue[edition] != nil else {
            throw CommandFailure(.usage, "the catalogue of \(id) has no edition \(edition)")
        }
    }
}

extension PushEnvironment: ExpressibleByArgument {}

extension CommandFailure {
    init(_ stop: PushStop) {
        let status: Status =
            switch stop {
            case .unavailable: .unavailable
            case .underWay: .again
            case .otherCampaign: .usage
            case .refused, .clock, .untrusted, .strangers: .configuration
            }
        self.init(status, stop.description)
    }
}
