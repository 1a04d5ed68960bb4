import Commerce
import ContentGate
import Gatefold
import HTTPTypes
package import Settings

extension CloudSoftphone {
    /// Reads the `cloud_softphone` section of a publication; returns nil if the section is missing.
    ///
    /// - Parameter outline: What was already read of the publication.
    static func read(
        _ publication: SettingsSection, of outline: PublicationOutline
    ) throws(SettingsError) -> CloudSoftphone? {
        guard publication.has("cloud_softphone") else { return nil }
        let section = try publication.section("cloud_softphone")
        var read = CloudSoftphone(
            path: try path(section, outline), store: try section.choice("store", default: .apple),
            form: try section.choice("content_type", default: .xml))
        if let names = try section.strings("methods") {
            let methods = names.compactMap { name in possibleMethods.first { $0.rawValue == name } }
            guard !methods.isEmpty, methods.count == names.count, Set(methods).count == methods.count else {
                throw section.error(
                    "methods",
                    expected: "expected some of \(possibleMethods.map(\.rawValue).joined(separator: ", "))")
            }
            read.methods = methods
        }
        read.fields = try Fields(try section.section("fields"))
        try section.finish()
        guard outline.storeKinds.contains(read.store) else {
            throw section.error(
                "store", expected: "expected one of the publication's `stores` to be of the kind \(read.store.rawValue)"
            )
        }
        let missing: String? =
            switch read.store {
            case .google where read.fields.signature == nil && read.fields.token == nil: "`signature` or `token`"
            case .amazon where read.fields.user == nil: "`user`"
            default: nil
            }
        if let missing {
            throw section.error(
                "fields",
                expected: "expected the name of \(missing), which \(read.store.rawValue) needs to verify a purchase")
        }
        return read
    }

    /// Returns the path, which must not be the path of another call of all publications or of this publication.
    /// ``CloudSoftphoneFrontDoor/check(_:)`` checks the paths of other publications.
    ///
    /// - Returns: The path without a final slash.
    private static func path(
        _ section: SettingsSection, _ outline: PublicationOutline
    ) throws(SettingsError) -> String {
        let id = outline.id
        var path = try section.string("path", default: "/{publication}/iap").replacing(
            "{publication}", with: id.rawValue)
        if path.hasSuffix("/") { path.removeLast() }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let words = segments.dropFirst()
        // After the publication's name, the next segment must not be the name of one of its calls.
        let first = words.first.map { String($0) } == id.rawValue ? words.dropFirst().first : words.first
        guard segments.first?.isEmpty == true, words.allSatisfy(isSegment), let first,
            !outline.reservedPathSegments.contains(String(first))
        else {
            throw section.error(
                "path",
                expected:
                    "expected a path such as /iap_validate/ or /\(id)/iap, of letters, digits, dots, - and _, that "
                    + "is not the path of another call")
        }
        return path
    }

    private static func isSegment(_ text: Substring) -> Bool {
        !text.isEmpty && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

extension CloudSoftphone.Fields {
    fileprivate init(_ section: SettingsSection) throws(SettingsError) {
        self.init()
        receipt = try section.string("receipt", default: receipt)
        product = try section.string("product", default: product)
        account = try section.string("account", default: account)
        price = try section.string("price") ?? price
        currency = try section.string("currency") ?? currency
        app = try section.string("app")
        signature = try section.string("signature")
        token = try section.string("token")
        user = try section.string("user")
        try section.finish()
        let names = [receipt, product, account] + [price, currency, app, signature, token, user].compactMap(\.self)
        guard Set(names).count == names.count, !names.contains("") else {
            throw section.error("receipt", expected: "expected a different name for each field")
        }
    }
}

/// The check that every path leads to one publication and one front door, because publications can choose paths.
extension CloudSoftphoneFrontDoor {
    package static func check(_ outline: ConfigurationOutline) throws(SettingsError) {
        for publication in outline.publications {
            if let conflict = conflict(of: publication, outline) {
                throw outline.error(publication, expected: conflict)
            }
        }
    }

    private static func conflict(of publication: PublicationOutline, _ outline: ConfigurationOutline) -> String? {
        guard let path = publication.frontDoors[CloudSoftphoneFrontDoor.self]?.path else { return nil }
        for other in outline.publications where other.id != publication.id {
            if other.frontDoors[CloudSoftphoneFrontDoor.self]?.path == path {
                return "has the path \(path) in `cloud_softphone`, as \(other.id) does"
            }
            if path.hasPrefix("/\(other.id)/") || path == "/\(other.id)" {
                return "has a path in `cloud_softphone` that begins with the publication \(other.id)"
            }
        }
        for other in outline.publications {
            if let prefix = other.content?.prefix, "\(path)/".hasPrefix(prefix) {
                return "has the path \(path) in `cloud_softphone`, below content.prefix of \(other.id)"
            }
            if let door = outline.registry.types.first(where: { $0.hasCall(at: path, of: other) }) {
                return "has the path \(path) in `cloud_softphone`, which is a path of \(other.id) for \(door.name)"
            }
        }
        return nil
    }
}
