import Crypto
import Foundation

extension SettingsSection {
    /// Returns a digest of the section and of the secrets that it refers to. While the digest is unchanged, objects
    /// built from the section need not be rebuilt.
    public func fingerprint() -> [UInt8] {
        var digest = SHA256()
        for entry in entries { feed(entry, to: &digest) }
        return Array(digest.finalize())
    }

    private func feed(_ entry: SettingsNode.Entry, to digest: inout SHA256) {
        feed("key", entry.key, to: &digest)
        feed(entry.value, to: &digest)
    }

    private func feed(_ node: SettingsNode, to digest: inout SHA256) {
        switch node.content {
        case .nothing:
            feed("nothing", "", to: &digest)
        case .scalar(let text, let isQuoted):
            feed(isQuoted ? "quoted" : "plain", text, to: &digest)
        case .sequence(let items):
            feed("list", String(items.count), to: &digest)
            for item in items { feed(item, to: &digest) }
        case .mapping(let entries):
            feed("keys", String(entries.count), to: &digest)
            for entry in entries { feed(entry, to: &digest) }
            guard entries.count == 1, let entry = entries.first, case .scalar(let text, _) = entry.value.content else {
                return
            }
            if entry.key == "file" {
                let path = text.hasPrefix("/") ? text : "\(folder)/\(text)"
                digest.update(data: (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
            } else if entry.key == "env" {
                feed("value", environment[text] ?? "", to: &digest)
            }
        }
    }

    /// Adds a part to the digest. The length before each part distinguishes ("ab", "c") from ("a", "bc").
    private func feed(_ kind: String, _ text: String, to digest: inout SHA256) {
        for part in [kind, text] {
            withUnsafeBytes(of: UInt64(part.utf8.count).bigEndian) { digest.update(bufferPointer: $0) }
            digest.update(data: Data(part.utf8))
        }
    }
}
