import Foundation

/// The bytes of an entry that its hash covers.
///
/// They are the fields below in this order, each as its length in four bytes, big-endian, followed by its bytes:
///
/// 1. the text `gatefold audit 1`
/// 2. the hash of the entry before
/// 3. the sequence number in eight bytes, big-endian
/// 4. the identifier
/// 5. the time in milliseconds since 1970 in eight bytes, big-endian, as two's complement
/// 6. the kind of the actor, the name of the actor, the publication, the action, the subject, the reason and the details,
///    each as UTF-8
///
/// A field without a value has the length 2³² − 1 and no bytes, so that it differs from an empty one. Because each field
/// has its length, different entries never have the same bytes.
enum AuditEncoding {
    static let label = "gatefold audit 1"
    private static let absent = UInt32.max

    static func bytes(of entry: AuditEntry) -> Data {
        var data = Data()
        append(Data(label.utf8), to: &data)
        append(Data(entry.previous), to: &data)
        append(entry.sequence, to: &data)
        append(Data(entry.id), to: &data)
        append(entry.milliseconds, to: &data)
        for text in [
            entry.actorKind, entry.actor, entry.publication, entry.action, entry.subject, entry.reason, entry.details,
        ] {
            append(text.map { Data($0.utf8) }, to: &data)
        }
        return data
    }

    private static func append(_ number: Int64, to data: inout Data) {
        append(withUnsafeBytes(of: number.bigEndian) { Data($0) }, to: &data)
    }

    private static func append(_ field: Data?, to data: inout Data) {
        let length = field.map { UInt32(clamping: $0.count) } ?? absent
        withUnsafeBytes(of: length.bigEndian) { data.append(contentsOf: $0) }
        if let field { data.append(field) }
    }
}
