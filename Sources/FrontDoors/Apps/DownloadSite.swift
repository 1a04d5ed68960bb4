import ContentGate
import Gatefold

/// The location of a publication's downloads: URLs that point to the gate.
public struct DownloadSite: Sendable, Equatable {
    /// The scheme, host and optional path of Gatefold's public address, without a trailing slash.
    public let publicURL: String
    /// The content layout's prefix. Begins and ends with a slash.
    public let prefix: String

    public init(publicURL: String, prefix: String) {
        self.publicURL = publicURL
        self.prefix = prefix
    }

    /// Returns the URL of an edition's archive, with credentials as a ``DownloadToken`` in its query.
    func url(of archive: EditionArchive, credentials: EditionCredentials? = nil) -> String {
        let target = publicURL + prefix + URLReferenceEncoding.path(archive.file ?? "\(archive.edition).hpub")
        return credentials.map { DownloadToken($0).added(to: target) } ?? target
    }

    /// Returns the absolute URL of a picture in the catalogue, which may be absolute or relative to the content's
    /// prefix.
    func absolute(_ reference: String) -> String {
        URLReferenceEncoding.absolute(reference)
            ?? publicURL + (reference.hasPrefix("/") ? "" : prefix) + URLReferenceEncoding.reference(reference)
    }
}
