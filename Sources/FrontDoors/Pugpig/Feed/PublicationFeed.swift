import ContentGate
package import Foundation
package import Gatefold
import HTTPTypes
package import Hummingbird
import Synchronization

/// One publication's feed: made once for each version of the catalogue, and again when the date of an edition comes.
package final class PublicationFeed: Sendable {
    package let settings: FeedSettings
    private let catalogue: CurrentCatalogue
    private let verifier: FeedCredentialsVerifier?
    private let revocations: RevocationList
    private let rendered = Mutex<[FeedView.Audience: Rendered]>([:])

    private struct Rendered {
        let version: Int
        let until: Date?
        let document: CacheableDocument
    }

    /// - Parameter verifier: of the credentials that show drafts; nil where there are none.
    package init(
        _ settings: FeedSettings, catalogue: CurrentCatalogue, verifier: FeedCredentialsVerifier?,
        revocations: RevocationList
    ) {
        self.settings = settings
        self.catalogue = catalogue
        self.verifier = verifier
        self.revocations = revocations
    }

    /// Refused credentials are as none, so that an app without good ones has the feed that everybody has; a 401 would have it
    /// show a login box.
    ///
    /// - Throws: ``Unavailable`` while the catalogue is awaited: an app takes an empty feed for the truth.
    package func response(to request: Request, at moment: Date) throws(Unavailable) -> Response {
        let values = request.headers[values: .authorization]
        guard settings.showsDrafts, !values.isEmpty else {
            return try document(for: .everybody, at: moment).response(to: request, vary: "Authorization")
        }
        return try document(for: isInsider(values, at: moment) ? .insiders : .everybody, at: moment)
            .response(to: request, caching: .reader, vary: "Authorization")
    }

    /// - Throws: ``Unavailable`` while the catalogue is awaited.
    package func newsstandResponse(to request: Request, at moment: Date) throws(Unavailable) -> Response {
        try document(for: .newsstand, at: moment).response(to: request)
    }

    private func isInsider(_ values: [String], at moment: Date) -> Bool {
        guard let verifier, values.count == 1, let credentials = BasicCredentials(values[0]) else { return false }
        return verifier.verify(
            token: credentials.userid, password: credentials.password, at: moment, revocations: revocations) != nil
    }

    private func document(
        for audience: FeedView.Audience, at moment: Date
    ) throws(Unavailable) -> CacheableDocument {
        let version = catalogue.version
        guard !version.catalogue.isAwaited else { throw .awaitingCatalogue }
        return rendered.withLock { rendered in
            let last = rendered[audience]
            if let last, last.version == version.number, last.until.map({ moment < $0 }) ?? true {
                return last.document
            }
            let view = FeedView(version.catalogue, for: audience, at: moment)
            let bytes =
                audience == .newsstand
                ? NewsstandDocument.bytes(view, settings) : FeedDocument.bytes(view, settings, at: moment)
            let document: CacheableDocument
            if let last, last.document.bytes == bytes {
                document = last.document
            } else {
                // Not when an edition says that it changed: a title may be put right without a word on it. Two changes in one
                // second have two dates.
                let changed = max(moment, last?.document.lastModified.addingTimeInterval(1) ?? .distantPast)
                document = CacheableDocument(
                    bytes: bytes, contentType: FeedDocument.contentType, lastModified: changed)
            }
            rendered[audience] = Rendered(version: version.number, until: view.until, document: document)
            return document
        }
    }
}

/// The feeds there are at one moment.
package struct FeedDirectory: Sendable {
    /// Of the publication whose calls have none in their path.
    package var `default`: PublicationFeed?
    package var byID: [PublicationID: PublicationFeed]

    package init(default: PublicationFeed? = nil, byID: [PublicationID: PublicationFeed] = [:]) {
        self.default = `default`
        self.byID = byID
    }

    func newsstandFeed(of app: String) -> PublicationFeed? {
        byID.sorted { $0.key < $1.key }.first { $0.value.settings.newsstandApps.contains(app) }?.value
    }
}
