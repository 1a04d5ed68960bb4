import ContentGate
package import Foundation
package import Gatefold
import HTTPTypes
package import Hummingbird
import Synchronization

/// The feed of one publication. It is made once for each version of the catalogue, and again when the publication
/// time of an edition comes.
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

    /// - Parameter verifier: The verifier of the credentials that show drafts, or `nil` if there are none.
    package init(
        _ settings: FeedSettings, catalogue: CurrentCatalogue, verifier: FeedCredentialsVerifier?,
        revocations: RevocationList
    ) {
        self.settings = settings
        self.catalogue = catalogue
        self.verifier = verifier
        self.revocations = revocations
    }

    /// Returns the feed.
    ///
    /// Rejected credentials count as none, so that an app without valid credentials gets the public feed. A 401
    /// would make the app show a login box.
    ///
    /// - Throws: ``Unavailable`` until the catalogue is loaded, because an app accepts an empty feed as correct.
    package func response(to request: Request, at timestamp: Date) throws(Unavailable) -> Response {
        let values = request.headers[values: .authorization]
        guard settings.showsDrafts, !values.isEmpty else {
            return try document(for: .everybody, at: timestamp).response(to: request, vary: "Authorization")
        }
        return try document(for: isDraftReader(values, at: timestamp) ? .draftReaders : .everybody, at: timestamp)
            .response(to: request, caching: .reader, vary: "Authorization")
    }

    /// Returns the Newsstand feed.
    ///
    /// - Throws: ``Unavailable`` until the catalogue is loaded.
    package func newsstandResponse(to request: Request, at timestamp: Date) throws(Unavailable) -> Response {
        try document(for: .newsstand, at: timestamp).response(to: request)
    }

    private func isDraftReader(_ values: [String], at timestamp: Date) -> Bool {
        guard let verifier, values.count == 1, let credentials = BasicCredentials(values[0]) else { return false }
        return verifier.verify(
            token: credentials.userid, password: credentials.password, at: timestamp, revocations: revocations) != nil
    }

    private func document(
        for audience: FeedView.Audience, at timestamp: Date
    ) throws(Unavailable) -> CacheableDocument {
        let version = catalogue.version
        guard !version.catalogue.isPending else { throw .catalogueNotLoaded }
        return rendered.withLock { rendered in
            let last = rendered[audience]
            if let last, last.version == version.number, last.until.map({ timestamp < $0 }) ?? true {
                return last.document
            }
            let view = FeedView(version.catalogue, for: audience, at: timestamp)
            let bytes =
                audience == .newsstand
                ? NewsstandDocument.bytes(view, settings) : FeedDocument.bytes(view, settings, at: timestamp)
            let document: CacheableDocument
            if let last, last.document.bytes == bytes {
                document = last.document
            } else {
                // The editions' own dates of change do not suffice: a title may be corrected without a new date.
                // Two changes within one second get different dates.
                let changed = max(timestamp, last?.document.lastModified.addingTimeInterval(1) ?? .distantPast)
                document = CacheableDocument(
                    bytes: bytes, contentType: FeedDocument.contentType, lastModified: changed)
            }
            rendered[audience] = Rendered(version: version.number, until: view.until, document: document)
            return document
        }
    }
}

/// The feeds at one time.
package struct FeedDirectory: Sendable {
    /// The feed of the publication whose calls have none in their path.
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
