import ContentGate
import Foundation
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
    func url(of edition: EditionID, file: String?, credentials: EditionCredentials? = nil) -> String {
        let target = publicURL + prefix + Self.escaped(file ?? "\(edition).hpub")
        return credentials.map { Ticket($0).added(to: target) } ?? target
    }

    /// What the catalogue names a picture by, as an absolute URL: it may be one, or relative to the content's prefix.
    func absolute(_ reference: String) -> String {
        if reference.hasPrefix("https://") || reference.hasPrefix("http://") { return reference }
        if reference.hasPrefix("/") { return publicURL + reference }
        return publicURL + prefix + Self.escaped(reference)
    }

    /// A path with everything escaped that is not unreserved (RFC 3986 section 2.3), but for what already is.
    private static func escaped(_ path: String) -> String {
        var result = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"),
                UInt8(ascii: "%"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
        return result
    }
}
