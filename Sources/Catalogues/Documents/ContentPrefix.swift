import Foundation
import Settings

/// The prefix that is removed from the addresses of a document to make them relative to the publication's content.
struct ContentPrefix: Sendable {
    private let prefix: String?

    init(_ prefix: String?) {
        self.prefix = prefix
    }

    /// Reads the key `content`.
    init(_ settings: SettingsSection) throws(SettingsError) {
        prefix = try settings.string("content")
        if let prefix, !prefix.hasSuffix("/") || WebAddress.scheme(of: prefix) == nil {
            throw settings.error("content", expected: "expected an address that ends with a slash")
        }
    }

    /// Returns the part of an address below the prefix. Any other address is returned unchanged.
    func shortened(_ address: String?) -> String? {
        guard let prefix, let address, address.hasPrefix(prefix), address.count > prefix.count else { return address }
        return String(address.dropFirst(prefix.count))
    }

    /// Returns the path of an archive below the prefix, without percent escapes; nil if the address or the prefix
    /// is unknown.
    ///
    /// - Throws: ``EditionItemProblem`` for an archive at another place, because Gatefold would otherwise treat it
    ///   as an archive that it serves.
    func file(_ address: String?) throws(EditionItemProblem) -> String? {
        guard prefix != nil, let address else { return nil }
        guard let short = shortened(address), short != address || WebAddress.scheme(of: short) == nil else {
            throw .unreadable("file")
        }
        let names = short.split(separator: "/", omittingEmptySubsequences: false).map { $0.removingPercentEncoding }
        // An escaped slash is not a path separator.
        guard names.allSatisfy({ $0?.contains("/") == false }) else { throw .unreadable("file") }
        return names.compactMap(\.self).joined(separator: "/")
    }
}
