import ArgumentParser
import Gatefold
import Server

/// The options that select the owner of purchases.
struct OwnerOptions: ParsableArguments {
    @Option(help: "A subscriber, by the backend's own key; requires --backend.")
    var subscriber: String?

    @Option(help: "The backend of --subscriber.")
    var backend: String?

    @Option(help: "An installation of an app, by the user_id that the app generated; requires --app.")
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

    /// - Throws: ``CommandFailure`` for a backend that is not in the configuration, or an app that is not the
    ///   publication's. A misspelt name must not look like an owner without purchases.
    func owner(_ configuration: GatefoldConfiguration, in chosen: PublicationConfiguration) throws -> PurchaseOwner {
        let pseudonymKey = configuration.state.pseudonymKey
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
            return pseudonymKey.owner(Subscriber(backend: backend, key: subscriber))
        }
        if let installation, let app { return pseudonymKey.owner(installation: installation, of: app) }
        return pseudonymKey.owner(account: account ?? "", of: publication)
    }
}
