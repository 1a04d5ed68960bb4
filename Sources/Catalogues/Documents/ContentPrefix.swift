import Foundation
import Settings

/// What is cut off the addresses of a document to have them relative to the publication's content.
struct ContentPrefix: Sendable {
    private let prefix: String?

    init(_ prefix: String?) {
        self.prefix = prefix
    }

    /// Reads `content`.
    init(_ settings: SettingsSection) throws(SettingsError) {
        prefix = try settings.string("content")
        if let prefix, !prefix.hasSuffix("/") || WebAddress.scheme(of: prefix) == nil {
            throw settings.error("content", expected: "expected an address that ends with a slash")
        }
    }

    /// What is left of an address below the prefix; any other is kept as it is.
    func shortened(_ address: String?) -> String? {
        guard let prefix, let address, address.hasPrefix(prefix), address.count > prefix.count else { return address }
        return String(address.dropFirst(prefix.count))
    }

    /// Where an archive lies below the prefix, without the escapes of its address; nil where the address or the prefix is not
    /// known.
    ///
    /// - Throws: ``EditionItemProblem`` for an archive that lies elsewhere: it would be taken for one that Gatefold serves.
    func file(_ address: String?) throws(EditionItemProblem) -> String? {
        guard prefix != nil, let address else { return nil }
        guard let short = shortened(address), short != address || WebAddress.scheme(of: short) == nil else {
            throw .unreadable("file")
        }
        let names = short.split(separator: "/", omittingEmptySubsequences: false).map { $0.removingPercentEncoding }
        // A slash that was escaped is no slash.
        guard names.allSatisfy({ $0?.contains("/") == false }) else { throw .unreadable("file") }
        return names.compactMap(\.self).joined(separator: "/")
    }
}
