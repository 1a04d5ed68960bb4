import LDAP

@testable import Backends

extension FuzzTarget {
    static let directoryTexts = FuzzTarget(
        "directory-texts", upTo: 256, of: "FilterSyntax", "FilterValue", "NameValue", "DistinguishedName",
        "DirectoryKey", "DirectoryVerdict"
    ) { bytes in
        let text = text(bytes)
        _ = FilterSyntax.isValid(text)
        _ = NameValue.first(of: text)
        _ = DistinguishedName(text)
        let (filter, name) = (FilterValue.escape(bytes), NameValue.escape(bytes))
        promise(FilterValue.unescape(filter) == bytes && NameValue.unescape(name) == bytes, "a value was lost")
        promise(FilterSyntax.isValid("(&(uid=\(filter))(cn=x))"), "a value changes the shape of a filter")
        if let read = DistinguishedName("cn=\(name),ou=own,dc=example") {
            promise(!read.isBelow(groups), "a value is more than one part of a name")
        }
        promise(DirectoryKey.value(DirectoryKey.text(bytes)) == bytes, "a key was lost")
        _ = DirectoryKey.value(text)
        // Some servers treat both as an anonymous bind (Pitfall 14).
        let isNobodys = text.utf8.contains(0) || text.allSatisfy(\.isWhitespace)
        promise(!isNobodys || !DirectoryProof.isUsable(text), "an empty password was sent to a directory")
    }

    private static let groups = DistinguishedName("ou=groups,dc=example")!
}
