import Gatefold
import HTTPTypes
import Hummingbird

extension BakerQuestion {
    /// Sends the app on to the edition's archive behind the gate: 303, or 404 for what is not there and 403 for what was not
    /// bought (PROTOCOLS 2.2).
    func issue() async throws -> Response {
        guard let edition = fields["name"].flatMap({ EditionID($0) }), let file = front.file(of: edition) else {
            return JSONAnswer.error(.notFound, "unknown issue")
        }
        if front.catalogue.isFree(edition, at: front.proxy.now) {
            return Self.redirection(to: front.downloads.url(of: edition, file: file.path))
        }
        guard let owner else { return Self.noUser }
        switch try await front.proxy.editionCredentials(for: edition, of: owner, inquiry) {
        case .granted(let credentials, _, _):
            return Self.redirection(
                to: front.downloads.url(of: edition, file: file.path, credentials: credentials))
        case .refused:
            return JSONAnswer.error(.forbidden, "not bought")
        }
    }

    private static func redirection(to address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address])
    }
}

/// Where an edition's archive lies.
struct EditionFile {
    /// Below the content's prefix; nil for the usual name.
    let path: String?
}

extension Storefront {
    /// Nil for an edition that nobody can have: one the catalogue does not know, a draft, or one of the future. One that was
    /// withdrawn is still there for those who hold it. Without a catalogue any edition may be there.
    func file(of edition: EditionID) -> EditionFile? {
        if catalogue.editions.isEmpty { return EditionFile(path: nil) }
        guard let known = catalogue[edition], !known.isDraft, known.published <= proxy.now else { return nil }
        return EditionFile(path: known.file)
    }
}
