import Gatefold
import HTTPTypes
import NIOCore

/// An answer as it went out, with its request.
final class KeptAnswer {
    let request: ByteBuffer
    let peer: ClientAddress?
    let bytes: ByteBuffer
    let status: HTTPResponse.Status
    let route: String
    let standing: Standing
    let given: @Sendable () -> Void
    /// For the log.
    let path: Substring
    let client: ClientAddress?

    /// - Parameter request: copied, because it is mostly a small part of what was received at once.
    init(
        to request: ByteBuffer, from peer: ClientAddress?, _ bytes: ByteBuffer, status: HTTPResponse.Status,
        route: String, standing: Standing, given: @escaping @Sendable () -> Void, path: Substring,
        client: ClientAddress?
    ) {
        self.request = ByteBuffer(bytes: request.readableBytesView)
        self.peer = peer
        self.bytes = bytes
        self.status = status
        self.route = route
        self.standing = standing
        self.given = given
        self.path = path
        self.client = client
    }

    /// In bytes, with what the closure holds and the place in a table.
    var size: Int { request.storageCapacity + bytes.storageCapacity + 2048 }
}
