public import ArgumentParser
import Catalogues
public import Gatefold
import Push
import Server

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Notify apps of new editions.",
        subcommands: [PushSendCommand.self, PushStatusCommand.self, PushTokensCommand.self])
}

/// The options that select a publication with push notifications, and the services that its campaigns need.
struct PushOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption

    func campaignSender() throws -> PushCampaignSender {
        let configuration = try configuration.read()
        let publication = try configuration.publication(named: publication.publication)
        guard let settings = publication.push else {
            throw CommandFailure(
                .configuration,
                "expected publications.\(publication.publication.id).push in the configuration")
        }
        return PushCampaignSender(
            publication: publication.publication.id, settings: settings,
            store: try Bootstrap.existingStateStore(configuration))
    }

    /// Requires that the publication's catalogue has the edition. A publication with an empty catalogue accepts any
    /// edition.
    ///
    /// - Throws: ``CommandFailure`` if the catalogue lacks the edition or has never been fetched.
    func requireEdition(_ edition: EditionID) throws {
        let configuration = try configuration.read()
        let publication = try configuration.publication(named: publication.publication)
        let id = publication.publication.id
        let cache = CatalogueCache(folder: configuration.catalogueFolder, publication: id)
        guard let catalogue = publication.knownCatalogue(cache) else {
            throw CommandFailure(
                .unavailable, "no catalogue of \(id) has been fetched successfully, so that no edition is known")
        }
        if case .editions(let written) = publication.catalogue, written.isEmpty { return }
        guard catalogue[edition] != nil else {
            throw CommandFailure(.usage, "the catalogue of \(id) has no edition \(edition)")
        }
    }
}

extension PushEnvironment: ExpressibleByArgument {}

extension CommandFailure {
    init(_ stop: PushCampaignError) {
        let status: Status =
            switch stop {
            case .unavailable: .unavailable
            case .alreadyRunning: .resumable
            case .otherCampaign: .usage
            case .rejected, .clock, .untrusted, .unknownTokens: .configuration
            }
        self.init(status, stop.description)
    }
}
