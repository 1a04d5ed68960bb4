import FrontDoors
import Gatefold
import HTTPTypes
import Settings

extension CloudSoftphone {
    /// Reads the section `cloud_softphone` of a publication; nil where there is none.
    ///
    /// - Parameter kinds: of the stores that the publication sells in.
    static func read(
        _ publication: SettingsSection, publication id: PublicationID, sellingIn kinds: Set<StoreKind>
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
                expected: "expected the name of \(missing), without which \(read.store.rawValue) proves nothing")
        }
        return read
    }

    /// No call's, neither of all publications nor of this one; ``GatefoldConfiguration/checkPaths(_:)`` knows the others'.
    ///
    /// - Returns: the path without a slash at its end.
    private static func path(_ section: SettingsSection, _ id: PublicationID) throws(SettingsError) -> String {
        var path = try section.string("path", default: "/{publication}/iap").replacing(
            "{publication}", with: id.rawValue)
        if path.hasSuffix("/") { path.removeLast() }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let words = segments.dropFirst()
        // Behind the publication's name its calls have their names.
        let first = words.first.map { String($0) } == id.rawValue ? words.dropFirst().first : words.first
        guard segments.first?.isEmpty == true, words.allSatisfy(isSegment), let first,
            !PublicationConfiguration.reserved.contains(String(first))
        else {
            throw section.error(
                "path",
                expected:
                    "expected a path such as /iap_validate/ or /\(id)/iap, of letters, digits, dots, - and _, that is no "
                    + "other call's")
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
