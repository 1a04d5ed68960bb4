import Gatefold
import HTTPTypes
import Hummingbird

extension BakerQuestion {
    /// Sends the app on to the edition's archive behind the gate: 303, or 404 for what is not there and 403 for what was not
    /// bought (PROTOCOLS 2.2).
    func issue() async throws -> Response {
        let (catalogue, now) = (try front.catalogue, front.proxy.now)
        guard let edition = fields["name"].flatMap({ EditionID($0) }),
            let archive = catalogue.archive(of: edition, at: now)
        else { return JSONAnswer.error(.notFound, "unknown issue") }
        if catalogue.isFree(edition, at: now) { return Self.redirection(to: front.downloads.url(of: archive)) }
        guard let owner else { return Self.noUser }
        switch try await front.proxy.editionCredentials(for: edition, of: owner, inquiry) {
        case .granted(let credentials, _, _):
            return Self.redirection(to: front.downloads.url(of: archive, credentials: credentials))
        case .refused:
            return JSONAnswer.error(.forbidden, "not bought")
        }
    }

    private static func redirection(to address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address])
    }
}
