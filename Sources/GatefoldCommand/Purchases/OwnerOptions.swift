import ArgumentParser
import Gatefold
import Server

/// Whose purchases are meant.
struct OwnerOptions: ParsableArguments {
    @Option(help: "A subscriber, by the backend's own key; needs --backend.")
    var subscriber: String?

    @Option(help: "The backend that knows --subscriber.")
    var backend: String?

    @Option(help: "An installation of an app, by the user_id that the app made; needs --app.")
    var installation: String?

    @Option(help: "The app of --installation, by its bundle identifier.")
    var app: String?

    @Option(help: "A provider's account.")
    var account: String?

    func validate() throws {
        guard [subscriber, installation, account].compactMap(\.self).count == 1 else {
            throw ValidationError("expected one of --subscriber, --installation and --account")
        }
        guard (subscriber == nil) == (backend == nil) else {
            throw ValidationError("expected --subscriber and --backend together")
        }
        guard (installation == nil) == (app == nil) else {
            throw ValidationError("expected --installation and --app together")
        }
    }

    /// - Throws: ``CommandFailure`` for a backend that the configuration does not have, or an app that is not the
    ///   publication's: whoever misspells one must not take "nothing is known" for an answer.
    func owner(_ configuration: GatefoldConfiguration, in chosen: PublicationConfiguration) throws -> PurchaseOwner {
        let references = configuration.state.references
        let publication = chosen.publication.id
        if let backend, !configuration.backends.contains(where: { $0.name == backend }) {
            throw CommandFailure(
                .usage,
                "expected one of the backends \(configuration.backends.map(\.name).joined(separator: ", ")), not \(backend)"
            )
        }
        if let app, !chosen.apps.contains(app), !chosen.apps.isEmpty {
            throw CommandFailure(
                .usage, "expected one of the apps \(chosen.apps.joined(separator: ", ")) of \(publication), not \(app)")
        }
        if let subscriber, let backend {
            return references.owner(Subscriber(backend: backend, key: subscriber))
        }
        if let installation, let app { return references.owner(installation: installation, of: app) }
        return references.owner(account: account ?? "", of: publication)
    }
}
