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

    func owner(_ references: ReferenceKey, in publication: PublicationID) -> PurchaseOwner {
        if let subscriber, let backend {
            return references.owner(Subscriber(backend: backend, key: subscriber))
        }
        if let installation, let app { return references.owner(installation: installation, of: app) }
        return references.owner(account: account ?? "", of: publication)
    }
}
