import Crypto
import Foundation
import Gatefold
import State

extension FuzzTarget {
    /// The snapshot of revocations, as it is and as the revocations of a valid header.
    static let revocationSnapshot = FuzzTarget("revocation-snapshot", upTo: 1024, of: "SnapshotFormat") { bytes in
        if let (header, polledAt) = try? SnapshotFormat.decodeHeader(bytes) {
            let written = ready { try SnapshotFormat.decodeHeader(SnapshotFormat.encode(header, polledAt: polledAt)) }
            promise(written == (header, polledAt), "a header does not round-trip")
            check(Array(bytes.dropFirst(SnapshotFormat.bodyOffset)), of: header)
        }
        let origin = ready { try SnapshotFormat.decodeHeader(seed).0.origin }
        check(
            bytes,
            of: SnapshotFormat.Header(
                origin: origin, size: bytes.count, checksum: Array(SHA256.hash(data: bytes))))
    }

    private static func check(_ body: [UInt8], of header: SnapshotFormat.Header) {
        var items: [SnapshotFormat.Item] = []
        do {
            try SnapshotFormat.decodeBody(body, of: header) { items.append($0) }
        } catch {
            promise(items.isEmpty, "a part of a damaged snapshot is used")
            return
        }
        let written = items.flatMap { SnapshotFormat.encode($0) } + SnapshotFormat.end
        promise(written == body || items.contains { isNormalised($0) }, "the revocations do not round-trip")
    }

    /// Returns whether the item may have had another form: an exempt session that the revocation does not end anyway.
    private static func isNormalised(_ item: SnapshotFormat.Item) -> Bool {
        guard case .revocation(let record) = item else { return false }
        return record.revocation.session == nil && record.revocation.exempt == nil
    }

    /// A valid header.
    private static let seed: [UInt8] = {
        var bytes = Array("gatefold revoked".utf8) + [0, 1] + [UInt8](repeating: 5, count: 32)
        bytes += [UInt8](repeating: 0, count: 8 + 8 + 32)
        return bytes + Array(SHA256.hash(data: bytes))
    }()
}
