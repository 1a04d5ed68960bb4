import Commerce
import Gatefold
import Primitives

/// An opaque text that names a delivery in the URLs of the admin API.
///
/// It contains the store and the transaction, sealed with the secret of the state. Otherwise a person who has a receipt could
/// recognise its purchase in a URL or an access log. Two handles of one delivery differ.
struct DeliveryHandle: Hashable, Sendable, CustomStringConvertible {
    static let maxLength = 1_200
    private static let purpose = "gatefold delivery handle 1"

    let description: String

    init(_ delivery: Delivery, key: PseudonymKey) throws {
        var writer = ByteWriter()
        writer.write(text: delivery.publication.rawValue)
        writer.write(text: delivery.id.description)
        description = Base64URL.encode(try key.seal(writer.bytes, for: Self.purpose))
    }

    /// Returns the delivery of a handle; nil if the text is no handle of a delivery of the publication that was sealed with the
    /// key.
    static func open(_ text: String, in publication: PublicationID, key: PseudonymKey) -> Delivery.ID? {
        guard text.utf8.count <= maxLength, let sealed = Base64URL.decode(text),
            let plain = key.open(sealed, for: purpose)
        else { return nil }
        var reader = ByteReader(plain)
        guard reader.readText() == publication.rawValue, let id = reader.readText(), reader.isAtEnd else { return nil }
        return Delivery.ID(id)
    }
}
