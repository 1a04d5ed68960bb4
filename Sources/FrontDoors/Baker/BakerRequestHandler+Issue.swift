import Gatefold
import HTTPTypes
import Hummingbird

extension BakerRequestHandler {
    /// Redirects the app to the edition's archive behind the gate: 303, or 404 for an unknown edition and 403 for
    /// an edition that was not bought.
    ///
    /// Source: Baker protocol, “Download of an issue”.
    func issue() async throws -> Response {
        let (catalogue, now) = (try front.catalogue, front.authorizationService.now)
        let edition = fields["name"].flatMap { EditionID($0) }
        guard let edition, let archive = catalogue.archive(of: edition, at: now) else {
            throw JSONRejection(.notFound, "unknown issue", catalogue.reasonForNoArchive(of: edition))
        }
        if catalogue.isFree(edition, at: now) { return Self.redirection(to: front.downloads.url(of: archive)) }
        guard let owner else { throw Self.noUser }
        switch try await front.authorizationService.editionCredentials(for: edition, of: owner, context) {
        case .granted(let credentials, _, _):
            return Self.redirection(to: front.downloads.url(of: archive, credentials: credentials))
        case .rejected:
            throw JSONRejection(.forbidden, "not bought", .notIncluded)
        }
    }

    private static func redirection(to address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address])
    }
}
