import ContentGate
import Gatefold

/// Where a publication's downloads are to be had: URLs that point to the gate.
public struct DownloadSite: Sendable, Equatable {
    /// Scheme, host and perhaps a path under which the world reaches Gatefold; without a slash at its end.
    public let publicURL: String
    /// The content layout's prefix: begins and ends with a slash.
    public let prefix: String

    public init(publicURL: String, prefix: String) {
        self.publicURL = publicURL
        self.prefix = prefix
    }

    /// The URL of an edition's archive; with credentials as a ``Ticket`` in its query.
    func url(of archive: EditionArchive, credentials: EditionCredentials? = nil) -> String {
        let target = publicURL + prefix + AddressText.path(archive.file ?? "\(archive.edition).hpub")
        return credentials.map { Ticket($0).added(to: target) } ?? target
    }

    /// What the catalogue names a picture by, as an absolute URL: it may be one, or relative to the content's prefix.
    func absolute(_ reference: String) -> String {
        if AddressText.isAbsolute(reference) { return reference }
        return publicURL + (reference.hasPrefix("/") ? "" : prefix) + AddressText.reference(reference)
    }
}
