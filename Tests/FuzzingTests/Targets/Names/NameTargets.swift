import Accounts
import Commerce
import FrontDoors
import Gatefold
import LDAP
import OutgoingRequests
import Primitives
import Server

@testable import Backends
@testable import Catalogues
@testable import Conformance
@testable import PasswordHashing

extension FuzzTarget {
    /// Short texts with one meaning: a parsed value survives a round trip.
    static let identifiers = FuzzTarget(
        "identifiers", upTo: 256, of: "EditionID", "PublicationID", "StoreName", "Pseudonym", "ClientAddress",
        "PushTokenText", "MailAddress", "Hexadecimal", "Base64URL", "InPlayerFee", "TestUser", "SaleItem",
        "Delivery+Names", "NameFolding", "LookAlikeSkeleton", "LeadingNumber"
    ) { bytes in
        let text = text(bytes)
        let skeleton = LookAlikeSkeleton.of(text)
        promise(LookAlikeSkeleton.of(skeleton) == skeleton, "the skeleton of a skeleton differs")
        promise(
            LookAlikeSkeleton.of(text.uppercased()) == skeleton || !text.allSatisfy(\.isASCII),
            "the skeleton depends on letter case")
        let counted = LookAlikeSkeleton.all(of: text)
        promise(
            counted.first == skeleton && counted.count <= 3,
            "a name lacks the counter of its skeleton or has too many counters")
        promise(
            counted.allSatisfy { LookAlikeSkeleton.all(of: $0).contains($0) },
            "a counted name is missing from its own counters")
        promise(
            counted.dropFirst().allSatisfy { $0.utf8.count <= max(text.utf8.count, 20) }, "a number was expanded")
        if let first = text.utf8.first, (0x30...0x39).contains(first) {
            promise(
                !Set(LookAlikeSkeleton.all(of: " +00\(text)")).isDisjoint(with: counted),
                "a number does not share a counter with its value")
        }
        for folding in [NameFolding(), .code, NameFolding(ignoring: [])] {
            let folded = folding.fold(text)
            promise(folding.fold(folded).utf8.elementsEqual(folded.utf8), "case folding is not idempotent")
        }
        if let edition = EditionID(text) {
            promise(
                edition.rawValue == text && !text.contains("..") && !text.hasPrefix("."),
                "an edition ID contains a parent segment")
            promise(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }, "an edition ID is not a file name")
        }
        if let publication = PublicationID(text) { promise(publication.rawValue == text, "a name was changed") }
        if let store = StoreName(text) { promise("\(store)" == text, "a name was changed") }
        if let item = SaleItem(name: text) { promise(item.name == text, "an item's name does not round-trip") }
        if let delivery = Delivery.ID(text) {
            promise(delivery.description == text, "a delivery's ID does not round-trip")
        }
        if let reference = SessionPseudonym(text) {
            promise(SessionPseudonym("\(reference)") == reference, "a reference does not round-trip")
        }
        if let address = ClientAddress(text) {
            promise(ClientAddress(address.description) == address, "an address does not round-trip")
        }
        for length in ["/0", "/8", "/128", ""] { _ = AddressBlock(text + length) }
        if case .token(let token) = PushTokenText.read(text) {
            promise(PushTokenText.sizes.contains(token.count), "a token has a wrong length")
        }
        if let address = MailAddress(text) {
            promise(address.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "an address contains a line break")
            promise(address.text.utf8.count { $0 == UInt8(ascii: "@") } == 1, "an address has two hosts")
        }
        if let decoded = Hexadecimal.decode(text) {
            promise(Hexadecimal.encode(decoded) == text.lowercased(), "digits were lost")
        }
        if let decoded = Base64URL.decode(text) {
            promise(Base64URL.encode(decoded) == text, "two texts decode to the same bytes")
        }
        promise(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "bytes were lost")
        promise(Hexadecimal.decode(Hexadecimal.encode(bytes)) == bytes, "bytes were lost")
    }

    /// Two lines: a URL and its base.
    static let addresses = FuzzTarget(
        "addresses", upTo: 256, of: "ServiceURL", "Address", "ContentAddress", "WebAddress", "URLReferenceEncoding",
        "ListenAddress", "AdminListenAddress", "DirectoryURL"
    ) { bytes in
        let lines = lines(bytes, 2)
        if let url = ServiceURL(lines[0]) {
            promise(ServiceURL(url.text)?.text == url.text, "a URL does not round-trip")
            if let next = url.redirected(to: lines[1]) {
                promise(ServiceURL(next.text)?.origin == next.origin, "a redirect target is on another host")
            }
        }
        if let address = Conformance.Address(lines[0]) {
            promise(!address.host.isEmpty && address.path.hasPrefix("/"), "an address has no host or no path")
            promise(!address.path.contains { $0.isWhitespace }, "an address contains a space or a line break")
        }
        if let address = FrontDoors.ContentAddress(lines[0]) { _ = address.of(lines[1]) }
        if let address = ListenAddress(lines[0]) {
            promise(ListenAddress("\(address)") == address, "an address was lost")
        }
        if let address = AdminListenAddress(lines[0]) {
            promise(AdminListenAddress("\(address)") == address, "an address of the admin listener was lost")
        }
        _ = Catalogues.WebAddress.resolve(lines[0], against: lines[1])
    }
}
