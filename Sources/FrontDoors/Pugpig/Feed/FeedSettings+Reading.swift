import ContentGate
import Crypto
import Foundation
import Gatefold
import Settings

/// The clients that see drafts in the feed.
private enum FeedDrafts: String, CaseIterable {
    case none
    /// Every client with the feed's credentials.
    case feed
}

extension FeedSettings {
    /// Reads the `feed` section of a publication; returns nil if the section is missing or not enabled.
    init?(
        _ publication: SettingsSection, publication id: PublicationID, content layout: ContentLayout?,
        issuesFeedPassword: Bool
    ) throws(SettingsError) {
        guard publication.has("feed") else { return nil }
        let section = try publication.section("feed")
        let isEnabled = try section.boolean("enabled", default: true)
        let title = try section.string("title", default: id.rawValue)
        guard let content = ContentAddress(try section.string("content") ?? layout?.prefix ?? "") else {
            throw section.error(
                "content",
                expected: "expected an address that ends with a slash, such as https://cdn.example.com/daily/")
        }
        let address = try section.string("address")
        if let address, !["http://", "https://"].contains(where: { address.hasPrefix($0) }) {
            throw section.error("address", expected: "expected the feed's own address, such as https://…/daily/feed")
        }
        let drafts: FeedDrafts = try section.choice("drafts", default: .none)
        if drafts == .feed, !issuesFeedPassword {
            throw section.error(
                "drafts", expected: "needs `feed_password: true`, which gives apps the feed's credentials")
        }
        let apps = try section.strings("newsstand") ?? []
        if !apps.isEmpty, !content.isAbsolute {
            throw section.error(
                "newsstand", expected: "needs `content` with a host, because Apple fetches the covers")
        }
        if let app = apps.first(where: { $0.isEmpty || $0.contains("/") }) {
            throw section.error("newsstand", expected: "expected identifiers of apps, not `\(app)`")
        }
        let archive = try section.string("archive", default: "pugpigpkg")
        guard EditionID(archive) != nil else {
            throw section.error("archive", expected: "expected an ending without its dot, such as pugpigpkg or xml")
        }
        let identifier = try section.string("id", default: Self.identifier(of: id))
        let author = try section.string("author")
        try section.finish()
        guard isEnabled else { return nil }
        self.init(
            title: title, author: author, id: identifier, address: address, content: content,
            archiveExtension: archive, showsDrafts: drafts == .feed, newsstandApps: apps)
    }

    /// Returns an identifier that is always the same for a publication: a UUID derived from its name (RFC 9562
    /// section 5.8).
    private static func identifier(of id: PublicationID) -> String {
        var bytes = Array(SHA256.hash(data: Data("gatefold feed \(id.rawValue)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let parts = [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
        return "urn:uuid:" + parts.map { $0.joined() }.joined(separator: "-")
    }
}
