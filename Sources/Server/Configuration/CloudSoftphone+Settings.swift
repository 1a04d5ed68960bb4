import Commerce
import FrontDoors
import Gatefold
import HTTPTypes
import Settings

extension CloudSoftphone {
    /// Reads the `cloud_softphone` section of a publication; returns nil if the section is missing.
    ///
    /// - Parameter kinds: The kinds of the stores in which the publication sells.
    static func read(
        _ publication: SettingsSection, publication id: PublicationID, offeringProductsIn kinds: Set<StoreKind>
    ) throws(SettingsError) -> CloudSoftphone? {
        guard publication.has("cloud_softphone") else { return nil }
        let section = try publication.section("cloud_softphone")
        var read = CloudSoftphone(
            path: try path(section, id), store: try section.choice("store", default: .apple),
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
        guard kinds.contains(read.store) else {
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
    /// ``GatefoldConfiguration/checkPaths(_:)`` checks the paths of other publications.
    ///
    /// - Returns: The path without a final slash.
    private static func path(_ section: SettingsSection, _ id: PublicationID) throws(SettingsError) -> String {
        var path = try section.string("path", default: "/{publication}/iap").replacing(
            "{publication}", with: id.rawValue)
        if path.hasSuffix("/") { path.removeLast() }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let words = segments.dropFirst()
        // After the publication's name, the next segment must not be the name of one of its calls.
        let first = words.first.map { String($0) } == id.rawValue ? words.dropFirst().first : words.first
        guard segments.first?.isEmpty == true, words.allSatisfy(isSegment), let first,
            !PublicationConfiguration.reserved.contains(String(first))
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
